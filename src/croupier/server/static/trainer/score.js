// The state of a run of drills: what was typed, the answers given, and the score.

import { say, spotName } from "../shared/text.js";

/**
 * @typedef {object} DrillLine chips on a spot of the felt, or on the block
 * @property {string} spot @property {string} kind @property {string} label
 * @property {number} placed the pieces that lie there
 * @property {number} counts the pieces that are paid: of a marker bet a fifth
 * @property {number} odds @property {number} out
 * @property {number} [along] @property {number} [across]
 * @property {string[]} [numbers] the numbers of a marker button
 *
 * @typedef {{along: [number, number], across: [number, number]}} Area in quarters of a cell
 *
 * @typedef {object} Drill as the server makes it
 * @property {string} rulebook @property {string} level @property {number} seed
 * @property {string} pocket @property {string} chip
 * @property {number} value of one piece, in cents
 * @property {(Area & {pocket: string, colour: string})[]} cells
 * @property {(Area & {bet: string, label: string})[]} boxes
 * @property {DrillLine[]} lines
 * @property {{counts: number, odds: number, out: number}[]} sums
 * @property {"pieces" | "stacks" | "amount"} question
 * @property {number[]} answer
 * @property {number} pieces @property {[number, number]} stacks @property {number} amount
 * @property {[number, number][]} cash value and count of each value chip
 *
 * @typedef {{right: boolean, seconds: number}} Given one answered drill
 */

/** The most figures of one field. */
const FIGURES = 6;
/** How many answers the chart shows. */
const SHOWN = 12;

/** The fields of an answer, by question: their names. @type {Record<Drill["question"], string[]>} */
export const FIELDS = { pieces: ["pieces"], stacks: ["stacks", "rest"], amount: ["amount"] };

/** Type a figure into a field, or take the last one back. @param {string} typed @param {string} key */
export function typeKey(typed, key) {
  if (key === "back") return typed.slice(0, -1);
  return typed.length < FIGURES ? `${typed}${key}`.replace(/^0+(?=\d)/, "") : typed;
}

/** Whether what was typed is the answer; money is typed in whole units. @param {Drill} drill @param {string[]} typed */
export function isRight(drill, typed) {
  const unit = drill.question === "amount" ? 100 : 1;
  return drill.answer.every((wanted, place) => typed[place] !== "" && Number(typed[place]) * unit === wanted);
}

/** The score of all answers. @param {Given[]} given */
export function scoreOf(given) {
  const lastWrong = given.map(({ right }) => right).lastIndexOf(false);
  return {
    right: given.filter(({ right }) => right).length,
    asked: given.length,
    streak: given.length - 1 - lastWrong,
    median: median(given.map(({ seconds }) => seconds)),
    latest: given.slice(-SHOWN),
  };
}

/** @param {number[]} numbers @returns {number | null} */
function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The name of the bet of a line. @param {DrillLine} line */
export const lineName = ({ spot, kind, label, numbers }) =>
  numbers
    ? say("trainer.marker", { number: numbers[numbers.length >> 1] })
    : spotName({ key: spot, kind, covers: spot.split("/"), label });
