// Words about tables: their wheels, their limits in short, their settings by name, and the seconds that are left.

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {(cents: number | null) => string} Write
 */

/** @type {Record<string, string>} */
export const WHEELS = { sensor: "wheel with sensors", keypad: "dealer's keypad", random: "random wheel" };

/** The settings that are times, and what each is called. @type {[name: string, words: string][]} */
export const TIMERS = [
  ["betting_s", "Opening to no more bets"],
  ["warning_s", "Warning to no more bets"],
  ["launch_to_close_s", "Launch to no more bets"],
  ["rest_s", "Launch until the ball is overdue"],
  ["pause_s", "Settled to the next opening"],
  ["betting_least_s", "Least time to bet"],
  ["patience_s", "A terminal may be dark for"],
  ["decision_s", "A referred round waits for"],
  ["attest_s", "An interrupted round waits for"],
  ["session_idle_s", "A session with nothing left ends after"],
];

/** Whole seconds until betting closes; null where no clock runs.
 * @param {Desk} desk @param {import("../kit/types.js").TableState} state */
export function secondsOf(desk, { closes_at: closes, closed, phase }) {
  const now = desk.session.now();
  if (closed || phase === "suspended" || closes === null || closes === undefined || now === null || closes <= now) return null;
  return Math.ceil((closes - now) / 1e6);
}

/** How amounts of a table are written. @param {Desk} desk @param {string} table @returns {Write} */
export const writing = (desk, table) => (cents) => desk.amount(cents, table);

/** An amount without its sign, after one that has it. @param {string} written */
const bare = (written) => written.replace(/^[^\d-]+/, "");

/** A least and a most, with no more words than it takes. @param {number | null} least @param {number | null} most
 * @param {Write} write */
export function rangeOf(least, most, write) {
  if (least === null && most === null) return "no limit";
  if (most === null) return `from ${write(least)}`;
  if (least === null) return `up to ${write(most)}`;
  return least === most ? write(most) : `${write(least)} to ${bare(write(most))}`;
}

/** The limits on a spot. @param {Desk} desk @param {string} name
 * @param {import("../kit/consoles.js").LimitsRow} limits */
export const limitsInShort = (desk, name, { spot_least, spot_most }) =>
  rangeOf(spot_least, spot_most, writing(desk, name));

/** What a kind of bet is called at a table. @param {Desk} desk @param {string} name @param {string} kind */
export const kindName = (desk, name, kind) =>
  desk.felt(name)?.kinds.find((one) => one.kind === kind)?.name ?? kind.replaceAll("_", " ");

/** A setting in words. @param {unknown} value */
export const timeWords = (value) => (value === null || value === undefined ? "off" : `${value} s`);
