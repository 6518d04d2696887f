// The printed slip.

import { openDialog } from "../../shared/dialog.js";
import { money } from "../../shared/money.js";
import { button, h, icon } from "../../shared/render.js";
import { locale, say } from "../../shared/text.js";
import { venueTime } from "../../shared/times.js";
import { barcode } from "./slips.js";

/**
 * @typedef {import("./messages.js").Slip} Slip
 * @typedef {import("../controller.js").Controller} Controller
 */

/** How credits are paid. @type {Record<string, string>} */
const FORMS = {
  payment_slip: "slip.payment_slip",
  ticket: "slip.ticket",
  currency: "slip.currency",
  chips: "slip.chips",
};

/** @param {string} form */
export const formText = (form) => say(FORMS[form] ?? "slip.ticket");

/** Show a slip. Closing it confirms the print. @param {Controller} ui @param {Slip} slip */
export function openSlip(ui, slip) {
  const printed = { type: "ConfirmPrint", terminal: slip.terminal, sequence: slip.sequence };
  const dialog = openDialog({
    name: `slip-${slip.sequence}`,
    title: formText(slip.form),
    look: "narrow",
    light: false,
    body: () => slipView(ui, slip),
    foot: () => [
      button(h("span", null, icon("print"), h("span", null, say("slip.print"))), () => print()),
      button(say("slip.taken"), () => dialog.close(), { class: "main" }),
    ],
    closed: () => ui.session.sendCommand(printed),
  });
  dialog.node.classList.add("slip");
}

/** @param {Controller} ui @param {Slip} slip */
function slipView(ui, slip) {
  const worth = ui.session.demo || ui.view().fixture?.practice ? say("slip.worthless") : say("slip.cashier");
  return h(
    "div",
    { class: "paper" },
    h("p", { class: "venue" }, slip.venue),
    h("p", { class: "form" }, formText(slip.form)),
    slip.duplicate && h("p", { class: "again" }, say("slip.duplicate", { n: slip.duplicate })),
    h("p", { class: "sum" }, h("bdi", null, money(slip.amount, slip.currency, locale()))),
    h(
      "dl",
      null,
      row(say("slip.number"), grouped(slip.number), "ltr"),
      row(say("slip.issued"), dayOf(slip.issued_at_us)),
      row(say("slip.where"), slip.terminal, "ltr"),
      row(say("slip.sequence"), String(slip.sequence), "ltr"),
    ),
    barcode(slip.number),
    h("p", { class: "worth" }, worth),
  );
}

/**
 * Printed values read from left to right in every language.
 * @param {string} name @param {string} words @param {string} [dir]
 */
const row = (name, words, dir) => h("div", null, h("dt", null, name), h("dd", { dir }, words));

/** A number in groups of four digits. @param {string} number */
const grouped = (number) => number.replace(/(.{4})(?=.)/g, "$1 ");

/** Server time as date and time. @param {number} us */
const dayOf = (us) => venueTime(us, locale(), { dateStyle: "medium", timeStyle: "medium" });
