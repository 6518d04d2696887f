// Payables: what a correction brought a player whose session had ended, paid by a slip once somebody else has signed too.

import { button, el } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { askSheet } from "../staff/askform.js";
import { debtsPart } from "../staff/debts.js";

/** @typedef {import("../kit/consoles.js").DebtRow} DebtRow */
/** @typedef {import("./till.js").Till} Till */

/** @param {Till} till @returns {import("../staff/desk.js").Part} */
export function payables(till) {
  const list = debtsPart(
    (row) => (row.payable > 0 ? payButton(till, row) : "The player owes it"),
    () => till.drawer?.drawer,
  );
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    list.update(view);
    void handOut(till, view.floor?.debts ?? []);
  };
  return { node: list.node, update };
}

/** @param {Till} till @param {DebtRow} row */
const payButton = (till, row) =>
  button(`Pay ${money(row.payable, row.currency)}…`, () => sign(till, row), {
    class: "main small",
    disabled: !till.drawer,
  });

/** @param {Till} till @param {DebtRow} row */
function sign(till, row) {
  const { terminal, session, payable: amount, currency, table, round, form } = row;
  const drawer = till.drawer?.drawer ?? "";
  askSheet({
    name: "pay-payable",
    title: `Pay ${money(amount, currency)} for ${terminal}`,
    about: [
      el("p", {}, `Round ${round} of ${table} was corrected after the session had ended. It is paid from ${drawer}.`),
    ],
    fields: [
      { name: "patron", label: "The player's name, as identified" },
      ...(form ? [{ name: "form_number", label: `Number of the ${form} form` }] : []),
    ],
    does: "Sign",
    dual: true,
    send: ({ patron, form_number = "" }) =>
      till.ask({ type: "PayPayable", terminal, session, drawer, amount, patron, form_number }),
    done: () => {
      till.signed = { row, drawer };
      till.say("Signed. It is paid once somebody at the pit has signed it too, within two minutes.");
    },
  });
}

/** Once what was signed here is payable no more, its slip says whether it was paid. @param {Till} till
 * @param {DebtRow[]} rows */
async function handOut(till, rows) {
  const { signed } = till;
  if (!signed) return;
  const { terminal, session, payable: amount, currency } = signed.row;
  if (rows.some((row) => row.terminal === terminal && row.session === session && row.payable === amount)) return;
  till.signed = null;
  const slip = /** @type {const} */ ({ type: "payment_slip", terminal, session });
  const frame = await till.desk.enquire("paper", { form: "screen", document: slip });
  if (frame.t !== "paper") {
    till.say(`Nothing was paid for ${terminal}: a correction has changed what is owed.`);
    return;
  }
  const paid = { amount, currency, drawer: signed.drawer, terminal, sequence: null, hold: null, notes: [], coins: 0 };
  till.hand(paid, `Payment slip for ${terminal}`, slip);
}
