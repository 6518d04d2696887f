// The floor: what staff see of tables and seats, of what went wrong, of what waits for a signature, and of drawers.

import { button, each, el, enabled, marked, shown, text } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { isReady } from "../kit/store.js";
import { felt } from "./felts.js";
import { round } from "./round.js";
import { timeOf, wordOf } from "./words.js";

/**
 * @typedef {import("../kit/store.js").State} State
 * @typedef {import("../kit/types.js").TableState} TableState
 * @typedef {import("../kit/types.js").FloorTable} FloorTable
 * @typedef {(table: TableState, floor: FloorTable | undefined, view: State) => void} Update
 * @typedef {{node: HTMLElement, update: Update, tick?: () => void}} Own
 * @typedef {import("./console.js").Part} Part
 * @typedef {import("./console.js").Ask} Ask
 */

/**
 * The tables with their seats. `more` may give each a part of its own.
 * @param {import("../kit/session.js").Session} session @param {(name: string) => Own | null} [more] @returns {Part}
 */
export function tables(session, more = () => null) {
  const node = el("div", { class: "games" });
  const made = new Map();
  const make = (/** @type {{name: string}} */ { name }) => {
    const heading = el("h2", {});
    const played = round(session);
    const sums = el("p", { class: "limits" });
    const own = more(name);
    const body = el("tbody", {});
    const seats = el(
      "details",
      { open: true },
      el("summary", {}, "Seats"),
      el("div", { class: "wide" }, el("table", {}, el("thead", {}, row("th", SEAT_HEADS)), body)),
    );
    const section = el(
      "section",
      { class: "game", "aria-label": `Table ${name}` },
      heading,
      played.node,
      sums,
      own?.node,
      seats,
    );
    made.set(name, { heading, played, sums, own, body });
    return section;
  };
  const update = (/** @type {State} */ view) => {
    each(
      node,
      Object.keys(view.tables)
        .sort()
        .map((name) => ({ name })),
      ({ name }) => name,
      make,
    );
    for (const [name, { heading, played, sums, own, body }] of made) {
      const table = view.tables[name]?.state;
      if (!table) continue;
      const floor = view.floor?.tables?.[name];
      const currency = felt(table.felt, () => session.redraw())?.currency ?? "";
      text(heading, titleOf(table));
      played.update(table);
      text(sums, floor && currency ? sumWords(floor, currency) : "");
      each(
        body,
        currency ? (floor?.seats ?? []) : [],
        (seat) => seat.terminal,
        (seat) => row("td", seatCells(seat, currency)),
        (line, seat) => refill(line, seatCells(seat, currency)),
      );
      own?.update(table, floor, view);
    }
  };
  const tick = () => made.forEach(({ played, own }) => (played.tick(), own?.tick?.()));
  return { node, update, tick };
}

/** @param {TableState} table */
function titleOf(table) {
  const spin = table.spin > 1 ? `, spin ${table.spin}` : "";
  const random = table.random ? " · drawn at random" : "";
  return `Table ${table.table} · ${table.rulebook} · round ${table.round}${spin}${random}`;
}

const SEAT_HEADS = ["Seat", "Credit", "Bet", "State"];
/** @param {"td" | "th"} tag @param {string[]} cells */
const row = (tag, cells) => el("tr", {}, ...cells.map((words) => el(tag, tag === "th" ? { scope: "col" } : {}, words)));
/** @param {HTMLElement} line @param {string[]} cells */
const refill = (line, cells) => cells.forEach((words, place) => text(line.children[place], words));

/** @param {import("../kit/consoles.js").SeatRow} seat @param {string} currency */
function seatCells(seat, currency) {
  const state = [
    seat.dark ? "no line" : null,
    seat.closed ? "closed" : null,
    seat.case ? `case ${seat.case}` : null,
    seat.held ? `${money(seat.held, currency)} held` : null,
    seat.idle ? `idle for ${seat.idle} spins` : null,
  ].filter(Boolean);
  return [seat.terminal, money(seat.credit, currency), money(seat.staked, currency), state.join(", ") || "in play"];
}

/** @param {FloorTable} floor @param {string} currency */
function sumWords({ staked, reported, takings }, currency) {
  const parts = [`On the layout ${money(staked, currency)}`];
  if (reported !== null) parts.push(`the wheel reports ${reported}, which awaits a word`);
  if (takings)
    parts.push(
      `turnover ${money(takings.turnover, currency)}`,
      `the house has won ${money(takings.won, currency)}`,
      `${takings.rounds} rounds`,
    );
  return parts.join(" · ");
}

/**
 * A list under a heading, with what can be done about each item.
 * @template T
 * @param {string} heading @param {string} empty
 * @param {{key: (item: T) => unknown, words: (item: T) => string, acts: (item: T) => [string, () => void][]}} list
 */
function board(heading, empty, { key, words, acts }) {
  const list = el("ul", { class: "cards" });
  const none = el("p", {}, empty);
  const node = el("section", { class: "panel" }, el("h2", {}, heading), none, list);
  const make = (/** @type {T} */ item) =>
    el("li", {}, el("p", {}), ...acts(item).map(([name, act]) => button(name, act)));
  /** @param {T[]} items @param {boolean} ready */
  const update = (items, ready) => {
    shown(none, items.length === 0);
    each(list, items, key, make, (entry, item) => {
      text(entry.firstElementChild, words(item));
      for (const control of entry.querySelectorAll("button")) enabled(control, ready);
    });
  };
  return { node, update };
}

/** Everything that waits for somebody. Without `ask` it can only be read. @param {Ask | null} [ask] @returns {Part} */
export function docket(ask = null) {
  const incidents = board("Incidents", "Nothing waits to be seen to.", {
    key: (/** @type {import("../kit/consoles.js").IncidentRow} */ one) => one.incident,
    words: (one) =>
      [timeOf(one.at_us), wordOf(one.kind), one.subject, one.words].join(" · ") +
      (one.clause ? ` (${one.clause})` : ""),
    acts: (one) => (ask ? [["Seen to", () => ask({ type: "ClearIncident", incident: one.incident })]] : []),
  });
  const proposals = board("Signatures", "Nothing waits for a second signature.", {
    key: (/** @type {import("../kit/consoles.js").ProposalRow} */ one) => one.proposal,
    words: (one) =>
      `${one.person} at ${one.device}, until ${timeOf(one.expires_at_us)}: ${JSON.stringify(one.command)}`,
    acts: (one) =>
      ask
        ? [
            ["Approve", () => ask({ type: "Approve", proposal: one.proposal })],
            ["Withdraw", () => ask({ type: "Withdraw", proposal: one.proposal })],
          ]
        : [],
  });
  const drawers = board("Drawers", "No drawer is out.", {
    key: (/** @type {import("../kit/consoles.js").DrawerRow} */ one) => one.drawer,
    words: (one) => `${one.drawer} · ${one.person} · ${one.counted === null ? "not counted" : "counted"}`,
    acts: () => [],
  });
  const node = el("div", { class: "docket" }, incidents.node, proposals.node, drawers.node);
  const update = (/** @type {State} */ view) => {
    const { floor } = view;
    shown(incidents.node, floor?.incidents !== undefined);
    shown(proposals.node, floor?.proposals !== undefined);
    shown(drawers.node, floor?.drawers !== undefined);
    incidents.update(floor?.incidents ?? [], isReady(view));
    proposals.update(floor?.proposals ?? [], isReady(view));
    drawers.update(floor?.drawers ?? [], isReady(view));
    marked(node, "data-alarm", (floor?.incidents ?? []).length > 0);
  };
  return { node, update };
}
