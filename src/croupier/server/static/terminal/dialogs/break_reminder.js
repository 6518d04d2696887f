// The break reminder.

import { dialogNamed, isModalOpen, openDialog } from "../../shared/dialog.js";
import { button, h } from "../../shared/render.js";
import { isOpen } from "../../shared/store.js";
import { say } from "../../shared/text.js";
import { timePlayed } from "./session.js";
import { lengthOf } from "../../shared/times.js";
import { netOf } from "../money.js";

/** @typedef {import("../controller.js").Controller} Controller */

/** Check once a second whether a reminder is due. @param {Controller} ui */
export function watchBreaks(ui) {
  let known = noReminders();
  return () => {
    const view = ui.view();
    if (!view.seat || !view.fixture) return;
    const since = view.seat.session?.since_us ?? null;
    const minutes = view.fixture.break_minutes ?? 0;
    const betting = isOpen(ui.table()) || isModalOpen();
    const [then, isDue] = checkReminder(known, { since, now: ui.session.now(), minutes, betting });
    known = then;
    if (isDue) openBreak(ui);
  };
}

/** @param {Controller} ui */
function openBreak(ui) {
  if (dialogNamed("break")) return;
  const since = ui.view().seat?.session?.since_us;
  const time = lengthOf(timePlayed(ui) ?? 0);
  const net = netOf(ui.view().seat?.session?.net ?? 0);
  const dialog = openDialog({
    name: "break",
    title: say("break.title"),
    look: "corner",
    body: () => [
      h("p", null, say("break.words", { time, net })),
      h("p", { class: "quiet" }, say("break.calm")),
    ],
    foot: () => [
      button(say("break.rest"), () => {
        dialog.close();
        ui.dialogs.own();
      }),
      button(say("break.collect"), () => {
        dialog.close();
        ui.dialogs.collect();
      }),
      button(say("break.on"), () => dialog.close(), { class: "main" }),
    ],
    // A reminder is for one session, and closes with it.
    update: (view) => view.seat?.session?.since_us !== since && dialog.close(),
  });
}

// When a break is due, and whether the reminder may be shown now.

/**
 * @typedef {{since: number | null, shown: number}} ReminderState start of play, and how many reminders were shown
 * @typedef {object} Playing
 * @property {number | null} since when play began, in microseconds of server time; null where no session runs
 * @property {number | null} now
 * @property {number} minutes between two reminders; 0 for none
 * @property {boolean} betting whether bets are open
 */

const MINUTE_US = 60e6;

/** @returns {ReminderState | null} */
export const noReminders = () => null;

/**
 * Check whether a reminder is due. Returns the new state and whether to show one.
 * @param {ReminderState | null} known @param {Playing} playing @returns {[ReminderState | null, boolean]}
 */
export function checkReminder(known, { since, now, minutes, betting }) {
  const due = since === null || now === null || minutes <= 0 ? 0 : Math.floor((now - since) / (minutes * MINUTE_US));
  // A reloaded page repeats no reminder; a new session starts without one.
  if (known === null) return [now === null ? null : { since, shown: due }, false];
  const shown = known.since === since ? known.shown : 0;
  // No reminder while bets are open: it must not stand between a player and the close.
  const isDue = due > shown && !betting;
  return [{ since, shown: isDue ? due : shown }, isDue];
}
