// The menu: opens every other dialog.

import { openDialog } from "../../shared/dialog.js";
import { button, h, icon } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { callBetsOf } from "../calls.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {[string, string, () => void]} Row icon, label and action
 * @typedef {Record<string, () => void>} Opens opens every dialog by its name
 */

/** The dialogs by group, each with its icon and the id of its label. @type {[string, [string, string, string][]][]} */
const GROUPS = [
  ["menu.play", [
    ["auto", "repeat", "menu.auto"],
    ["tables", "table", "menu.tables"],
    ["specials", "special", "menu.specials"],
    ["patterns", "save", "menu.patterns"],
    ["help", "help", "menu.help"],
    ["limits", "limits", "menu.limits"],
  ]],
  ["menu.yours", [
    ["slips", "slip", "menu.slips"],
    ["money", "money", "menu.money"],
    ["session", "session", "menu.session"],
    ["own", "pause", "menu.own"],
    ["recall", "recall", "menu.recall"],
    ["messages", "messages", "menu.messages"],
    ["attendant", "bell", "menu.attendant"],
  ]],
  ["menu.venue", [
    ["statistics", "statistics", "menu.statistics"],
    ["proof", "form", "menu.proof"],
    ["rules", "rules", "menu.rules"],
    ["settings", "settings", "menu.settings"],
  ]],
];

/** Open the menu. @param {Controller} ui @param {Opens} open @param {Row[]} [first] entries before the dialogs */
export function openMenu(ui, open, first = []) {
  // The menu closes first, so that the focus returns to where the menu was opened.
  const entry = (/** @type {Row} */ [name, words, act], /** @type {string | null} */ opens = null) =>
    h(
      "li",
      null,
      button(h("span", null, icon(name), h("span", null, words)), () => (dialog.close(), act()), {
        class: "row",
        "data-opens": opens,
      }),
    );
  const groups = () =>
    GROUPS.map(([title, dialogs], place) =>
      h(
        "section",
        null,
        h("h3", null, say(title)),
        h(
          "ul",
          { class: "rows" },
          place === 0 && first.map((row) => entry(row)),
          dialogs.filter(([name]) => isOffered(ui, name)).map(([name, drawn, words]) =>
            entry([drawn, say(words), open[name]], name)
          ),
        ),
      )
    );
  const dialog = openDialog({
    name: "menu",
    title: say("menu.title"),
    look: "middle",
    body: () => h("div", { class: "groups-of-rows" }, groups()),
  });
}

/** Dialogs that the venue does not offer are not in the menu. @param {Controller} ui @param {string} name */
function isOffered(ui, name) {
  if (name === "slips") return ui.session.demo;
  if (name === "tables") return ui.session.demo && ui.session.pageData.tables.length > ui.tables().length;
  if (name === "specials") return callBetsOf(ui.data()).length > 0;
  if (name === "patterns") return Boolean(ui.data()?.patterns);
  return name !== "proof" || Boolean(ui.table()?.draw);
}
