// The reminder: when a break is due, and whether it may be told now. Pure.

/**
 * @typedef {{since: number | null, told: number}} Reminded since when somebody plays, and how many reminders they had
 * @typedef {object} Playing
 * @property {number | null} since when play began, by the house's time in microseconds; null where nobody plays
 * @property {number | null} now
 * @property {number} minutes between two reminders, or none at all
 * @property {boolean} betting whether bets are being taken
 */

const MINUTE_US = 60e6;

/** @returns {Reminded | null} */
export const unreminded = () => null;

/** Look whether a reminder is due. Gives what is known by then, and whether one is to be told.
 * @param {Reminded | null} known @param {Playing} playing @returns {[Reminded | null, boolean]} */
export function reminded(known, { since, now, minutes, betting }) {
  const due = since === null || now === null || minutes <= 0 ? 0 : Math.floor((now - since) / (minutes * MINUTE_US));
  // A page that is opened anew repeats nothing; another visit begins without a reminder behind it.
  if (known === null) return [now === null ? null : { since, told: due }, false];
  const told = known.since === since ? known.told : 0;
  // Nobody is disturbed while bets are taken: the reminder never stands between a player and the close.
  const tells = due > told && !betting;
  return [{ since, told: tells ? due : told }, tells];
}
