// The one status shown for a table, and the time left. Pure.

import { BETTING } from "./store.js";

/** @typedef {Pick<import("./types/wire.js").TableState, "phase" | "closed" | "pocket" | "notice" | "says">} TableState what its status needs of a table */

/**
 * @typedef {"service" | "lost" | "ended" | "connecting" | "no_spin" | "void" | "suspended" | "winning" | "closing"
 *   | "table_closed" | "between" | "open" | "open_running" | "last_call" | "closed" | "running" | "at_rest"
 *   | "paying"} Is
 * @typedef {"calm" | "soon" | "over" | "win" | "none"} Zone
 * @typedef {object} Status
 * @property {Is} is
 * @property {string} says the message that the rules prescribe, or ""
 * @property {Zone} zone its appearance, which the text repeats
 *
 * @typedef {object} StatusInput
 * @property {string} connection as in the store
 * @property {boolean} inService
 * @property {TableState | null} table as last received
 * @property {number | null} seconds until betting closes
 * @property {Record<string, string[]>} prescribed the messages that the venue prescribes, by occasion
 *
 * @typedef {StatusInput & {table: TableState}} TableStatusInput
 */

/**
 * The status with the highest priority: service, connection, a void round, the number, and then the time.
 * @param {StatusInput} seen @returns {Status}
 */
export function statusOf(seen) {
  const { connection, inService, table } = seen;
  if (connection === "ended") return status("ended", "over");
  if (!inService) return status("service", "over");
  if (connection === "lost") return status("lost", "over");
  if (!table) return status("connecting", "none");
  return roundOf({ ...seen, table });
}

/** @param {TableStatusInput} seen @returns {Status} */
function roundOf(seen) {
  const { table } = seen;
  if (table.phase === "no_spin") return status("no_spin", "over", table.says);
  if (table.phase === "suspended") return status("suspended", "over");
  // A closed table is shown as closed, whatever its last round left.
  if (table.phase === "between" && table.closed) return status("table_closed", "none");
  if (isVoid(table)) return status("void", "over", table.says);
  if (table.pocket !== undefined && table.pocket !== null) return status("winning", "win");
  if (BETTING.has(table.phase)) return bettingOf(seen);
  if (table.phase === "between") return status("between", "none");
  return status(table.phase, "over", table.says);
}

/** A round that ended without a valid number. @param {TableState} table */
const isVoid = (table) => table.phase === "between" && !table.pocket && Boolean(table.notice ?? table.says);

/** @param {TableStatusInput} seen @returns {Status} */
function bettingOf({ table, seconds, prescribed: fixed }) {
  // At zero the felt locks; only the server opens it again.
  if (seconds === 0) return status("closing", "over");
  const soon = table.phase === "last_call" || (seconds !== null && zone(seconds) !== "calm");
  const look = soon ? "soon" : "calm";
  if (table.says) return status(table.phase, look, table.says);
  // Where the venue has no message for the last seconds, the page has one; otherwise it comes with the last call.
  const ours = soon && !fixed.finish_betting ? "last_call" : table.phase;
  return status(ours, look);
}

/** @param {Is} is @param {Zone} zone @param {string} [says] @returns {Status} */
const status = (is, zone, says = "") => ({ is, says, zone });

// Clock synchronisation: the offset between server and browser time, and the time left for bets. Server times are
// integer microseconds; local times are milliseconds of a monotonic clock.

/** How many samples are kept. The sample with the shortest round trip is used. */
const SAMPLES_MOST = 16;

/**
 * @typedef {{trip: number, offset: number}} Sample
 * @typedef {{samples: Sample[]}} Clock
 */

/** @returns {Clock} */
export const newClock = () => ({ samples: [] });

/**
 * Add a sample: local send and receive time, and the server time in the response.
 * Older samples that contradict it are dropped: the machine slept or a clock was set.
 * @param {Clock} clock @param {{sent: number, got: number, house: number}} answer @returns {Clock}
 */
export function addSample(clock, { sent, got, house }) {
  const sample = { trip: got - sent, offset: house - ((sent + got) / 2) * 1000 };
  const agreeing = clock.samples.filter((other) => agree(other, sample));
  return { samples: [...agreeing, sample].slice(-SAMPLES_MOST) };
}

/**
 * A sample is accurate to half its round trip, so two samples agree when they differ by at most the sum of the halves.
 * @param {Sample} one @param {Sample} other
 */
const agree = (one, other) => Math.abs(one.offset - other.offset) <= ((one.trip + other.trip) / 2) * 1000;

/** The server time, or null before the first sample. @param {Clock} clock @param {number} local */
export function serverNow(clock, local) {
  if (clock.samples.length === 0) return null;
  const best = clock.samples.reduce((one, other) => (other.trip < one.trip ? other : one));
  return Math.round(local * 1000 + best.offset);
}

/**
 * Whole seconds until betting closes, at least 0; null where there is no time limit.
 * @param {number | null | undefined} closesAt @param {number | null} now
 */
export const secondsLeft = (closesAt, now) =>
  closesAt === null || closesAt === undefined || now === null ? null : Math.max(0, Math.ceil((closesAt - now) / 1e6));

/** The appearance of the countdown; text and digits say the same. @param {number} seconds */
export const zone = (seconds) => (seconds > 8 ? "calm" : seconds > 0 ? "soon" : "over");
