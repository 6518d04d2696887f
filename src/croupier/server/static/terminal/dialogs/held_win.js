// The dialog of a held win.

import { openDialog } from "../../shared/dialog.js";
import { clauseInfo } from "../../shared/clause.js";
import { button, each, el, icon, text } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui */
export function openHeldWin(ui) {
  const sum = el("bdi", {});
  const held = el("ul", { class: "log" });
  const update = (/** @type {TerminalView} */ view) => {
    const { seat } = view;
    // The win was released or paid by hand.
    if (!seat?.held) return dialog.close();
    text(sum, amount(seat.held));
    each(
      held,
      (seat.holds ?? []).map((hold, place) => ({ ...hold, place })),
      (hold) => `${hold.place} ${hold.amount} ${hold.clause}`,
      (hold) => row(ui, hold),
    );
  };
  const dialog = openDialog({
    name: "hold",
    title: say("hold.title"),
    body: [
      el("div", { class: "sign" }, icon("form")),
      el("p", {}, say("hold.why")),
      el("p", { class: "sum" }, sum),
      held,
      el("p", { class: "next" }, icon("alert"), el("span", {}, say("hold.attendant"))),
      el("p", { class: "quiet" }, say("hold.after")),
    ],
    foot: [
      button(say("hold.back"), () => dialog.close()),
      button(say("attendant.title"), () => ui.dialogs.attendant(), { class: "main" }),
    ],
    update,
  });
  update(ui.seated());
}

/** @param {Controller} ui @param {{amount: number, clause: string | null}} hold */
const row = (ui, { amount: cents, clause }) =>
  el(
    "li",
    { class: "one" },
    el("p", {}, say("hold.win", { amount: amount(cents) })),
    clauseInfo((one) => ui.dialogs.rules(one), clause).node,
  );
