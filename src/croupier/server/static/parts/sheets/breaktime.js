// The break: after so many minutes of play a calm word, in a corner, at a moment when no bets are taken.

import { button, el } from "../../kit/dom.js";
import { isCovered, openSheet, sheetNamed } from "../../kit/sheet.js";
import { isOpen } from "../../kit/store.js";
import { say } from "../../kit/words.js";
import { openCollect } from "./collect.js";
import { reminded, unreminded } from "./reminder.js";
import { netOf, played } from "./session.js";
import { lengthOf } from "./when.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** Look once a second whether a reminder is due. @param {Ui} ui */
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
export function openBreak(ui) {
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
    // It was said to one player, and goes with them.
    update: (view) => view.seat?.session?.since_us !== since && sheet.close(),
  });
}
