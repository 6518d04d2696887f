// Chips added up, as sheets tell of them. Pure.

/** @typedef {Record<string, number>} Chips what lies on each spot */

/** @param {Chips} chips */
export const sum = (chips) => Object.values(chips).reduce((all, one) => all + one, 0);

/** Chips in credits, as what they are worth. @param {Chips} chips @param {number} credit @returns {Chips} */
export const inCents = (chips, credit) =>
  Object.fromEntries(Object.entries(chips).map(([spot, credits]) => [spot, credits * credit]));

/**
 * Whether no saved pattern has these ghosts, but one has more on the same spots: they were reduced to the credits.
 * @param {{patterns?: Record<string, Chips>, denomination: number}} seat patterns are in credits @param {Chips} ghosts
 */
export function isReduced({ patterns = {}, denomination }, ghosts) {
  const alike = Object.values(patterns).filter((pattern) => spotsOf(pattern) === spotsOf(ghosts));
  const totals = alike.map((pattern) => sum(pattern) * denomination);
  return totals.length > 0 && totals.every((total) => total > sum(ghosts));
}

/** @param {Chips} chips */
const spotsOf = (chips) => Object.keys(chips).sort().join();
