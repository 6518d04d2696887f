// Frames: a past game as what lay on the felt after each step, from its start to its number. Pure.

/**
 * @typedef {import("./chips.js").Chips} Chips
 * @typedef {object} Past a game as the house tells it
 * @property {string} table
 * @property {number} round
 * @property {Chips} at_start
 * @property {{at_us: number, how: string, stakes: Chips}[]} steps what lay afterwards on the spots that were touched
 * @property {Chips} sealed
 * @property {string | null} pocket
 * @property {number} staked
 * @property {number} returned
 * @property {number} credit
 *
 * @typedef {{stakes: Chips, is: string, at: number | null, pocket: string | null}} Frame what lies, and which moment
 *   it is
 */

/** What each moment is called; the chips are changed in the ways that the house knows.
 * @type {Record<string, string>} */
export const MOMENTS = {
  start: "replay.start",
  place: "replay.place",
  change: "replay.change",
  remove: "replay.remove",
  move: "replay.move",
  undo: "replay.undo",
  clear: "replay.clear",
  repeat: "replay.repeat",
  double: "replay.double",
  neighbours: "replay.neighbours",
  recall: "replay.recall",
  copy: "replay.copy",
  auto_copy: "replay.auto_copy",
  return: "replay.return",
  sealed: "replay.sealed",
  number: "replay.won",
  no_number: "replay.no-number",
};

/** @param {Past} game @returns {Frame[]} */
export function framesOf({ at_start: start, steps, sealed, pocket }) {
  let lies = { ...start };
  const frames = [frame(lies, "start")];
  for (const { at_us: at, how, stakes } of steps) {
    lies = after(lies, stakes);
    frames.push(frame(lies, how, at));
  }
  const over = pocket === null ? frame(sealed, "no_number") : { ...frame(sealed, "number"), pocket };
  return [...frames, frame(sealed, "sealed"), over];
}

/** @param {Chips} stakes @param {string} is @param {number | null} [at] @returns {Frame} */
const frame = (stakes, is, at = null) => ({ stakes, is, at, pocket: null });

/** @param {Chips} lies @param {Chips} stakes @returns {Chips} */
const after = (lies, stakes) =>
  Object.fromEntries(Object.entries({ ...lies, ...stakes }).filter(([, cents]) => cents > 0));
