// The one status shown for a table, and the time left. Pure.

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

// The clock: how far the house's time is from this browser's, and what is left of a betting time. Pure.
// House times are whole microseconds; local times are milliseconds of a clock that never goes back.

/** How many samples are remembered: the one with the least round trip is the one that is believed. */
const SAMPLES_MOST = 16;

/**
 * @typedef {{trip: number, offset: number}} Sample
 * @typedef {{samples: Sample[]}} Clock
 */

/** @returns {Clock} */
export const begun = () => ({ samples: [] });

/**
 * Take in an answer: when it was asked for and came, both local, and what the house said the time was.
 * Where a machine has slept or a clock was set, samples of before cannot be true beside this one, and are dropped.
 * @param {Clock} clock @param {{sent: number, got: number, house: number}} answer @returns {Clock}
 */
export function heard(clock, { sent, got, house }) {
  const sample = { trip: got - sent, offset: house - ((sent + got) / 2) * 1000 };
  const agreeing = clock.samples.filter((other) => agree(other, sample));
  return { samples: [...agreeing, sample].slice(-SAMPLES_MOST) };
}

/** Each sample is right to half its round trip, so two can both be right when they differ by no more than the halves.
 * @param {Sample} one @param {Sample} other */
const agree = (one, other) => Math.abs(one.offset - other.offset) <= ((one.trip + other.trip) / 2) * 1000;

/** The house's time, or null before anything was heard. @param {Clock} clock @param {number} local */
export function houseNow(clock, local) {
  if (clock.samples.length === 0) return null;
  const best = clock.samples.reduce((one, other) => (other.trip < one.trip ? other : one));
  return Math.round(local * 1000 + best.offset);
}

/** Whole seconds until betting closes, never below nothing; null where it is not timed.
 * @param {number | null | undefined} closesAt @param {number | null} now */
export const secondsLeft = (closesAt, now) =>
  closesAt === null || closesAt === undefined || now === null ? null : Math.max(0, Math.ceil((closesAt - now) / 1e6));

/** Which of three looks the countdown has; the words and the figures say the same. @param {number} seconds */
export const zone = (seconds) => (seconds > 8 ? "calm" : seconds > 0 ? "soon" : "over");
