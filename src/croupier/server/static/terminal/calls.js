// The call bets that a felt offers, and totals of stakes. Pure.

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").OfferedCall} Call
 */

/**
 * The call bets of a felt that are neither sectors nor neighbours, which the racetrack has.
 * @param {Felt | null} data @returns {Call[]}
 */
export function callBetsOf(data) {
  const arcs = new Set((data?.sectors ?? []).map((sector) => sector.call));
  const isSpecial = (/** @type {Call} */ call) => !arcs.has(call.name) && !ON_RACETRACK.has(call.kind ?? call.name);
  const calls = (data?.calls ?? []).filter(isSpecial);
  // Calls with one button come first.
  return calls.sort((one, other) => one.ways.length - other.ways.length);
}

const ON_RACETRACK = new Set(["neighbours", "marker"]);

// Totals of stakes.

/** @typedef {Record<string, number>} Chips stake by spot */

/** @param {Chips} chips */
export const sum = (chips) => Object.values(chips).reduce((all, one) => all + one, 0);

/** Stakes in credits converted to cents. @param {Chips} chips @param {number} credit @returns {Chips} */
export const inCents = (chips, credit) =>
  Object.fromEntries(Object.entries(chips).map(([spot, credits]) => [spot, credits * credit]));

/**
 * Whether the previewed pattern was reduced to the credit: a saved pattern has the same spots and higher stakes.
 * @param {{patterns?: Record<string, Chips>, denomination: number}} seat patterns are in credits @param {Chips} ghosts
 */
export function isReduced({ patterns = {}, denomination }, ghosts) {
  const alike = Object.values(patterns).filter((pattern) => spotsOf(pattern) === spotsOf(ghosts));
  const totals = alike.map((pattern) => sum(pattern) * denomination);
  return totals.length > 0 && totals.every((total) => total > sum(ghosts));
}

/** @param {Chips} chips */
const spotsOf = (chips) => Object.keys(chips).sort().join();
