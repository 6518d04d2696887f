// Hand pays: held wins, and amounts owed to players after a correction.

import { openDocument } from "../console/documents.js";
import { openForm, pressOnce } from "../console/forms.js";
import { receivables } from "../console/receivables.js";
import { worded } from "../console/text.js";
import { dataTable, factList, statusPill } from "../console/widgets.js";
import { money } from "../shared/money.js";
import { button, h } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { clauseMark } from "../shared/clause.js";

/**
 * @typedef {import("../shared/types/console.js").DebtRow} DebtRow
 * @typedef {import("../shared/types/console.js").HoldRow} HoldRow
 * @typedef {import("./state.js").CashierState} CashierState
 */

/** @param {CashierState} state @param {import("../shared/store.js").State} view */
export function heldWins(state, { floor }) {
  const [rows, left] = [floor?.holds ?? [], floor?.holds_more ?? 0];
  return h(
    "section",
    { class: "card holds", "aria-label": say("hold.title") },
    h("h2", null, rows.length > 0 ? say("hold.title-n", { n: rows.length + left }) : say("hold.title")),
    dataTable({
      label: say("hold.list"),
      columns: [
        { head: say("hold.terminal"), cell: ({ terminal }) => terminal },
        { head: say("hold.round"), cell: ({ table, round }) => `${table}, ${round}` },
        { head: say("hold.win"), cell: ({ amount, currency }) => money(amount, currency, locale()), sum: true },
        { head: say("hold.form"), cell: formPill },
        { head: "", cell: (row) => actions(state, row) },
      ],
      rows,
      key: ({ terminal, hold }) => `${terminal} ${hold}`,
      empty: say("hold.none"),
    }),
    left > 0 && h("p", { class: "none" }, say("hold.more", { n: left })),
  );
}

/** @param {HoldRow} row */
const formPill = ({ form, clause, recorded }) =>
  h(
    "span",
    {},
    statusPill(
      recorded
        ? { says: say("hold.recorded", { form }), look: "ok" }
        : { says: say("hold.required", { form }), look: "warn" },
    ),
    " ",
    h("small", null, clauseMark(clause)),
  );

/** @param {CashierState} state @param {HoldRow} row */
function actions(state, row) {
  const { terminal, hold, amount, currency, form } = row;
  if (!row.recorded) return button(say("hold.record", { form }), () => record(state, row), { class: "main small" });
  const drawer = state.drawerFor(currency)?.drawer;
  const [pay, credit] = [() => payHold(state, row, drawer ?? ""), () => releaseHold(state, { terminal, hold })];
  return h(
    "span",
    { class: "buttons" },
    button(
      say("hold.pay", { amount: money(amount, currency, locale()) }),
      ({ currentTarget: key }) => pressOnce(key, pay),
      {
        class: "main small",
        disabled: !drawer,
      },
    ),
    button(say("hold.credit"), ({ currentTarget: key }) => pressOnce(key, credit), { class: "small" }),
    button(form, () => openDocument(state.client, { type: "tax_form", hold }), {
      class: "small",
      "aria-label": say("hold.show", { form, terminal }),
    }),
  );
}

/** @param {CashierState} state @param {HoldRow} row */
function record(state, { terminal, hold, form, clause, bases, basis, currency }) {
  const counted = Object.entries(bases).map(
    ([name, cents]) => /** @type {[string, string]} */ ([
      name === basis ? say("hold.counts", { basis: worded("basis.", name) }) : worded("basis.", name),
      money(cents, currency, locale()),
    ]),
  );
  openForm({
    name: "tax-form",
    title: `${say("hold.record-title", { form, terminal })} ${clauseMark(clause)}`,
    about: factList(counted),
    fields: [
      { name: "patron", label: say("hold.patron") },
      { name: "form_number", label: say("hold.form-number") },
    ],
    does: say("hold.save"),
    send: ({ patron, form_number }) =>
      state.sendCommand({ type: "RecordTaxForm", terminal, hold, patron, form_number }),
    done: () => openDocument(state.client, { type: "tax_form", hold }),
  });
}

/** @param {CashierState} state @param {HoldRow} row @param {string} drawer */
async function payHold(state, { terminal, hold }, drawer) {
  const { paid, refusal } = await state.sendCommand({ type: "PayHeldWin", terminal, hold, drawer });
  state.client.showRefusal(refusal);
  if (paid) state.handOut(paid, say("hold.what", { terminal }), { type: "hold_receipt", hold });
}

/** @param {CashierState} state @param {{terminal: string, hold: number}} of */
async function releaseHold(state, { terminal, hold }) {
  const { refusal } = await state.sendCommand({ type: "ReleaseHeldWin", terminal, hold });
  state.client.showRefusal(refusal);
  if (!refusal) state.showNote(say("hold.credited", { terminal }));
}

// Payables: what a correction brought a player whose session had ended, paid by a slip once a second person has signed.

/** @param {CashierState} state @param {import("../shared/store.js").State} view */
export const payables = (state, view) =>
  receivables(
    view,
    (row) => (!row.terminal ? say("debts.at-table") : row.payable > 0 ? payButton(state, row) : say("payable.owes")),
  );

/** @param {CashierState} state @param {DebtRow} row */
const payButton = (state, row) =>
  button(say("payable.pay", { amount: money(row.payable, row.currency, locale()) }), () => sign(state, row), {
    class: "main small",
    disabled: !state.drawerFor(row.currency),
  });

/** @param {CashierState} state @param {DebtRow} row */
function sign(state, row) {
  const { terminal, session, payable: amount, currency, table, round, form } = row;
  const drawer = state.drawerFor(currency)?.drawer ?? "";
  openForm({
    name: "pay-payable",
    title: say("payable.title", { amount: money(amount, currency, locale()), terminal }),
    about: [h("p", null, say("payable.about", { round, table, drawer }))],
    fields: [
      { name: "patron", label: say("payable.patron") },
      ...(form ? [{ name: "form_number", label: say("payable.form", { form }) }] : []),
    ],
    does: say("ticket.sign"),
    dual: true,
    send: ({ patron, form_number = "" }) =>
      state.sendCommand({ type: "PayPayable", terminal, session, drawer, amount, patron, form_number }),
    done: () => {
      state.signed = { row, drawer };
      state.showNote(say("payable.signed"));
    },
  });
}

/**
 * Once the signed payable is gone, its payment slip shows whether it was paid.
 * @param {CashierState} state
 * @param {DebtRow[]} rows
 */
export async function handOutSigned(state, rows) {
  const { signed } = state;
  if (!signed) return;
  const { terminal, session, payable: amount, currency } = signed.row;
  if (rows.some((row) => row.terminal === terminal && row.session === session && row.payable === amount)) return;
  state.signed = null;
  const slip = /** @type {const} */ ({ type: "payment_slip", terminal, session });
  const frame = await state.client.query("paper", { form: "screen", document: slip });
  if (frame.t !== "paper") {
    state.showNote(say("payable.changed", { terminal }));
    return;
  }
  const none = { sequence: null, hold: null, notes: [], coins: 0, values: [] };
  const paid = { ...none, amount, currency, drawer: signed.drawer, terminal };
  state.handOut(paid, say("payable.slip", { terminal }), slip);
}
