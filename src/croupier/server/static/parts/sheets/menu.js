// The menu: a way to every other sheet.

import { button, el } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { openSheet } from "../../kit/sheet.js";
import { say } from "../../kit/words.js";
import { specialsOf } from "./specials.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {[string, string, () => void]} Row its icon, its words, and what it opens */

/** Open the menu. @param {Ui} ui @param {Record<string, () => void>} open every sheet by its name
 * @param {Row[]} [first] what else is offered, before the sheets */
export function openMenu(ui, open, first = []) {
  const rows = [...first, ...offered(ui, open)];
  const sheet = openSheet({
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
            entry(row, () => sheet.close()),
          ),
        ),
      ),
    ],
  });
}

/** What the venue does not offer is not in the menu.
 * @param {Ui} ui @param {Record<string, () => void>} open @returns {Row[]} */
function offered(ui, open) {
  const data = ui.data(ui.focus());
  return [
    ...row(specialsOf(data).length > 0, "special", "menu.specials", open.specials),
    ...row(Boolean(data?.patterns), "save", "menu.patterns", open.patterns),
    ["limits", say("menu.limits"), open.limits],
    ["statistics", say("menu.statistics"), open.statistics],
    ["recall", say("menu.recall"), open.recall],
    ["money", say("menu.money"), open.money],
    ["session", say("menu.session"), open.session],
    ["messages", say("menu.messages"), open.messages],
    ["rules", say("menu.rules"), open.rules],
    ["settings", say("menu.settings"), open.settings],
  ];
}

/** @param {boolean} there @param {string} name @param {string} words @param {() => void} act @returns {Row[]} */
const row = (there, name, words, act) => (there ? [[name, say(words), act]] : []);

/** The menu is gone before what it leads to comes, so that the focus goes back to where the menu was opened.
 * @param {Row} row @param {() => void} leave */
const entry = ([name, words, act], leave) =>
  button(
    el("span", {}, icon(name), el("span", {}, words)),
    () => {
      leave();
      act();
    },
    { class: "row" },
  );
