// The slip: what the printer of this terminal prints, shown until it is taken; the browser can print it too.

import { button, el } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { money } from "../../kit/money.js";
import { openSheet } from "../../kit/sheet.js";
import { locale, say } from "../../kit/words.js";
import { dayOf } from "./when.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {import("./visit.js").Slip} Slip */

/** What credits are paid as. @type {Record<string, string>} */
const FORMS = {
  payment_slip: "slip.payment_slip",
  ticket: "slip.ticket",
  currency: "slip.currency",
  chips: "slip.chips",
};

/** @param {string} form */
export const formWords = (form) => say(FORMS[form] ?? "slip.ticket");

/** Show a slip. When it is closed it counts as printed and taken. @param {Ui} ui @param {Slip} slip */
export function openSlip(ui, slip) {
  const printed = { type: "ConfirmPrint", terminal: slip.terminal, sequence: slip.sequence };
  const sheet = openSheet({
    name: `slip-${slip.sequence}`,
    title: formWords(slip.form),
    look: "narrow",
    light: false,
    body: [paper(ui, slip)],
    foot: [
      button(el("span", {}, icon("print"), el("span", {}, say("slip.print"))), () => print()),
      button(say("slip.taken"), () => sheet.close(), { class: "main" }),
    ],
    closed: () => ui.session.ask(printed),
  });
  sheet.node.classList.add("slip");
}

/** @param {Ui} ui @param {Slip} slip */
function paper(ui, slip) {
  const worth = ui.session.demo || ui.view().fixture?.practice ? say("slip.worthless") : say("slip.cashier");
  return el(
    "div",
    { class: "paper" },
    el("p", { class: "venue" }, slip.venue),
    el("p", { class: "form" }, formWords(slip.form)),
    slip.duplicate ? el("p", { class: "again" }, say("slip.duplicate", { n: slip.duplicate })) : null,
    el("p", { class: "sum" }, el("bdi", {}, money(slip.amount, slip.currency, locale()))),
    el(
      "dl",
      {},
      row(say("slip.number"), grouped(slip.number), "ltr"),
      row(say("slip.issued"), dayOf(slip.issued_at_us)),
      row(say("slip.where"), slip.terminal, "ltr"),
      row(say("slip.sequence"), String(slip.sequence), "ltr"),
    ),
    el("p", { class: "worth" }, worth),
  );
}

/** What is printed here as it is reads from the left in every language.
 * @param {string} name @param {string} words @param {string} [dir] */
const row = (name, words, dir) => el("div", {}, el("dt", {}, name), el("dd", { dir }, words));

/** A number in groups of four, as it is read out. @param {string} number */
const grouped = (number) => number.replace(/(.{4})(?=.)/g, "$1 ");
