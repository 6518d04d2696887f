// The dialogs that a player opens now and then, and the scene of a spin: a bundle of its own, which is loaded after the
// page.

import { el } from "../../shared/dom.js";
import { openAttendant } from "./attendant.js";
import { openHelp } from "./help.js";
import { SpinScene } from "../spin_scene.js";
import { Banner } from "../win_banner.js";
import { watchBreaks } from "./break_reminder.js";
import { openCallBets } from "./call_bets.js";
import { openCorrection } from "./correction.js";
import { openHeldWin } from "./held_win.js";
import { openLimits } from "./limits.js";
import { openCollect, openMoney } from "./money.js";
import { openMenu } from "./menu.js";
import { openMessages } from "./message_list.js";
import { openOwnLimits } from "./own_limits.js";
import { openPatterns } from "./patterns.js";
import { openProof, watchDraws } from "./proof.js";
import { openRecall } from "./recall.js";
import { openRules } from "./rules.js";
import { openSession } from "./session_facts.js";
import { openSettings } from "./settings.js";
import { openSlip } from "./slip.js";
import { openStatistics } from "./statistics.js";
import { openSlips } from "./slips.js";
import { openAutoRepeat, openTables } from "./tables.js";

/** The function that opens each dialog. */
export const panels = {
  menu: openMenu,
  attendant: openAttendant,
  own: openOwnLimits,
  proof: openProof,
  help: openHelp,
  limits: openLimits,
  money: openMoney,
  collect: openCollect,
  patterns: openPatterns,
  hold: openHeldWin,
  correction: openCorrection,
  messages: openMessages,
  session: openSession,
  slip: openSlip,
  recall: openRecall,
  specials: openCallBets,
  rules: openRules,
  settings: openSettings,
  statistics: openStatistics,
  tables: openTables,
  slips: openSlips,
  auto: openAutoRepeat,
};

/** What a page uses besides dialogs. */
export const parts = { SpinScene, Banner, watchBreaks, watchDraws };

/** Load the styles of all this; without a connection it fails, and may be tried again. */
export const style = () =>
  new Promise((done, failed) => {
    const sheet = el("link", { rel: "stylesheet", href: new URL("../../theme/panels.css", import.meta.url).href });
    sheet.addEventListener("load", done);
    sheet.addEventListener("error", () => {
      sheet.remove();
      failed(new Error("no styles"));
    });
    document.head.append(sheet);
  });
