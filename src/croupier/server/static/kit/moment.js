// The moment: which one state of a table and its line is told, by rank, and how much time is left of it. Pure.

import { zone } from "./clock.js";
import { BETTING } from "./store.js";

/**
 * @typedef {"service" | "lost" | "ended" | "connecting" | "no_spin" | "void" | "suspended" | "winning" | "closing"
 *   | "table_closed" | "between" | "open" | "open_running" | "last_call" | "closed" | "running" | "at_rest"} Is
 * @typedef {"calm" | "soon" | "over" | "win" | "none"} Zone
 * @typedef {object} Moment
 * @property {Is} is
 * @property {string} says the words that the rules fix for it, or none
 * @property {Zone} zone the look of it, which the words say too
 *
 * @typedef {object} Seen
 * @property {string} line as the store has it
 * @property {boolean} inService
 * @property {any} table as it was last told
 * @property {number | null} seconds until betting closes
 * @property {Record<string, string[]>} fixed the words that the venue fixes, by their occasion
 */

/** Tell which state comes first: service, the line, a round that does not count, the number, and then the time.
 * @param {Seen} seen @returns {Moment} */
export function momentOf(seen) {
  const { line, inService, table } = seen;
  if (line === "ended") return moment("ended", "over");
  if (!inService) return moment("service", "over");
  if (line === "lost") return moment("lost", "over");
  if (!table) return moment("connecting", "none");
  return roundOf(seen);
}

/** @param {Seen} seen @returns {Moment} */
function roundOf(seen) {
  const { table } = seen;
  if (table.phase === "no_spin") return moment("no_spin", "over", table.says);
  if (table.phase === "suspended") return moment("suspended", "over");
  if (isVoid(table)) return moment("void", "over", table.says);
  if (table.pocket !== undefined && table.pocket !== null) return moment("winning", "win");
  if (BETTING.has(table.phase)) return bettingOf(seen);
  if (table.phase === "between") return moment(table.closed ? "table_closed" : "between", "none");
  return moment(table.phase, "over", table.says);
}

/** A round that is over without a number that counts. @param {any} table */
const isVoid = (table) => table.phase === "between" && !table.pocket && Boolean(table.notice ?? table.says);

/** @param {Seen} seen @returns {Moment} */
function bettingOf({ table, seconds, fixed }) {
  // At nothing the felt locks itself; it opens again on the house's word alone.
  if (seconds === 0) return moment("closing", "over");
  const soon = table.phase === "last_call" || (seconds !== null && zone(seconds) !== "calm");
  const look = soon ? "soon" : "calm";
  if (table.says) return moment(table.phase, look, table.says);
  // Where the venue has no words for the last seconds, ours are said; where it has, they come with its last call.
  const ours = soon && !fixed.finish_betting ? "last_call" : table.phase;
  return moment(ours, look);
}

/** @param {Is} is @param {Zone} zone @param {string} [says] @returns {Moment} */
const moment = (is, zone, says = "") => ({ is, says, zone });
