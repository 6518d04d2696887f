// What a public display shows of a table.

import { BETTING } from "../shared/store.js";
import { noticeText, say, spotName, tableName } from "../shared/text.js";
import { tableMessage } from "../shared/phase.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

/**
 * @typedef {"away" | "number" | "last" | "none"} Is "last" is the number of the previous round
 * @typedef {object} TableDisplay
 * @property {Is} is
 * @property {string} label the heading of the number, or ""
 * @property {string} number or ""
 * @property {string} colour of the number
 * @property {string[]} words the colour and the even chances of the number, or why there is none
 * @property {string[]} more the round, the dozen, the column
 */

/**
 * What is shown of a table; nothing without a connection, as it may be out of date.
 * @param {TableState | undefined} table @param {Felt | null} felt @param {boolean} isFresh @returns {TableDisplay}
 */
export function displayOf(table, felt, isFresh) {
  if (!isFresh || !table) return { ...none([say("status.connecting")], []), is: "away" };
  const { phase, pocket, numbers = [], notice, round } = table;
  const more = [say("replay.round", { round })];
  const outcome = notice ? noticeText(notice) : "";
  if (phase === "no_spin" || phase === "suspended") return none([tableMessage(table)], [...more, outcome]);
  // A closed table is shown as closed, whatever its last round left.
  if (phase === "between" && table.closed) return none([tableMessage(table)], [outcome]);
  if (pocket) return numbered("number", say("result.fresh"), pocket, felt, more);
  if (phase === "between" && notice) return none([say("board.no-result")], [outcome]);
  if ((phase === "between" || BETTING.has(phase)) && numbers.length > 0) {
    return numbered("last", say("result.last"), numbers[0], felt, []);
  }
  return none([tableMessage(table)], more);
}

/** @param {string[]} words @param {string[]} more @returns {TableDisplay} */
const none = (words, more) => ({ is: "none", label: "", number: "", colour: "", words, more: more.filter(Boolean) });

/** @param {Is} is @param {string} label @param {string} number @param {Felt | null} felt @param {string[]} more
 * @returns {TableDisplay} */
function numbered(is, label, number, felt, more) {
  const colour = felt?.colours.get(number) ?? "";
  const won = felt?.spots.filter(({ covers }) => covers.includes(number)) ?? [];
  const segments = new Map(felt?.kinds.map(({ kind, segment }) => [kind, segment]));
  const those = (/** @type {string} */ segment) => won.filter(({ kind }) => segments.get(kind) === segment);
  // The colour is shown already.
  const chances = those("even_chances").filter(({ kind }) => kind !== colour).map(spotName);
  const twelves = [...those("dozens"), ...those("columns")].map(spotName);
  return {
    is,
    label,
    number,
    colour,
    words: [colour && say(`colour.${colour}`), ...chances].filter(Boolean),
    more: [...more, ...twelves],
  };
}

/** The text for screen readers. @param {string} name of the table @param {TableDisplay} display */
export const announcementOf = (name, { is, number, words, more }) =>
  is === "last"
    ? ""
    : say("board.announced", { table: tableName(name), says: [number, ...words, ...more].filter(Boolean).join(", ") });
