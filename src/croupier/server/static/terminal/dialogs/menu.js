// The menu: opens every other dialog.

import { openDialog } from "../../shared/dialog.js";
import { button, el, icon } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { callBetsOf } from "../calls.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {[string, string, () => void]} Row icon, label and action
 */

/** Open the menu. @param {Controller} ui @param {Record<string, () => void>} open every dialog by name
 * @param {Row[]} [first] entries before the dialogs */
export function openMenu(ui, open, first = []) {
  const rows = [...first, ...offered(ui, open)];
  const dialog = openDialog({
    name: "menu",
    title: say("menu.title"),
    look: "narrow",
    body: [
      el(
        "ul",
        { class: "rows" },
        ...rows.map((row) =>
          el(
            "li",
            {},
            entry(row, () => dialog.close()),
          )
        ),
      ),
    ],
  });
}

/**
 * Dialogs that the venue does not offer are not in the menu.
 * @param {Controller} ui @param {Record<string, () => void>} open @returns {Row[]}
 */
function offered(ui, open) {
  const data = ui.data(ui.focus());
  return [
    ...row(ui.session.demo, "slip", "menu.slips", open.slips),
    ["repeat", say("menu.auto"), open.auto],
    ...row(
      ui.session.demo && ui.session.pageData.tables.length > ui.tables().length,
      "table",
      "menu.tables",
      open.tables,
    ),
    ...row(callBetsOf(data).length > 0, "special", "menu.specials", open.specials),
    ...row(Boolean(data?.patterns), "save", "menu.patterns", open.patterns),
    ["help", say("menu.help"), open.help],
    ["limits", say("menu.limits"), open.limits],
    ["statistics", say("menu.statistics"), open.statistics],
    ["recall", say("menu.recall"), open.recall],
    ["money", say("menu.money"), open.money],
    ["session", say("menu.session"), open.session],
    ["pause", say("menu.own"), open.own],
    ["bell", say("menu.attendant"), open.attendant],
    ...row(Boolean(ui.table()?.draw), "form", "menu.proof", open.proof),
    ["messages", say("menu.messages"), open.messages],
    ["rules", say("menu.rules"), open.rules],
    ["settings", say("menu.settings"), open.settings],
  ];
}

/** @param {boolean} there @param {string} name @param {string} words @param {() => void} act @returns {Row[]} */
const row = (there, name, words, act) => (there ? [[name, say(words), act]] : []);

/**
 * The menu closes first, so that the focus returns to where the menu was opened.
 * @param {Row} row @param {() => void} leave
 */
const entry = ([name, words, act], leave) =>
  button(
    el("span", {}, icon(name), el("span", {}, words)),
    () => {
      leave();
      act();
    },
    { class: "row" },
  );
