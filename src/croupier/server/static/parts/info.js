// The information box: the least and the most that may be staked at a table, over all bets where that is bounded.

import { el, shown, text } from "../kit/dom.js";
import { amount } from "../kit/money.js";
import { say } from "../kit/words.js";

/** @typedef {number | null | undefined} Cents */

export function info() {
  const rows = { least: row(), most: row() };
  const node = el("dl", { class: "info", "aria-label": say("info.label") }, rows.least.node, rows.most.node);
  /** @param {any} mine the game, as it was last told */
  const update = (mine) => {
    shown(node, Boolean(mine));
    if (!mine) return;
    const leasts = (mine.limits ?? []).map((/** @type {any[]} */ [, least]) => least ?? 0);
    rows.least.update(mine.total_least, [mine.spot_least, ...leasts], ["info.total-least", "info.spot-least"]);
    rows.most.update(mine.total_most, [mine.spot_most], ["info.total-most", "info.spot-most"]);
  };
  return { node, update };
}

function row() {
  const [words, figure] = [el("dt", {}), el("dd", {})];
  /** @param {Cents} total @param {Cents[]} spots from the one that counts most @param {[string, string]} ids */
  const update = (total, spots, [ofTotal, ofSpot]) => {
    const isTotal = total !== null && total !== undefined;
    text(words, say(isTotal ? ofTotal : ofSpot));
    text(figure, isTotal ? amount(total) : rangeOf(spots));
  };
  return { node: el("div", {}, words, figure), update };
}

/** A limit that is not the same for every bet is told from where to where. @param {Cents[]} spots */
function rangeOf([first, ...others]) {
  if (first === null || first === undefined) return say("info.none");
  const last = Math.max(first, ...others.map((one) => one ?? 0));
  return last === first ? amount(first) : say("info.range", { least: amount(first), most: amount(last) });
}
