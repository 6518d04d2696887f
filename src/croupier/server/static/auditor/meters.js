// The meters of every terminal.

import { citing, timeOf } from "../console/text.js";
import { grid } from "../console/widgets.js";
import { openSheet } from "../shared/dialog.js";
import { button, el, text } from "../shared/dom.js";

/**
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../shared/types/console.js").ToldMeters} Told
 */

/**
 * @typedef {{terminal: string, table: string}} Seat
 */

/** @param {Desk} desk @returns {import("../console/client.js").Part} */
export function meters(desk) {
  /** The meters read, by terminal. @type {Map<string, Told>} */
  const read = new Map();
  const says = el("p", { role: "status" }, "Not read yet.");
  const sum =
    (/** @type {string} */ name) =>
    (/** @type {Seat} */ { terminal, table }) =>
      desk.amount(read.get(terminal)?.meters[name] ?? null, table);
  const rows = grid({
    label: "Meters of terminals",
    key: ({ terminal }) => terminal,
    empty: "There are no terminals.",
    columns: [
      { head: "Terminal", cell: (/** @type {Seat} */ seat) => opener(desk, seat, read) },
      { head: "Games", cell: ({ terminal }) => read.get(terminal)?.meters.games ?? "–", sum: true },
      { head: "Staked", cell: sum("turnover"), sum: true },
      { head: "Returned", cell: sum("returned"), sum: true },
      { head: "Self-audit", cell: ({ terminal, table }) => verdict(desk, read.get(terminal), table) },
    ],
  });
  const readAll = async () => {
    reader.disabled = true;
    for (const { terminal } of seatsOf(desk.view)) {
      const told = await desk.enquire("meters", { terminal });
      if (told.t === "refused") {
        text(says, citing(told.refusal));
        break;
      }
      read.set(terminal, told);
      const wrong = [...read.values()].filter(({ sound }) => !sound).length;
      const verdict = wrong === 0 ? "all add up" : `${wrong} do not add up`;
      text(says, `${read.size} read at ${timeOf(desk.session.now() ?? 0)}; ${verdict}.`);
    }
    reader.disabled = false;
    update(desk.view);
  };
  const reader = button("Read all meters", () => void readAll());
  const top = el("div", { class: "row" }, reader, says);
  const node = el("section", { class: "card meters" }, el("h2", {}, "Meters and self-audit"), top, rows.node);
  const update = (/** @type {import("../shared/store.js").State} */ view) => rows.update(seatsOf(view));
  return { node, update };
}

/**
 * Each terminal once, with a table that it plays at.
 * @param {import("../shared/store.js").State} view @returns {Seat[]}
 */
function seatsOf(view) {
  const seats = new Map();
  for (const [table, { seats: there }] of Object.entries(view.floor?.tables ?? {}))
    for (const { terminal } of there) if (!seats.has(terminal)) seats.set(terminal, { terminal, table });
  return [...seats.values()].sort((one, other) => one.terminal.localeCompare(other.terminal, "en", { numeric: true }));
}

/** @param {Desk} desk @param {Told | undefined} told @param {string} table */
const verdict = (desk, told, table) =>
  !told ? "Not read" : told.sound ? "Adds up" : `${desk.amount(told.difference, table)} missing`;

/** @param {Desk} desk @param {Seat} seat @param {Map<string, Told>} read */
function opener(desk, { terminal, table }, read) {
  const open = async () => {
    const told = await desk.enquire("meters", { terminal });
    if (told.t !== "refused") read.set(terminal, told);
    openSheet({
      name: "meters",
      title: `Meters of ${terminal}`,
      body:
        told.t === "refused"
          ? [el("p", { class: "reply" }, citing(told.refusal))]
          : [el("p", {}, `Read at ${timeOf(desk.session.now() ?? 0)}.`), ...linesOf(desk, table, told)],
    });
  };
  return button(terminal, () => void open(), { class: "small" });
}

/** @param {Desk} desk @param {string} table @param {Told} told */
function linesOf(desk, table, { meters: counted, by_meters: by, on_terminal: on, difference, sound }) {
  const amount = (/** @type {number} */ cents) => desk.amount(cents, table);
  const list = (/** @type {[string, string][]} */ facts) =>
    el("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  return [
    el("p", { class: sound ? "sound" : "reply" }, sound ? "It adds up." : `${amount(difference)} are missing.`),
    el("h3", {}, "By the meters"),
    list([["Games", String(counted.games)], ...by.map((line) => pair(line, amount))]),
    el("h3", {}, "On the terminal"),
    list(on.map((line) => pair(line, amount))),
  ];
}

/** @param {import("../shared/types/console.js").AuditLine} line @param {(cents: number) => string} amount
 * @returns {[string, string]} */
const pair = ({ words, amount: cents }, amount) => [words, amount(cents)];
