// Opens each dialog of the terminal.

import { dialogNamed, tickDialogs, updateDialogs } from "../../shared/dialog.js";
import { loadAllMessages } from "../../shared/text.js";
import { keepSlip } from "../slip_store.js";
import { addNews, addSlip, newLog, newVisit, updateVisit } from "./messages.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/types/wire.js").MessageView} MessageView
 */

/** @param {Controller} ui */
export function terminalDialogs(ui) {
  let log = newLog();
  const visit = newVisit();
  const watchHold = watchHeldWins(ui);
  const watchCorrection = watchCorrections(ui);
  /** @type {(() => void) | null} */
  let watchBreak = null;
  /** @type {(() => void) | null} */
  let watchDraw = null;
  const open = {
    menu: (/** @type {import("./menu.js").Row[]} */ first = []) => panel("menu", ui, open, first),
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
    correction: (/** @type {import("../../shared/types/wire.js").MessageView} */ message) =>
      panel("correction", ui, message),
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
  /** Take in what has arrived for this player. @param {TerminalView} view */
  const observe = (view) => {
    // Messages of one player are not shown to the next.
    if (updateVisit(visit, view.seat)) log.entries.length = 0;
    log = addNews(log, view, ui.session.now());
  };
  /** Open what a player has to see, and take part in draws. @param {TerminalView} view */
  const react = (view) => {
    watchHold(view);
    watchCorrection(view);
    watchDraw?.();
  };
  const tick = () => {
    watchBreak?.();
    tickDialogs();
  };
  return { open, observe, draw: updateDialogs, react, tick };
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

/**
 * Whether a player acknowledges a message: a correction, and stakes that came back because a spin does not count.
 * @param {MessageView} message
 */
const isSheet = ({ kind, round }) =>
  kind === "corrected" || kind === "invalidated" || (kind === "returned" && Boolean(round));

/** Open the dialog once for each correction; those that were there when the page opened are only in the log. @param {Controller} ui */
function watchCorrections(ui) {
  /** @type {Set<string> | null} */
  let known = null;
  return (/** @type {TerminalView} */ { seat }) => {
    const messages = (seat.messages ?? []).filter(isSheet);
    for (const message of messages) if (known && !known.has(JSON.stringify(message))) ui.dialogs.correction(message);
    known = new Set(messages.map((message) => JSON.stringify(message)));
  };
}

// Dialogs that are loaded after the page.

/** How long after the page has connected they are loaded, so that nothing competes with its start. */
const LOAD_AFTER_MS = 2000;
/** @type {Promise<typeof import("./panels.js")> | null} */
let loading = null;

/** Load the dialogs once; without a connection they are tried again at the next press. */
function load() {
  loading ??= Promise.all([import("./panels.js"), loadAllMessages()])
    .then(async ([loaded]) => {
      await loaded.style();
      return loaded;
    })
    .catch((error) => {
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
