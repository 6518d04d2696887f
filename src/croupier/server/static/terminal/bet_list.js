// The bets as a list.

import { button, h, lazy } from "../shared/render.js";
import { languageInUse, say, spotName } from "../shared/text.js";
import { amount } from "./money.js";
import { ofTable } from "./notices.js";

/** @typedef {import("./controller.js").Controller} Controller */

/**
 * @typedef {{table: string, spot: string, stake: number}} Row
 */

/** @param {Controller} ui */
export function betList(ui) {
  const placed = ui.tables().flatMap((name) => rowsOf(ui, name));
  const heads = ["bets.bet", "bets.stake", "bets.state"].map((id) => h("th", { scope: "col" }, say(id)));
  const total = amount(placed.reduce((all, { stake }) => all + stake, 0));
  return h(
    "section",
    { class: "bets", "aria-label": say("bets.title") },
    h(
      "table",
      null,
      h("caption", null, say("bets.title")),
      h("thead", null, h("tr", null, heads, h("td"))),
      h("tbody", null, placed.map((row) => line(ui, row))),
      h(
        "tfoot",
        null,
        h("tr", null, h("th", { scope: "row" }, say("bets.total")), h("td", null, total), h("td"), h("td")),
      ),
    ),
  );
}

/** @param {Controller} ui @param {Row} row */
function line(ui, { table, spot, stake }) {
  const [state, isOpen, { units }, { denomination }] = [
    stateOf(ui, table, spot),
    ui.isOpen(table),
    ui.prefs.now,
    ui.seated().seat,
  ];
  const key = `${table} ${spot}`;
  const inputs = [stake, state, isOpen, units, denomination, languageInUse(), ui.data(table), ui.tables().length];
  return lazy({ tag: "tr", key, inputs }, () => {
    const known = ui.data(table)?.spotsByKey.get(spot);
    const words = known ? spotName(known) : spot;
    return h(
      "tr",
      { key },
      h("th", { scope: "row" }, ofTable(ui, table, words)),
      h("td", null, amount(stake)),
      h("td", null, say(`bets.${state}`)),
      h(
        "td",
        null,
        button(say("bets.take"), () => ui.remove(table, spot), {
          "aria-label": say("bets.take-off", { spot: words }),
          disabled: !isOpen,
        }),
      ),
    );
  });
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
