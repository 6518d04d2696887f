// Opens each dialog of the terminal, and the menu.

import { openDialog, tickDialogs, updateDialogs } from "../../shared/dialog.js";
import { button, el, icon } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { watchBreaks } from "./break_reminder.js";
import { openCallBets, callBetsOf } from "./call_bets.js";
import { watchHeldWins, openHeldWin } from "./held_win.js";
import { openLimits } from "./limits.js";
import { newLog, newVisit, updateVisit, addNews, openMessages, addSlip } from "./messages.js";
import { openCollect, openMoney } from "./money.js";
import { openPatterns } from "./patterns.js";
import { openRecall } from "./recall.js";
import { openRules } from "./rules.js";
import { openSession } from "./session.js";
import { openSettings } from "./settings.js";
import { openSlip } from "./slip.js";
import { openStatistics } from "./statistics.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/store.js").View} View
 */

/** @param {Controller} ui */
export function terminalDialogs(ui) {
  let log = newLog();
  const visit = newVisit();
  const watchHold = watchHeldWins(ui);
  const watchBreak = watchBreaks(ui);
  const collect = () => openCollect(ui);
  const open = {
    menu: (/** @type {Row[]} */ first = []) => openMenu(ui, open, first),
    patterns: () => openPatterns(ui),
    specials: () => openCallBets(ui),
    limits: () => openLimits(ui),
    statistics: () => openStatistics(ui),
    rules: (/** @type {unknown} */ clause = "") => openRules(ui, typeof clause === "string" ? clause : ""),
    messages: () => openMessages(ui, log),
    recall: () => openRecall(ui),
    money: () => openMoney(ui, visit),
    collect,
    hold: () => openHeldWin(ui),
    settings: () => openSettings(ui),
    session: () => openSession(ui, collect),
  };
  ui.session.handlers.slip = (/** @type {import("./messages.js").Slip} */ slip) => {
    addSlip(visit, slip);
    openSlip(ui, slip);
  };
  const update = (/** @type {View} */ given) => {
    if (!given.seat || !given.fixture) return;
    const view = /** @type {TerminalView} */ (given);
    // Messages of one player are not shown to the next.
    if (updateVisit(visit, view.seat)) log.entries.length = 0;
    log = addNews(log, view, ui.session.now());
    watchHold(view);
    updateDialogs(view);
  };
  const tick = () => {
    watchBreak();
    tickDialogs();
  };
  return { open, update, tick };
}

// The menu: opens every other dialog.

/** @typedef {[string, string, () => void]} Row icon, label and action */

/** Open the menu. @param {Controller} ui @param {Record<string, () => void>} open every dialog by name
 * @param {Row[]} [first] entries before the dialogs */
function openMenu(ui, open, first = []) {
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
          ),
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
    ...row(callBetsOf(data).length > 0, "special", "menu.specials", open.specials),
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
