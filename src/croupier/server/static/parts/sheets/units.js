// The units: what amounts are written in, and what one credit is worth.

import { money } from "../../kit/money.js";
import { locale, say } from "../../kit/words.js";
import { choice } from "./choice.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** Write cents in the currency, whatever amounts are written in. @param {number} cents @param {string} currency */
export const cash = (cents, currency) => money(cents, currency, locale(), "narrowSymbol");

/** What amounts are written in. @param {Ui} ui */
export const unitChoice = (ui) =>
  choice(
    say("settings.units"),
    [
      { value: "currency", words: say("settings.currency", { currency: ui.view().fixture.currency }) },
      { value: "credits", words: say("settings.credits") },
    ],
    () => ui.prefs.now.units,
    (units) => ui.prefs.set({ units: /** @type {"currency" | "credits"} */ (units) }),
  );

/** What one credit is worth, where there is a choice; the house may say no.
 * @param {Ui} ui @param {import("./reply.js").Reply} told */
export function denominationChoice(ui, told) {
  const { fixture } = ui.view();
  if (fixture.denominations.length < 2) return null;
  const choices = fixture.denominations.map((/** @type {number} */ cents) => ({
    value: cents,
    words: cash(cents, fixture.currency),
  }));
  const choose = (/** @type {number} */ denomination) =>
    told.await(ui.session.ask({ type: "ChooseDenomination", terminal: fixture.terminal, denomination }));
  return choice(say("settings.denomination"), choices, () => chosen(ui.view()), choose);
}

/** What one credit is worth, or is to be worth as soon as the house has answered.
 * @param {any} view @returns {number} */
function chosen({ seat, pending }) {
  const asked = pending.map((/** @type {any} */ wish) => wish.message.command).filter(Boolean);
  const last = asked.findLast((/** @type {any} */ command) => command.type === "ChooseDenomination");
  return last?.denomination ?? seat.denomination;
}
