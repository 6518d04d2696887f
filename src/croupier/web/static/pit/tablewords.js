// Words about tables: their wheels, their limits in short, their settings by name, and the seconds that are left.

import { money } from "../kit/money.js";

/** @typedef {import("../staff/desk.js").Desk} Desk */

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
];

/** Whole seconds until betting closes; null where no clock runs.
 * @param {Desk} desk @param {import("../kit/types.js").TableState} state */
export function secondsOf(desk, { closes_at: closes, closed, phase }) {
  const now = desk.session.now();
  if (closed || phase === "suspended" || closes === null || closes === undefined || now === null || closes <= now) return null;
  return Math.ceil((closes - now) / 1e6);
}

/** @param {number | null} cents @param {string | undefined} currency */
const figure = (cents, currency) =>
  cents === null || !currency ? "–" : money(cents, currency, undefined, "narrowSymbol");

/** The same without its sign, after one that has it. @param {number} cents @param {string | undefined} currency */
const bare = (cents, currency) => figure(cents, currency).replace(/^[^\d-]+/, "");

/** A least and a most, with no more words than it takes. @param {number | null} least @param {number | null} most
 * @param {string | undefined} currency */
export function rangeOf(least, most, currency) {
  if (least === null && most === null) return "no limit";
  if (most === null) return `from ${figure(least, currency)}`;
  if (least === null) return `up to ${figure(most, currency)}`;
  return least === most ? figure(most, currency) : `${figure(least, currency)} to ${bare(most, currency)}`;
}

/** The limits on a spot. @param {Desk} desk @param {string} name
 * @param {import("../kit/consoles.js").LimitsRow} limits */
export const limitsInShort = (desk, name, { spot_least, spot_most }) =>
  rangeOf(spot_least, spot_most, desk.felt(name)?.currency);

/** What a kind of bet is called at a table. @param {Desk} desk @param {string} name @param {string} kind */
export const kindName = (desk, name, kind) =>
  desk.felt(name)?.kinds.find((one) => one.kind === kind)?.name ?? kind.replaceAll("_", " ");

/** A setting in words. @param {unknown} value */
export const timeWords = (value) => (value === null || value === undefined ? "off" : `${value} s`);
