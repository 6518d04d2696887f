// The meters of every terminal.

import { refusedText, timeOf } from "../console/text.js";
import { grid } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, text } from "../shared/dom.js";
import { say } from "../shared/text.js";

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
  const says = el("p", { role: "status" }, say("meters.unread"));
  const sum =
    (/** @type {string} */ name) =>
    (/** @type {Seat} */ { terminal, table }) =>
      client.amount(read.get(terminal)?.meters[name] ?? null, table);
  const rows = grid({
    label: say("meters.label"),
    key: ({ terminal }) => terminal,
    empty: say("meters.none"),
    columns: [
      { head: say("hold.terminal"), cell: (/** @type {Seat} */ seat) => opener(client, seat, read) },
      { head: say("meters.games"), cell: ({ terminal }) => read.get(terminal)?.meters.games ?? "–", sum: true },
      { head: say("meters.staked"), cell: sum("turnover"), sum: true },
      { head: say("meters.returned"), cell: sum("returned"), sum: true },
      { head: say("meters.audit"), cell: ({ terminal, table }) => verdict(client, read.get(terminal), table) },
    ],
  });
  const readAll = async () => {
    reader.disabled = true;
    for (const { terminal } of seatsOf(client.view)) {
      const response = await client.query("meters", { terminal });
      if (response.t === "refused") {
        text(says, refusedText(response.refusal));
        break;
      }
      read.set(terminal, response);
      const wrong = [...read.values()].filter(({ sound }) => !sound).length;
      const facts = { n: read.size, time: timeOf(client.session.now() ?? 0), wrong };
      text(says, say(wrong === 0 ? "meters.all-sound" : "meters.some-short", facts));
    }
    reader.disabled = false;
    update(client.view);
  };
  const reader = button(say("meters.read-all"), () => void readAll());
  const top = el("div", { class: "row" }, reader, says);
  const node = el("section", { class: "card meters" }, el("h2", {}, say("meters.title")), top, rows.node);
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
  !response ? say("meters.not-read") : response.sound ? say("meters.adds-up") : say("meters.missing", { amount: client.amount(response.difference, table) });

/** @param {ConsoleClient} client @param {Seat} seat @param {Map<string, MetersResponse>} read */
function opener(client, { terminal, table }, read) {
  const open = async () => {
    const response = await client.query("meters", { terminal });
    if (response.t !== "refused") read.set(terminal, response);
    openDialog({
      name: "meters",
      title: say("meters.of", { terminal }),
      body:
        response.t === "refused"
          ? [el("p", { class: "reply" }, refusedText(response.refusal))]
          : [el("p", {}, say("meters.read-at", { time: timeOf(client.session.now() ?? 0) })), ...linesOf(client, table, response)],
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
    el("p", { class: sound ? "sound" : "reply" }, sound ? say("meters.sound") : say("meters.short", { amount: amount(difference) })),
    el("h3", {}, say("meters.by")),
    list([[say("meters.games"), String(counted.games)], ...by.map((line) => pair(line, amount))]),
    el("h3", {}, say("meters.on")),
    list(on.map((line) => pair(line, amount))),
  ];
}

/** @param {import("../shared/types/console.js").AuditLine} line @param {(cents: number) => string} amount
 * @returns {[string, string]} */
const pair = ({ line, amount: cents }, amount) => [say(`audit-line.${line}`), amount(cents)];
