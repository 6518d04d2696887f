// Reports: a gaming day of the whole house in one currency, or of one table, as paper.

import { button, el, field, form, shown } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { openPaper } from "./paper.js";

/** @typedef {import("./desk.js").Desk} Desk */

const DAY_MS = 86_400_000;

/** What is asked for by a date, and by the table where there is one. @param {Desk} desk
 * @returns {import("./desk.js").Part} */
export function reports(desk) {
  const date = el("input", { type: "date", name: "day" });
  const table = el("select", { name: "table" });
  const currency = currencyField(desk);
  const node = el(
    "section",
    { class: "card reports" },
    el("h2", {}, "Reports"),
    field("Gaming day (today if empty)", date),
    el(
      "div",
      { class: "row" },
      currency.node,
      button("Day report", () => openPaper(desk, { type: "day_report", day: dayOf(date), currency: currency.value })),
    ),
    el(
      "div",
      { class: "row" },
      field("Table", table),
      button("Table report", () => openPaper(desk, { type: "table_report", table: table.value, day: dayOf(date) })),
    ),
  );
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    listed(table, Object.keys(view.tables).sort());
    currency.update();
  };
  return { node, update };
}

/** Ask for a gaming day that is over, and show its report. @param {Desk} desk */
export function openDayReport(desk) {
  const now = new Date((desk.session.now() ?? 0) / 1000 - DAY_MS);
  const date = el("input", { type: "date", name: "day", required: true, value: now.toLocaleDateString("sv") });
  const currency = currencyField(desk);
  const made = form(
    { class: "fields", id: "day-report-form" },
    () => openPaper(desk, { type: "day_report", day: dayOf(date), currency: currency.value }),
    field("Gaming day that is over", date),
    currency.node,
  );
  currency.update();
  const sheet = openSheet({
    name: "day-report",
    title: "Day close report",
    look: "narrow",
    body: [made],
    foot: [
      button("Close", () => sheet.close()),
      el("button", { class: "main", form: "day-report-form" }, "Show the report"),
    ],
    update: currency.update,
  });
}

/** The currencies that the house plays in, each once; none until all tables have told theirs. @param {Desk} desk */
export function currenciesOf(desk) {
  const found = new Set(Object.keys(desk.view.tables).map((table) => desk.felt(table)?.currency ?? ""));
  return found.has("") ? [] : [...found].sort();
}

/** The currency of a report, which is asked for where there are several. @param {Desk} desk */
function currencyField(desk) {
  const select = el("select", { name: "currency" });
  const node = field("Currency", select);
  const update = () => {
    listed(select, currenciesOf(desk));
    shown(node, select.options.length > 1);
  };
  return {
    node,
    update,
    get value() {
      return select.value || null;
    },
  };
}

/** @param {HTMLSelectElement} select @param {string[]} names */
function listed(select, names) {
  if (names.length !== select.options.length)
    select.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
}

/** @param {HTMLInputElement} date */
const dayOf = ({ value }) => (value === "" ? null : Number(value.replaceAll("-", "")));
