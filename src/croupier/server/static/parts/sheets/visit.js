// The visit: what is kept for the player who sits here now, and not for the next. Pure.
// A visit ends with the last of the credits, as the house has it: slips are listed until somebody puts money in again.

/**
 * @typedef {object} Slip as the house sends it to the printer of this terminal
 * @property {number} sequence
 * @property {string} form
 * @property {string} number
 * @property {number} amount
 * @property {string} currency
 * @property {number} issued_at_us
 * @property {string} venue
 * @property {string} terminal
 * @property {number} [duplicate]
 *
 * @typedef {{sequence: number, form: string, ending: string, amount: number, currency: string, at: number}} Kept a
 *   slip without its number: whoever knows that may be paid
 * @typedef {{slips: Kept[], empty: boolean}} Visit
 */

/** @returns {Visit} */
export const begunVisit = () => ({ slips: [], empty: false });

/** Whether nothing of the player's is left here: no credits, no chips, no win on hold. @param {any} seat */
const isEmpty = (seat) => seat.credit === 0 && !seat.held && Object.values(seat.games).every((game) => !game.staked);

/** Look at the seat: with the first money after nothing another visit begins. @param {Visit} visit @param {any} seat
 * @returns {boolean} whether it has */
export function goneOn(visit, seat) {
  const empty = isEmpty(seat);
  const begins = visit.empty && !empty;
  visit.empty = empty;
  if (begins) visit.slips = [];
  return begins;
}

/** Keep of a slip what may be seen later. @param {Visit} visit @param {Slip} slip */
export function slipCame(visit, { sequence, form, number, amount, currency, issued_at_us: at }) {
  if (visit.slips.some((one) => one.sequence === sequence)) return;
  visit.slips.unshift({ sequence, form, ending: number.slice(-4), amount, currency, at });
}
