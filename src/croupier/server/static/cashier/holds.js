// Hand pays: wins that are held until their tax form is recorded, and then paid from a drawer or put on the terminal.

import { button, el, shown, text } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { askSheet } from "../staff/askform.js";
import { grid } from "../staff/grid.js";
import { openPaper } from "../staff/paper.js";
import { pill } from "../staff/pill.js";
import { pressOnce } from "../staff/press.js";
import { clauseMark, wordOf } from "../staff/words.js";

/** @typedef {import("../kit/consoles.js").HoldRow} HoldRow */
/** @typedef {import("./till.js").Till} Till */

/** @param {Till} till @returns {import("../staff/desk.js").Part} */
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
  const update = (/** @type {import("../kit/store.js").State} */ { floor }) => {
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
  const { paid, refusal } = await till.ask({ type: "PayHold", terminal, hold, drawer });
  till.desk.tell(refusal);
  if (paid) till.hand(paid, `Held win of ${terminal}`, { type: "hold_receipt", hold });
}

/** @param {Till} till @param {{terminal: string, hold: number}} of */
async function toCredits(till, { terminal, hold }) {
  const { refusal } = await till.ask({ type: "ReleaseHold", terminal, hold });
  till.desk.tell(refusal);
  if (!refusal) till.say(`The win is on ${terminal} as credits.`);
}
