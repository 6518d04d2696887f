// Reports: a gaming day of the whole house or of one table, as paper.

import { button, el, field } from "../kit/dom.js";
import { openPaper } from "./paper.js";

/** What is asked for by a date, and by the table where there is one. @param {import("./desk.js").Desk} desk
 * @returns {import("./desk.js").Part} */
export function reports(desk) {
  const date = el("input", { type: "date", name: "day" });
  const table = el("select", { name: "table" });
  const day = () => (date.value === "" ? null : Number(date.value.replaceAll("-", "")));
  const node = el(
    "section",
    { class: "card reports" },
    el("h2", {}, "Reports"),
    field("Gaming day (today if empty)", date),
    el(
      "div",
      { class: "row" },
      button("Day report", () => openPaper(desk, { type: "day_report", day: day() })),
    ),
    el(
      "div",
      { class: "row" },
      field("Table", table),
      button("Table report", () => openPaper(desk, { type: "table_report", table: table.value, day: day() })),
    ),
  );
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const names = Object.keys(view.tables).sort();
    if (names.length !== table.options.length)
      table.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
  };
  return { node, update };
}
