// Hand pays: held wins, and amounts owed to players after a correction.

import { openPaper } from "../console/documents.js";
import { askSheet, pressOnce } from "../console/forms.js";
import { debtsPart } from "../console/receivables.js";
import { clauseMark, wordOf } from "../console/text.js";
import { grid, pill } from "../console/widgets.js";
import { button, el, shown, text } from "../shared/dom.js";
import { money } from "../shared/money.js";

/**
 * @typedef {import("../shared/types/console.js").DebtRow} DebtRow
 * @typedef {import("../shared/types/console.js").HoldRow} HoldRow
 * @typedef {import("./state.js").Till} Till
 */

/** @param {Till} till @returns {import("../console/client.js").Part} */
export function holds(till) {
  const waiting = grid({
    label: "Wins that are held",
    columns: [
      { head: "Terminal", cell: ({ terminal }) => terminal },
      { head: "Table and round", cell: ({ table, round }) => `${table}, ${round}` },
      { head: "Win", cell: ({ amount, currency }) => money(amount, currency), sum: true },
      { head: "Form", cell: formPill },
      { head: "", cell: (/** @type {HoldRow} */ row) => actions(till, row) },
    ],
    key: (/** @type {HoldRow} */ { terminal, hold, recorded }) =>
      `${terminal} ${hold} ${recorded} ${till.drawer?.drawer}`,
    empty: "No win waits for a form.",
  });
  const title = el("h2", {});
  const more = el("p", { class: "none" });
  const node = el("section", { class: "card holds", "aria-label": "Hand pays" }, title, waiting.node, more);
  const update = (/** @type {import("../shared/store.js").State} */ { floor }) => {
    const [rows, left] = [floor?.holds ?? [], floor?.holds_more ?? 0];
    text(title, rows.length > 0 ? `Hand pays: ${rows.length + left}` : "Hand pays");
    waiting.update(rows);
    text(more, left > 0 ? `And ${left} more.` : "");
    shown(more, left > 0);
  };
  return { node, update };
}

/** @param {HoldRow} row */
const formPill = ({ form, clause, recorded }) =>
  el(
    "span",
    {},
    pill(recorded ? { says: `${form} recorded`, look: "ok" } : { says: `${form} required`, look: "warn" }),
    " ",
    el("small", {}, clauseMark(clause)),
  );

/** @param {Till} till @param {HoldRow} row */
function actions(till, row) {
  const { terminal, hold, amount, currency, form } = row;
  if (!row.recorded) return button(`Record ${form}…`, () => record(till, row), { class: "main small" });
  const drawer = till.drawer?.drawer;
  const [pay, credit] = [() => payHold(till, row, drawer ?? ""), () => toCredits(till, { terminal, hold })];
  return el(
    "span",
    { class: "buttons" },
    button(`Pay ${money(amount, currency)}`, ({ currentTarget: key }) => pressOnce(key, pay), {
      class: "main small",
      disabled: !drawer,
    }),
    button("To credits", ({ currentTarget: key }) => pressOnce(key, credit), { class: "small" }),
    button(form, () => openPaper(till.desk, { type: "tax_form", hold }), {
      class: "small",
      "aria-label": `Show the ${form} of ${terminal}`,
    }),
  );
}

/** @param {Till} till @param {HoldRow} row */
function record(till, { terminal, hold, form, clause, bases, basis, currency }) {
  const counted = Object.entries(bases).flatMap(([name, cents]) => [
    el("dt", {}, wordOf(name) + (name === basis ? ", which counts here" : "")),
    el("dd", {}, money(cents, currency)),
  ]);
  askSheet({
    name: "tax-form",
    title: `${form} for ${terminal} ${clauseMark(clause)}`,
    about: [el("dl", { class: "facts" }, ...counted)],
    fields: [
      { name: "patron", label: "The patron's name" },
      { name: "form_number", label: "Number of the form" },
    ],
    does: "Record it",
    send: ({ patron, form_number }) => till.ask({ type: "RecordTaxForm", terminal, hold, patron, form_number }),
    done: () => openPaper(till.desk, { type: "tax_form", hold }),
  });
}

/** @param {Till} till @param {HoldRow} row @param {string} drawer */
async function payHold(till, { terminal, hold }, drawer) {
  const { paid, refusal } = await till.ask({ type: "PayHeldWin", terminal, hold, drawer });
  till.desk.tell(refusal);
  if (paid) till.hand(paid, `Held win of ${terminal}`, { type: "hold_receipt", hold });
}

/** @param {Till} till @param {{terminal: string, hold: number}} of */
async function toCredits(till, { terminal, hold }) {
  const { refusal } = await till.ask({ type: "ReleaseHeldWin", terminal, hold });
  till.desk.tell(refusal);
  if (!refusal) till.say(`The win is on ${terminal} as credits.`);
}

// Payables: what a correction brought a player whose session had ended, paid by a slip once a second person has signed.

/** @param {Till} till @returns {import("../console/client.js").Part} */
export function payables(till) {
  const list = debtsPart(
    (row) => (row.payable > 0 ? payButton(till, row) : "The player owes it"),
    () => till.drawer?.drawer,
  );
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
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

/**
 * Once the signed payable is gone, its payment slip shows whether it was paid.
 * @param {Till} till
 * @param {DebtRow[]} rows
 */
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
