// The bets as a list.

import { button, each, el, enabled, text } from "../shared/dom.js";
import { say, spotName, tableName } from "../shared/text.js";
import { amount } from "./money.js";

/** @typedef {import("./controller.js").Controller} Controller */

/**
 * @typedef {{table: string, spot: string, stake: number}} Row
 */

/** @param {Controller} ui */
export function betList(ui) {
  const rows = el("tbody", {});
  const total = el("td", {});
  const head = (/** @type {string} */ words) => el("th", { scope: "col" }, words);
  const table = el(
    "table",
    {},
    el("caption", {}, say("bets.title")),
    el(
      "thead",
      {},
      el("tr", {}, head(say("bets.bet")), head(say("bets.stake")), head(say("bets.state")), el("td", {})),
    ),
    rows,
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, say("bets.total")), total, el("td", {}), el("td", {}))),
  );
  const node = el("section", { class: "bets", "aria-label": say("bets.title") }, table);

  const make = (/** @type {Row} */ row) => {
    const take = button(say("bets.take"), () => ui.remove(row.table, row.spot));
    return el("tr", {}, el("th", { scope: "row" }), el("td", {}), el("td", {}), el("td", {}, take));
  };
  const update = () => {
    const placed = ui.tables().flatMap((name) => rowsOf(ui, name));
    each(
      rows,
      placed,
      ({ table: name, spot }) => `${name}\n${spot}`,
      make,
      (made, { table: name, spot, stake }) => {
        const known = ui.data(name)?.spotsByKey.get(spot);
        const words = known ? spotName(known) : spot;
        const [label, figure, state] = [...made.children];
        text(label, ui.tables().length > 1 ? say("notice.of", { table: tableName(name), says: words }) : words);
        text(figure, amount(stake));
        text(state, say(`bets.${stateOf(ui, name, spot)}`));
        const take = /** @type {HTMLButtonElement} */ (made.querySelector("button"));
        take.setAttribute("aria-label", say("bets.take-off", { spot: words }));
        enabled(take, ui.isOpen(name));
      },
    );
    text(total, amount(placed.reduce((all, { stake }) => all + stake, 0)));
  };
  return { node, update };
}

/** @param {Controller} ui @param {string} table @returns {Row[]} */
const rowsOf = (ui, table) =>
  Object.entries(ui.game(table)?.bets ?? {}).map(([spot, stake]) => ({ table, spot, stake: Number(stake) }));

/** @param {Controller} ui @param {string} table @param {string} spot */
function stateOf(ui, table, spot) {
  if (ui.view().guessed[table]?.[spot]) return "guessed";
  const mine = ui.game(table);
  if (mine?.red?.includes(spot)) return "red";
  return mine && mine.sealed === ui.table(table)?.round ? "sealed" : "accepted";
}
