// The information box: the least and the most that may be staked at a table, over all bets where that is bounded.

import { el, shown, text } from "../kit/dom.js";
import { amount } from "../kit/money.js";
import { say } from "../kit/words.js";

export function info() {
  const rows = { least: row(), most: row() };
  const node = el("dl", { class: "info", "aria-label": say("info.label") }, rows.least.node, rows.most.node);
  /** @param {any} mine the game, as it was last told */
  const update = (mine) => {
    shown(node, Boolean(mine));
    if (!mine) return;
    rows.least.update(mine.total_least, mine.spot_least, ["info.total-least", "info.spot-least"]);
    rows.most.update(mine.total_most, mine.spot_most, ["info.total-most", "info.spot-most"]);
  };
  return { node, update };
}

function row() {
  const [words, figure] = [el("dt", {}), el("dd", {})];
  /** @param {number | null | undefined} total @param {number | null | undefined} spot @param {[string, string]} ids */
  const update = (total, spot, [ofTotal, ofSpot]) => {
    const isTotal = total !== null && total !== undefined;
    const cents = isTotal ? total : spot;
    text(words, say(isTotal ? ofTotal : ofSpot));
    text(figure, cents === null || cents === undefined ? say("info.none") : amount(cents));
  };
  return { node: el("div", {}, words, figure), update };
}
