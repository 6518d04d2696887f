// Notices of tables: what became of a round that was not simply settled, for as long as its table says so.

import { each, el, shown } from "../kit/dom.js";
import { clauseMark } from "../staff/words.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/types.js").Notice} Notice
 * @typedef {{table: string, notice: Notice}} Told
 */

/** @param {Desk} desk @returns {import("../staff/desk.js").Part} */
export function noticesPart(desk) {
  const node = el("ul", { class: "became", "aria-label": "What became of rounds", "aria-live": "polite" });
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const told = desk.ordered(Object.keys(view.tables)).flatMap((table) => {
      const { notice } = view.tables[table].state;
      return notice ? [{ table, notice }] : [];
    });
    each(node, told, ({ table, notice }) => `${table}:${notice.round}:${notice.says}`, card);
    shown(node, told.length > 0);
  };
  return { node, update };
}

/** @param {Told} told */
function card({ table, notice: { round, says, clause } }) {
  const cites = clause ? el("small", {}, ` ${clauseMark(clause)}`) : null;
  return el("li", {}, el("b", {}, `${table}, round ${round}: `), says, cites);
}
