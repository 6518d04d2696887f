// The slips of this browser, in a demonstration: each with its state in the house.

import { openDialog } from "../../shared/dialog.js";
import { money } from "../../shared/money.js";
import { button, h } from "../../shared/render.js";
import { isReady } from "../../shared/store.js";
import { locale, say } from "../../shared/text.js";
import { clockOf, venueDate, venueTime } from "../../shared/times.js";
import { barsOf } from "../barcode.js";
import { keptSlips, removeSlip } from "../slip_store.js";
import { Reply } from "./response.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../slip_store.js").KeptSlip} KeptSlip
 * @typedef {import("../../shared/types/wire.js").SlipStatus} SlipStatus
 */

/** States in which a slip is money. */
const PAYABLE = new Set(["issued", "printed"]);
/** States that words exist for. */
const STATES = new Set(["frozen", "issued", "printed", "redeemed", "void", "expired", "unknown"]);
const DAY_MS = 24 * 3600 * 1000;

/** @param {SlipStatus | undefined} state */
const isPayable = (state) => state === undefined || PAYABLE.has(state.status);

/** How much the slips come to, by currency. @param {KeptSlip[]} slips */
function totalText(slips) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { amount, currency } of slips) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const amount = [...sums].map(([currency, cents]) => money(cents, currency, locale())).join(" + ");
  return slips.length > 0 ? say("slips.total", { n: slips.length, amount }) : "";
}

/** A day of the house, 20261118, as the beginning of that day in UTC. @param {number} day */
const utcOf = (day) => Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, day % 100);

/** @type {Intl.DateTimeFormatOptions} */
const SHORT = { day: "numeric", month: "short" };
/** @param {number} us */
const shortDate = (us) => venueTime(us, locale(), SHORT);

/** How many days a slip has left at the venue. @param {number} expires the day of the house */
const daysLeft = (expires) => Math.max(0, (utcOf(expires) - Date.parse(venueDate(Date.now() * 1000))) / DAY_MS);

/** The state of a slip in words. @param {SlipStatus} state */
function stateText({ status, expires = null, paid_at_us: paid = null }) {
  if (!STATES.has(status)) return status;
  if (PAYABLE.has(status)) {
    if (expires === null) return say("slips.yours");
    return say("slips.days", { n: daysLeft(expires) });
  }
  if (status === "redeemed" && paid !== null) return say("slips.paid-on", { date: shortDate(paid) });
  if (status === "expired" && expires !== null) {
    return say("slips.expired-on", { date: venueTime(utcOf(expires) * 1000, locale(), { ...SHORT, timeZone: "UTC" }) });
  }
  return say(`slip-state.${status}`);
}

/** @param {Controller} ui */
export function openSlips(ui) {
  const response = new Reply(ui);
  /** The state of each slip in the house, by number. @type {Map<string, SlipStatus>} */
  const states = new Map();
  const before = ui.session.handlers.slips;
  ui.session.handlers.slips = (/** @type {{slips: SlipStatus[]}} */ { slips }) => {
    for (const one of slips) states.set(one.number, one);
    dialog.redraw();
  };
  const ask = () => {
    const numbers = keptSlips(localStorage).map(({ number }) => number);
    if (numbers.length > 0) ui.session.send({ t: "slips", numbers });
  };
  const putIn = (/** @type {string} */ number) =>
    void response.await(ui.session.sendRequest("ticket_in", { number }), ask);
  const remove = (/** @type {string} */ number) => {
    removeSlip(localStorage, number);
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "slips",
    title: say("slips.title"),
    body: () => {
      const slips = keptSlips(localStorage);
      const own = slips.filter(({ number }) => isPayable(states.get(number)));
      return [
        response.tree(),
        h("p", { class: "quiet", hidden: slips.length > 0 }, say("slips.none")),
        h("ul", { class: "slips" }, slips.map((slip) => slipRow(ui, slip, states.get(slip.number), { putIn, remove }))),
        h("p", { class: "quiet" }, slips.length > 0 && `${totalText(own)} ${say("slips.stay")}`),
      ];
    },
    closed: () => (ui.session.handlers.slips = before),
  });
  ask();
}

/**
 * @param {Controller} ui @param {KeptSlip} slip @param {SlipStatus | undefined} state
 * @param {{putIn: (number: string) => void, remove: (number: string) => void}} on
 */
function slipRow(ui, slip, state, { putIn, remove }) {
  const { fixture } = ui.view();
  const isTaken = slip.currency === fixture?.currency && Boolean(fixture?.tickets ?? ui.data()?.tickets);
  return h(
    "li",
    { key: slip.number, "data-state": isPayable(state) ? "payable" : "closed" },
    barcode(slip.number),
    h(
      "p",
      null,
      h("b", null, h("bdi", null, money(slip.amount, slip.currency, locale()))),
      h("span", null, `${shortDate(slip.issued_at_us)} ${clockOf(slip.issued_at_us)} · ${slip.terminal}`),
      h("span", { class: "state", hidden: state === undefined }, state && stateText(state)),
    ),
    h(
      "div",
      { class: "row" },
      isTaken && button(say("slips.put-in"), () => putIn(slip.number), {
        class: "main",
        hidden: !isPayable(state),
        disabled: !isReady(ui.view()),
      }),
      button(say("slips.remove"), () => remove(slip.number)),
    ),
  );
}

const HIGH = 26;
/** The quiet zone beside the bars. */
const QUIET = 10;

/** @param {string} digits */
export function barcode(digits) {
  const bars = barsOf(digits);
  const [last, width] = bars[bars.length - 1];
  const wide = last + width + 2 * QUIET;
  const drawn = bars.map(([at, bar]) => `M${at + QUIET} 0h${bar}v${HIGH}h-${bar}z`).join("");
  return h(
    "svg",
    {
      class: "barcode",
      viewBox: `0 -4 ${wide} ${HIGH + 8}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": digits,
    },
    h("rect", { class: "ground", y: -4, width: wide, height: HIGH + 8 }),
    h("path", { class: "bars", d: drawn }),
  );
}
