// The dialogs that change the table, and that repeat bets by themselves.

import { openDialog } from "../../shared/dialog.js";
import { money } from "../../shared/money.js";
import { button, h } from "../../shared/render.js";
import { locale, say, tableTitle } from "../../shared/text.js";
import { ROUNDS } from "../auto_repeat.js";
import { changeTable } from "../sign_on.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 */

/** @param {Controller} ui */
export function openTables(ui) {
  /** @type {import("../../lobby/card.js").LobbyTable[]} */
  let tables = [];
  const body = () => {
    const { credit } = ui.seated().seat;
    const others = tables.filter(({ table, closed, seats }) => !ui.tables().includes(table) && !closed && seats > 0);
    return [
      credit > 0 && h("p", null, say("tables.stays", { credit: amount(credit) })),
      h("ul", { class: "rows" }, others.map((one) => entry(one, tables))),
    ];
  };
  const foot = () => [
    ui.seated().seat.credit > 0 && button(say("money.collect"), () => ui.dialogs.collect()),
    h("a", { class: "leave", href: "./" }, say("tables.lobby")),
  ];
  const dialog = openDialog({ name: "tables", title: say("tables.title"), look: "narrow", body, foot });
  void fetch(new URL("lobby.json", document.baseURI)).then((answer) => answer.json()).then((lobby) => {
    tables = lobby.tables;
    dialog.redraw();
  }).catch(() => null);
}

/** @param {import("../../lobby/card.js").LobbyTable} one @param {import("../../lobby/card.js").LobbyTable[]} tables */
function entry(one, tables) {
  const { table, currency, least, free } = one;
  const from = least === null ? "" : say("lobby.range-from", { least: money(least, currency, locale()) });
  const about = [from, free > 0 ? say("lobby.free", { n: free }) : say("lobby.full")].filter(Boolean).join(" · ");
  const words = h("span", null, h("b", null, tableTitle(one, tables)), h("small", null, about));
  return h("li", { key: table }, button(words, () => changeTable(table), { class: "row two" }));
}

/** Choose for how many rounds the last bets are repeated. @param {Controller} ui */
export function openAutoRepeat(ui) {
  const choose = (/** @type {number} */ rounds) => {
    ui.startAuto(rounds);
    dialog.close();
  };
  const dialog = openDialog({
    name: "auto",
    title: say("menu.auto"),
    look: "narrow",
    body: () => [
      h("p", null, say("auto.about")),
      h(
        "div",
        { class: "row" },
        ROUNDS.map((rounds) => button(say("auto.rounds", { n: rounds }), () => choose(rounds))),
      ),
    ],
  });
}
