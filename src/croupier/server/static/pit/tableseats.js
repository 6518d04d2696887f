// The seats of a table as the pit sees them: money, stakes, and what is the matter with each.

import { button, el } from "../kit/dom.js";
import { grid } from "../staff/grid.js";
import { pill } from "../staff/pill.js";
import { openTerminal } from "./terminal.js";
import { marksOf } from "./terminalwords.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").SeatRow} SeatRow
 * @typedef {import("../staff/pill.js").Pill} Pill
 */

/** @param {Desk} desk @param {string} name @returns {import("../staff/desk.js").Part} */
export function seatsView(desk, name) {
  const made = grid({
    label: `Seats of table ${name}`,
    columns: [
      { head: "Terminal", cell: (/** @type {SeatRow} */ { terminal }) => opener(desk, name, terminal) },
      { head: "Credit", cell: ({ credit }) => desk.amount(credit, name), sum: true },
      { head: "Staked", cell: ({ staked }) => desk.amount(staked, name), sum: true },
      { head: "State", cell: () => el("span", { class: "pills" }) },
    ],
    key: ({ terminal }) => terminal,
    empty: "This table has no terminal.",
    change: (line, row) => paint(/** @type {HTMLElement} */ (line.lastElementChild?.firstElementChild), marksOf(row)),
  });
  const node = el("section", { class: "seats" }, el("h3", {}, "Seats"), made.node);
  return { node, update: (view) => made.update(view.floor?.tables?.[name]?.seats ?? []) };
}

/** @param {Desk} desk @param {string} table @param {string} terminal */
const opener = (desk, table, terminal) =>
  button(terminal, () => openTerminal(desk, { table, terminal }), {
    class: "small",
    "aria-label": `Terminal ${terminal}`,
  });

/** @param {HTMLElement} host @param {Pill[]} marks */
function paint(host, marks) {
  const wanted = JSON.stringify(marks);
  if (host.dataset.shows === wanted) return;
  host.dataset.shows = wanted;
  host.replaceChildren(...marks.map(pill));
}
