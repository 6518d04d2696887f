// Checks of the clock and of money.

import { same } from "./bench.js";

export const clockChecks = ({ begun, heard, houseNow, secondsLeft, zone }) => ({
  "before anything was heard there is no time": () => same(houseNow(begun(), 5), null),
  "the sample with the least round trip is believed": () => {
    let clock = heard(begun(), { sent: 0, got: 100, house: 1_000_000 });
    clock = heard(clock, { sent: 200, got: 202, house: 5_000_000 });
    clock = heard(clock, { sent: 300, got: 390, house: 1_000_000 });
    same(houseNow(clock, 201), 5_000_000);
    same(houseNow(clock, 301), 5_100_000);
  },
  "old samples are forgotten": () => {
    let clock = heard(begun(), { sent: 0, got: 1, house: 0 });
    for (let place = 0; place < 40; place += 1) clock = heard(clock, { sent: 0, got: 10, house: 1_000_000 });
    same(houseNow(clock, 5), 1_000_000);
  },
  "a part of a second counts as a whole one, and never less than none": () => {
    same(
      [
        secondsLeft(3_000_001, 0),
        secondsLeft(3_000_000, 0),
        secondsLeft(1, 2),
        secondsLeft(null, 2),
        secondsLeft(1, null),
      ],
      [4, 3, 0, null, null],
    );
  },
  "the last eight seconds have their own look": () =>
    same([zone(9), zone(8), zone(1), zone(0)], ["calm", "soon", "soon", "over"]),
});

export const moneyChecks = ({ money, plain, centsOf }) => ({
  "an amount carries its currency, and cents only where there are any": () =>
    same(
      [
        money(123_400, "AUD", "en-AU"),
        money(1_250, "USD", "en-US"),
        money(0, "SGD", "en-SG"),
        money(-500, "USD", "en-US"),
      ],
      ["$1,234", "$12.50", "$0", "-$5"],
    ),
  "a chip has the bare amount": () => same([plain(500), plain(250), plain(0)], ["5", "2.50", "0"]),
  "an amount is read exactly, or not at all": () =>
    same(["5", "0.5", "12.50", " 7,25 ", "0.29", "1.234", "", "-1", "1e3", "999999999999"].map(centsOf), [
      500,
      50,
      1250,
      725,
      29,
      null,
      null,
      null,
      null,
      99999999999900,
    ]),
});
