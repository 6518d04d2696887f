// The meters of every terminal.

import { withClause, timeOf } from "../console/text.js";
import { grid } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, text } from "../shared/dom.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").MetersResult} MetersResponse
 */

/**
 * @typedef {{terminal: string, table: string}} Seat
 */

/** @param {ConsoleClient} client @returns {import("../console/client.js").Part} */
export function meters(client) {
  /** The meters read, by terminal. @type {Map<string, MetersResponse>} */
  const read = new Map();
  const says = el("p", { role: "status" }, "Not read yet.");
  const sum =
    (/** @type {string} */ name) =>
    (/** @type {Seat} */ { terminal, table }) =>
      client.amount(read.get(terminal)?.meters[name] ?? null, table);
  const rows = grid({
    label: "Meters of terminals",
    key: ({ terminal }) => terminal,
    empty: "There are no terminals.",
    columns: [
      { head: "Terminal", cell: (/** @type {Seat} */ seat) => opener(client, seat, read) },
      { head: "Games", cell: ({ terminal }) => read.get(terminal)?.meters.games ?? "–", sum: true },
      { head: "Staked", cell: sum("turnover"), sum: true },
      { head: "Returned", cell: sum("returned"), sum: true },
      { head: "Self-audit", cell: ({ terminal, table }) => verdict(client, read.get(terminal), table) },
    ],
  });
  const readAll = async () => {
    reader.disabled = true;
    for (const { terminal } of seatsOf(client.view)) {
      const response = await client.query("meters", { terminal });
      if (response.t === "refused") {
        text(says, withClause(response.refusal));
        break;
      }
      read.set(terminal, response);
      const wrong = [...read.values()].filter(({ sound }) => !sound).length;
      const verdict = wrong === 0 ? "all add up" : `${wrong} do not add up`;
      text(says, `${read.size} read at ${timeOf(client.session.now() ?? 0)}; ${verdict}.`);
    }
    reader.disabled = false;
    update(client.view);
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

/** @param {ConsoleClient} client @param {MetersResponse | undefined} response @param {string} table */
const verdict = (client, response, table) =>
  !response ? "Not read" : response.sound ? "Adds up" : `${client.amount(response.difference, table)} missing`;

/** @param {ConsoleClient} client @param {Seat} seat @param {Map<string, MetersResponse>} read */
function opener(client, { terminal, table }, read) {
  const open = async () => {
    const response = await client.query("meters", { terminal });
    if (response.t !== "refused") read.set(terminal, response);
    openDialog({
      name: "meters",
      title: `Meters of ${terminal}`,
      body:
        response.t === "refused"
          ? [el("p", { class: "reply" }, withClause(response.refusal))]
          : [el("p", {}, `Read at ${timeOf(client.session.now() ?? 0)}.`), ...linesOf(client, table, response)],
    });
  };
  return button(terminal, () => void open(), { class: "small" });
}

/** @param {ConsoleClient} client @param {string} table @param {MetersResponse} response */
function linesOf(client, table, { meters: counted, by_meters: by, on_terminal: on, difference, sound }) {
  const amount = (/** @type {number} */ cents) => client.amount(cents, table);
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
