// The break reminder.

import { isCovered, openSheet, sheetNamed } from "../../shared/dialog.js";
import { button, el } from "../../shared/dom.js";
import { isOpen } from "../../shared/store.js";
import { say } from "../../shared/text.js";
import { openCollect } from "./money.js";
import { netOf, played } from "./session.js";
import { lengthOf } from "./slip.js";

/** @typedef {import("../controller.js").Ui} Ui */

/** Check once a second whether a reminder is due. @param {Ui} ui */
export function breakWatch(ui) {
  let known = unreminded();
  return () => {
    const view = ui.view();
    if (!view.seat || !view.fixture) return;
    const since = view.seat.session?.since_us ?? null;
    const minutes = view.fixture.break_minutes ?? 0;
    const betting = isOpen(ui.table()) || isCovered();
    const [then, tells] = reminded(known, { since, now: ui.session.now(), minutes, betting });
    known = then;
    if (tells) openBreak(ui);
  };
}

/** @param {Ui} ui */
function openBreak(ui) {
  if (sheetNamed("break")) return;
  const since = ui.view().seat?.session?.since_us;
  const time = lengthOf(played(ui) ?? 0);
  const net = netOf(ui.view().seat?.session?.net ?? 0);
  const sheet = openSheet({
    name: "break",
    title: say("break.title"),
    look: "corner",
    body: [el("p", {}, say("break.words", { time, net })), el("p", { class: "quiet" }, say("break.calm"))],
    foot: [
      button(say("break.collect"), () => {
        sheet.close();
        openCollect(ui);
      }),
      button(say("break.on"), () => sheet.close(), { class: "main" }),
    ],
    // A reminder is for one session, and closes with it.
    update: (view) => view.seat?.session?.since_us !== since && sheet.close(),
  });
}

// When a break is due, and whether the reminder may be shown now.

/**
 * @typedef {{since: number | null, told: number}} Reminded start of play, and how many reminders were shown
 * @typedef {object} Playing
 * @property {number | null} since when play began, in microseconds of server time; null where no session runs
 * @property {number | null} now
 * @property {number} minutes between two reminders; 0 for none
 * @property {boolean} betting whether bets are open
 */

const MINUTE_US = 60e6;

/** @returns {Reminded | null} */
export const unreminded = () => null;

/**
 * Check whether a reminder is due. Returns the new state and whether to show one.
 * @param {Reminded | null} known @param {Playing} playing @returns {[Reminded | null, boolean]}
 */
export function reminded(known, { since, now, minutes, betting }) {
  const due = since === null || now === null || minutes <= 0 ? 0 : Math.floor((now - since) / (minutes * MINUTE_US));
  // A reloaded page repeats no reminder; a new session starts without one.
  if (known === null) return [now === null ? null : { since, told: due }, false];
  const told = known.since === since ? known.told : 0;
  // No reminder while bets are open: it must not stand between a player and the close.
  const tells = due > told && !betting;
  return [{ since, told: tells ? due : told }, tells];
}
