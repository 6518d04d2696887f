// Opens each dialog of the terminal, and the menu.

import { dialogNamed, openDialog, tickDialogs, updateDialogs } from "../../shared/dialog.js";
import { button, el, icon } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { callBetsOf } from "../calls.js";
import { keepSlip } from "../slip_store.js";
import { newLog, newVisit, updateVisit, addNews, addSlip } from "./messages.js";

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
  /** @type {(() => void) | null} */
  let watchBreak = null;
  /** @type {(() => void) | null} */
  let watchDraw = null;
  const open = {
    menu: (/** @type {Row[]} */ first = []) => openMenu(ui, open, first),
    patterns: () => panel("patterns", ui),
    specials: () => panel("specials", ui),
    help: () => panel("help", ui),
    limits: () => panel("limits", ui),
    statistics: () => panel("statistics", ui),
    rules: (/** @type {unknown} */ clause = "") => panel("rules", ui, typeof clause === "string" ? clause : ""),
    messages: () => panel("messages", ui, log),
    recall: () => panel("recall", ui),
    money: () => panel("money", ui, visit),
    collect: () => panel("collect", ui),
    hold: () => panel("hold", ui),
    settings: () => panel("settings", ui),
    session: () => panel("session", ui),
    tables: () => panel("tables", ui),
    slips: () => panel("slips", ui),
    auto: () => panel("auto", ui),
    attendant: () => panel("attendant", ui),
    own: () => panel("own", ui),
    proof: () => panel("proof", ui),
  };
  ui.session.handlers.welcome = () => void setTimeout(() => load().then(arrived, () => {}), LOAD_AFTER_MS);
  const arrived = (/** @type {typeof import("./panels.js")} */ { parts }) => {
    if (ui.parts) return;
    ui.parts = parts;
    watchBreak = parts.watchBreaks(ui);
    watchDraw = parts.watchDraws(ui);
    ui.session.redraw();
  };
  ui.session.handlers.slip = (/** @type {import("./messages.js").Slip} */ slip) => {
    addSlip(visit, slip);
    // The paper of a demonstration is this page. Elsewhere a slip is printed, and the next player must not see it.
    if (ui.session.demo) keepSlip(localStorage, slip);
    panel("slip", ui, slip);
  };
  const update = (/** @type {View} */ given) => {
    if (!given.seat || !given.fixture) return;
    const view = /** @type {TerminalView} */ (given);
    // Messages of one player are not shown to the next.
    if (updateVisit(visit, view.seat)) log.entries.length = 0;
    log = addNews(log, view, ui.session.now());
    watchHold(view);
    watchDraw?.();
    updateDialogs(view);
  };
  const tick = () => {
    watchBreak?.();
    tickDialogs();
  };
  return { open, update, tick };
}

/** Open the dialog once for each win that is held. @param {Controller} ui */
function watchHeldWins(ui) {
  let before = 0;
  return (/** @type {TerminalView} */ view) => {
    const held = view.seat?.held ?? 0;
    if (held > before && !dialogNamed("hold")) ui.dialogs.hold();
    before = held;
  };
}

// Dialogs that are loaded after the page.

/** How long after the page has connected they are loaded, so that nothing competes with its start. */
const LOAD_AFTER_MS = 2000;
/** @type {Promise<typeof import("./panels.js")> | null} */
let loading = null;

/** Load the dialogs once; without a connection they are tried again at the next press. */
function load() {
  loading ??= import("./panels.js").catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

/**
 * Open a dialog that may have to be loaded first.
 * @param {keyof typeof import("./panels.js").panels} name @param {...any} given
 */
function panel(name, ...given) {
  const open = (/** @type {typeof import("./panels.js")} */ { panels }) =>
    /** @type {(...given: any[]) => void} */ (panels[name])(...given);
  load().then(open, () => {});
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
