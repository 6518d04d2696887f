// All sheets of a terminal: the way to open each, what they keep between openings, and those that open by themselves.

import { tickSheets, updateSheets } from "../../kit/sheet.js";
import { breakWatch } from "./breaktime.js";
import { openCollect } from "./collect.js";
import { holdWatch, openHold } from "./hold.js";
import { openLimits } from "./limits.js";
import { begunLog, noted } from "./log.js";
import { openMenu } from "./menu.js";
import { openMessages } from "./messages.js";
import { openMoney } from "./money.js";
import { openPatterns } from "./patterns.js";
import { openRecall } from "./recall.js";
import { openRules } from "./rules.js";
import { openSession } from "./session.js";
import { openSettings } from "./settings.js";
import { openSlip } from "./slip.js";
import { openSpecials } from "./specials.js";
import { openStatistics } from "./statistics.js";
import { begunVisit, goneOn, slipCame } from "./visit.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui */
export function sheets(ui) {
  let log = begunLog();
  const visit = begunVisit();
  const watchHold = holdWatch(ui);
  const watchBreak = breakWatch(ui);
  const collect = () => openCollect(ui);
  const open = {
    menu: (/** @type {import("./menu.js").Row[]} */ first = []) => openMenu(ui, open, first),
    patterns: () => openPatterns(ui),
    specials: () => openSpecials(ui),
    limits: () => openLimits(ui),
    statistics: () => openStatistics(ui),
    rules: (/** @type {unknown} */ clause = "") => openRules(ui, typeof clause === "string" ? clause : ""),
    messages: () => openMessages(ui, log),
    recall: () => openRecall(ui),
    money: () => openMoney(ui, visit),
    collect,
    hold: () => openHold(ui),
    settings: () => openSettings(ui),
    session: () => openSession(ui, collect),
  };
  ui.session.hears.slip = (/** @type {import("./visit.js").Slip} */ slip) => {
    slipCame(visit, slip);
    openSlip(ui, slip);
  };
  const update = (/** @type {any} */ view) => {
    if (!view.seat || !view.fixture) return;
    // What was said to one player is not for the next.
    if (goneOn(visit, view.seat)) log.entries.length = 0;
    log = noted(log, view, ui.session.now());
    watchHold(view);
    updateSheets(view);
  };
  const tick = () => {
    watchBreak();
    tickSheets();
  };
  return { open, update, tick };
}
