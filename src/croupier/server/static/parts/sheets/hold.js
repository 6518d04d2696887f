// The hold: a win that waits for its form, what is held and why, and whom to call.

import { button, each, el, text } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { amount } from "../../kit/money.js";
import { openSheet, sheetNamed } from "../../kit/sheet.js";
import { say } from "../../kit/words.js";
import { openRules } from "./rules.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui */
export function openHold(ui) {
  const sum = el("bdi", {});
  const held = el("ul", { class: "log" });
  const update = (/** @type {any} */ view) => {
    const { seat } = view;
    // Released or paid by hand, there is nothing to wait for any more.
    if (!seat?.held) return sheet.close();
    text(sum, amount(seat.held));
    each(
      held,
      (seat.holds ?? []).map((/** @type {any} */ hold, /** @type {number} */ place) => ({ ...hold, place })),
      (hold) => `${hold.place} ${hold.amount} ${hold.clause}`,
      (hold) => row(ui, hold),
    );
  };
  const sheet = openSheet({
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
    foot: [button(say("hold.back"), () => sheet.close())],
    update,
  });
  update(ui.view());
}

/** @param {Ui} ui @param {{amount: number, clause: string | null}} hold */
const row = (ui, { amount: cents, clause }) =>
  el(
    "li",
    { class: "one" },
    el("p", {}, say("hold.win", { amount: amount(cents) })),
    clause ? button(say("clause", { clause }), () => openRules(ui, clause), { class: "clause" }) : null,
  );

/** Show the hold when a win comes to be held, once for each. @param {Ui} ui */
export function holdWatch(ui) {
  let before = 0;
  return (/** @type {any} */ view) => {
    const held = view.seat?.held ?? 0;
    if (held > before && !sheetNamed("hold")) openHold(ui);
    before = held;
  };
}
