// One table on the whole board: its number, its past, its figures.

import { el, shown } from "../kit/dom.js";
import { figures, tallyOf } from "./figures.js";
import { limits, limitsOf } from "./limits.js";
import { past } from "./past.js";
import { ring } from "./ring.js";

/**
 * @typedef {import("../kit/types.js").TableState} TableState
 * @typedef {import("../kit/felts.js").Felt} Felt
 * @typedef {{table: TableState, felt: Felt | null, telling: import("./telling.js").Telling, arrived: () => void}} Shown
 */

/** @returns {{node: HTMLElement, update: (shows: Shown) => void}} */
export function whole() {
  const [number, before, counted, bounds] = [ring(), past(), figures(), limits()];
  const facts = el("div", { class: "data" }, counted.node, bounds.node);
  const node = el("div", { class: "whole" }, number.node, before.node, facts);
  /** @param {Shown} shows */
  const update = ({ table, felt, telling, arrived }) => {
    const isAway = telling.is === "away";
    number.update(telling);
    before.update(isAway ? [] : (table.numbers ?? []), felt?.colours);
    counted.update(isAway ? null : tallyOf(table, arrived), felt);
    bounds.update(isAway ? null : limitsOf(table, arrived), felt);
    shown(before.node, !isAway);
  };
  return { node, update };
}
