// How a seat gets credit: at once in a demonstration, elsewhere as the terminal takes it.

import { money } from "../../shared/money.js";
import { locale, say } from "../../shared/text.js";

/** @typedef {import("../controller.js").Controller} Controller */

/** Put money on the seat: play money in a demonstration; elsewhere the dialog says how. @param {Controller} ui */
export function insertMoney(ui) {
  if (!ui.session.demo) return ui.dialogs.money();
  ui.session.send({ t: "practice" });
}

/** How this seat is funded, in words. @param {Controller} ui */
export function fundingText(ui) {
  const { fixture } = ui.seated();
  const notes = fixture.notes
    .map((/** @type {number} */ value) => money(value, fixture.currency, locale(), "narrowSymbol"))
    .join(", ");
  if (!notes) return say("funding.attendant");
  return say((fixture.tickets ?? ui.data()?.tickets) ? "funding.notes-tickets" : "funding.notes", { notes });
}
