// The dialogs that change the table, and that repeat bets by themselves.

import { openDialog } from "../../shared/dialog.js";
import { button, el, shown, text } from "../../shared/dom.js";
import { money } from "../../shared/money.js";
import { locale, say, tableTitle } from "../../shared/text.js";
import { ROUNDS } from "../auto_repeat.js";
import { changeTable } from "../sign_on.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui */
export function openTables(ui) {
  const list = el("ul", { class: "rows" });
  const stays = el("p", {});
  const collect = button(say("money.collect"), () => ui.dialogs.collect());
  const update = (/** @type {TerminalView} */ { seat }) => {
    text(stays, say("tables.stays", { credit: amount(seat.credit) }));
    for (const one of [stays, collect]) shown(one, seat.credit > 0);
  };
  openDialog({
    name: "tables",
    title: say("tables.title"),
    look: "narrow",
    body: [stays, list],
    foot: [collect, el("a", { class: "leave", href: "./" }, say("tables.lobby"))],
    update,
  });
  update(ui.seated());
  void fill(ui, list);
}

/** @param {Controller} ui @param {HTMLElement} list */
async function fill(ui, list) {
  const answer = await fetch(new URL("lobby.json", document.baseURI)).catch(() => null);
  /** @type {{tables: import("../../lobby/card.js").LobbyTable[]}} */
  const { tables } = answer?.ok ? await answer.json() : { tables: [] };
  const others = tables.filter(({ table, closed, seats }) => !ui.tables().includes(table) && !closed && seats > 0);
  list.replaceChildren(
    ...others.map((one) => {
      const { table, currency, least, free } = one;
      const from = least === null ? "" : say("lobby.range-from", { least: money(least, currency, locale()) });
      const about = [from, free > 0 ? say("lobby.free", { n: free }) : say("lobby.full")].filter(Boolean).join(" · ");
      const words = el("span", {}, el("b", {}, tableTitle(one, tables)), el("small", {}, about));
      return el(
        "li",
        {},
        button(words, () => changeTable(table), { class: "row two" }),
      );
    }),
  );
}

/** Choose for how many rounds the last bets are repeated. @param {Controller} ui */
export function openAutoRepeat(ui) {
  const keys = ROUNDS.map((rounds) =>
    button(say("auto.rounds", { n: rounds }), () => {
      ui.startAuto(rounds);
      dialog.close();
    })
  );
  const dialog = openDialog({
    name: "auto",
    title: say("menu.auto"),
    look: "narrow",
    body: [el("p", {}, say("auto.about")), el("div", { class: "row" }, ...keys)],
  });
}
