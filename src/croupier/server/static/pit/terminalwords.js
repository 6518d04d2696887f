// Words about terminals: what is the matter with one, and what can be wrong with it.

/**
 * @typedef {import("../kit/consoles.js").SeatRow} SeatRow
 * @typedef {import("../staff/pill.js").Pill} Pill
 */

/** What can be wrong with a terminal. @type {[value: string, words: string][]} */
export const FAULTS = [
  ["credits", "Its credits are not what was bet and won"],
  ["numbers", "It shows a number that is not on the layout"],
  ["interrupted", "It is interrupted, or its display is faulty"],
  ["opinion", "Staff think that it is faulty"],
];

/** What is the matter with a seat, in a few words. @param {SeatRow} row @returns {Pill[]} */
export function marksOf({ credit, staked, below, dark, closed, case: number, held, idle, idle_long: long, spent, straight_only }) {
  /** @type {(Pill | false)[]} */
  const marks = [
    number !== null && { says: `Case ${number}`, look: "stop" },
    dark && { says: "No link", look: "stop" },
    closed && { says: "Out of service", look: "warn" },
    held > 0 && { says: "Win held", look: "warn" },
    below && { says: "Below minimum", look: "warn" },
    idle > 0 && { says: idle === 1 ? "Sat out 1 spin" : `Sat out ${idle} spins`, look: long ? "warn" : "calm" },
    staked > 0 && { says: "Bets in", look: "ok" },
    straight_only && { says: "Straight up only", look: "calm" },
    spent && { says: "Session not ended", look: "calm" },
    credit + staked === 0 && !spent && { says: "Free", look: "calm" },
  ];
  const found = marks.filter((mark) => mark !== false);
  return found.length > 0 ? found : [{ says: "No bet yet", look: "calm" }];
}
