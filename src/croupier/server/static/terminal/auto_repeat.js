// Repeats the last bets by itself, for a number of rounds. Pure.

/**
 * @typedef {{left: number, round: number | null}} AutoRepeat how many rounds are left, and the round that was played last
 * @typedef {{round: number, isOpen: boolean, hasBets: boolean, isRefused: boolean}} Moment
 */

/** The numbers of rounds that a player may choose. */
export const ROUNDS = [5, 10, 25];

/** @returns {AutoRepeat} */
export const stopped = () => ({ left: 0, round: null });

/** @param {number} rounds @param {number} round the last in which nothing is repeated */
export const started = (rounds, round) => ({ left: rounds, round });

/**
 * What to do now: once in each round, when bets are open and none is placed, the last bets are repeated. A refusal stops it.
 * @param {AutoRepeat} known @param {Moment} moment @returns {[AutoRepeat, boolean]} the next state, and whether to repeat
 */
export function next(known, { round, isOpen, hasBets, isRefused }) {
  if (known.left === 0) return [known, false];
  if (isRefused) return [stopped(), false];
  if (!isOpen || known.round === round) return [known, false];
  const left = known.left - 1;
  return [{ left, round }, !hasBets];
}
