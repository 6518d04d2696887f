// The entry of a number: digit by digit or by touch, and twice where it is entered by hand. Pure.

/**
 * @typedef {object} Entry
 * @property {string | null} pocket that is meant
 * @property {string} typed the digits of it, where it is typed
 * @property {string | null} first the number as it was entered the first time, where it is entered twice
 */

/** @type {Entry} */
export const NOTHING = { pocket: null, typed: "", first: null };

/** Type one more digit; what is no number of this wheel begins anew with it.
 * @param {Entry} entry @param {string} digit @param {(pocket: string) => boolean} isPocket @returns {Entry} */
export function typed(entry, digit, isPocket) {
  const found = [entry.typed + digit, digit].find(isPocket);
  return found === undefined ? entry : { ...entry, pocket: found, typed: found };
}

/** Say the number that is meant. Where the step asks for it twice, the first time is kept and nothing is asked yet.
 * @param {import("../kit/consoles.js").StepRow} row @param {Entry} entry
 * @returns {{entry: Entry, command: object | null}} */
export function named({ command, asks }, { pocket, first }) {
  if (asks.includes("again") && first === null) return { entry: { ...NOTHING, first: pocket }, command: null };
  const fields = asks.includes("again") ? { pocket: first, again: pocket } : { pocket };
  return { entry: NOTHING, command: { .../** @type {object} */ (command), ...fields } };
}
