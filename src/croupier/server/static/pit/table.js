// One table: exposure, seats and rounds.

import { openReplay } from "../console/documents.js";
import { openDisputes } from "../console/disputes.js";
import { clauseMark, tableMessage, labelOf } from "../console/text.js";
import { grid, phaseLook, pill, updatePill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, marked, shown, text } from "../shared/dom.js";
import { openCorrection, openInvalidation } from "./corrections.js";
import { equipmentView } from "./equipment.js";
import { tableActions, permittedButton, titlesFor } from "./table_actions.js";
import { secondsOf, settingsView, WHEELS } from "./table_settings.js";
import { openTerminal } from "./terminal.js";
import { marksOf } from "./terminal_actions.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").RoundRow} RoundRow
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 * @typedef {import("../shared/types/console.js").TableWin} TableWin
 */

/** @param {ConsoleClient} client @param {string} name */
export function openTable(client, name) {
  if (!client.view.tables[name]) return;
  const top = summary(client, name);
  const left = [exposureView(client, name), roundsView(client, name)];
  const right = [seatsView(client, name), settingsView(client, name), equipmentView(client, name)];
  const actions = el("div", { class: "ways", role: "group", "aria-label": `What can be done at table ${name}` });
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    if (!view.tables[name]) return;
    top.update(view);
    for (const each of [...left, ...right]) each.update(view);
    updateActions(actions, client, name);
  };
  openDialog({
    name: "table",
    title: `Table ${name}`,
    look: "wide",
    body: [
      top.node,
      el("div", { class: "columns" }, ...[left, right].map((views) => el("div", {}, ...views.map(({ node }) => node)))),
    ],
    foot: [actions],
    update,
    tick: top.tick,
  });
  update(client.view);
}

/** The status in one line. @param {ConsoleClient} client @param {string} name */
function summary(client, name) {
  const phase = el("span", {}, pill({ says: "" }));
  const about = el("span", {});
  const hold = el("p", { class: "quiet" });
  const node = el("div", { class: "summary" }, el("p", {}, phase, about), hold);
  const tick = () => {
    const state = client.view.tables[name]?.state;
    if (!state) return;
    const left = secondsOf(client, state);
    updatePill(phase, {
      says: left === null ? tableMessage(state) : `${tableMessage(state)} ${left} s`,
      look: phaseLook(state),
    });
  };
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const { state } = view.tables[name];
    const takings = view.floor?.tables?.[name]?.takings;
    text(
      about,
      `Round ${state.round} · ${client.felt(name)?.venue ?? ""} · ${WHEELS[state.wheel]} · ${state.rulebook}`,
    );
    text(hold, takings ? holdText(client, name, takings) : "");
    marked(hold, "title", takings?.method);
    tick();
  };
  return { node, update, tick };
}

/**
 * Redrawn only when the table is closed or opened, so that the focus stays.
 * @param {HTMLElement} host @param {ConsoleClient} client @param {string} name
 */
function updateActions(host, client, name) {
  const { state } = client.view.tables[name];
  const wanted = String(Boolean(state.closed));
  if (host.dataset.closed === wanted) return;
  host.dataset.closed = wanted;
  host.replaceChildren(
    ...tableActions(client, state).map(({ command, grave, ...action }) =>
      permittedButton(client, {
        ...action,
        titles: titlesFor(client, name, command),
        looks: grave ? "grave small" : "small",
      }),
    ),
  );
}

// The hold of a table: what it kept of the stakes, against the expected hold and its range by chance.

/** @param {import("../console/client.js").ConsoleClient} client @param {string} name of the table */
export function holdFigure(client, name) {
  const figure = el("b", {});
  const odds = el("small", {});
  const band = el("i", { class: "band" });
  const mark = el("i", { class: "at" });
  const bar = el("span", { class: "bar", "aria-hidden": "true" }, band, mark);
  const words = el("small", { class: "words" });
  const node = el("div", { class: "hold" }, el("span", { class: "figures" }, figure, odds), bar, words);
  /** @param {TableWin | null | undefined} takings */
  const update = (takings) => {
    const played = takings?.played ?? 0;
    for (const part of [bar, words]) shown(part, played > 0);
    if (!takings || played === 0) return (text(figure, "–"), text(odds, "no round yet"));
    text(figure, share(takings.held, played));
    text(odds, `odds ${share(takings.expected, played)}`);
    const verdict = verdictOf(takings);
    text(words, verdict.short);
    marked(node, "data-look", verdict.look);
    marked(node, "title", holdText(client, name, takings));
    draw(bar, takings);
  };
  return { node, update };
}

/**
 * All of it in one sentence.
 * @param {import("../console/client.js").ConsoleClient} client @param {string} name
 * @param {TableWin} takings
 */
function holdText(client, name, takings) {
  const { played, held, expected, low, high, rounds } = takings;
  if (played === 0) return "No round was settled here yet.";
  const money = (/** @type {number} */ cents) => client.amount(cents, name);
  return (
    `Of ${money(played)} staked in ${rounds} rounds the house has kept ${money(held)} (${share(held, played)}); ` +
    `the odds give ${money(expected)} (${share(expected, played)}), and chance alone keeps it between ` +
    `${money(low)} and ${money(high)}. ${verdictOf(takings).says}`
  );
}

/**
 * Whether it is within the range of chance, as text.
 * @param {TableWin} takings @returns {{short: string, says: string, look: string}}
 */
function verdictOf({ held, low, high }) {
  if (held < low) return { short: "below chance", says: "That is less than chance alone lets expect.", look: "warn" };
  if (held > high) return { short: "above chance", says: "That is more than chance alone lets expect.", look: "warn" };
  return { short: "within chance", says: "That is within what chance allows.", look: "ok" };
}

/** @param {number} part @param {number} whole */
export const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

/** The range of chance, and the position of the hold. @param {HTMLElement} bar @param {TableWin} takings */
function draw(bar, { held, low, high }) {
  const least = Math.min(low, held);
  const most = Math.max(high, held);
  const margin = (most - least) / 10 || 1;
  const place = (/** @type {number} */ at) => `${((at - least + margin) * 100) / (most - least + 2 * margin)}%`;
  bar.style.setProperty("--low", place(low));
  bar.style.setProperty("--high", place(high));
  bar.style.setProperty("--at", place(held));
}

// Exposure: what all stakes of a table return, by winning pocket, in felt order.

/** @param {ConsoleClient} client @param {string} name @returns {import("../console/client.js").Part} */
function exposureView(client, name) {
  const head = el("h3", {}, "What each number brings back");
  const says = el("p", {});
  const map = el("ol", { class: "heatmap", "aria-label": "What each number brings back" });
  const node = el("section", { class: "exposure" }, head, says, map);
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const exposure = view.floor?.tables?.[name]?.exposure;
    const felt = client.felt(name);
    if (!exposure || !felt) return;
    text(head, `What each number brings back, in ${felt.currency}`);
    const { most, worst, staked, returns } = exposure;
    text(
      says,
      most === 0
        ? "No chips lie here now."
        : `${client.amount(staked, name)} lie there: at most ${client.amount(most, name)} back, on ${worst.join(", ")}`,
    );
    each(
      map,
      felt.cells,
      ({ pocket }) => pocket,
      (cell) => place(cell, felt.cells),
      (item, { pocket, colour }) => {
        const back = returns[pocket] ?? 0;
        marked(item, "data-worst", most > 0 && worst.includes(pocket) ? "" : null);
        item.style.setProperty("--heat", most === 0 ? "0" : String(back / most));
        // Whole units are enough in a small cell; the heading has the currency.
        text(item.lastElementChild, Math.ceil(back / 100).toLocaleString("en"));
        marked(item, "title", `${pocket} ${colour}: ${client.amount(back, name)}`);
      },
    );
  };
  return { node, update };
}

/** @param {import("../shared/types/wire.js").PrintedCell} cell @param {import("../shared/types/wire.js").PrintedCell[]} cells */
function place({ pocket, colour, along, across }, cells) {
  const item = el("li", {}, el("b", { "data-colour": colour }, pocket), el("span", {}));
  const begin = Math.min(...cells.map((one) => one.along[0]));
  const top = Math.max(...cells.map((one) => one.across[1]));
  item.style.setProperty("grid-column", `${along[0] - begin + 1} / ${along[1] - begin + 1}`);
  item.style.setProperty("grid-row", `${top - across[1] + 1} / ${top - across[0] + 1}`);
  return item;
}

// The recent rounds of a table, each to be replayed, corrected, invalidated or disputed.

/** @param {ConsoleClient} client @param {string} table @returns {import("../console/client.js").Part} */
function roundsView(client, table) {
  const made = grid({
    label: `Rounds of table ${table}`,
    columns: [
      { head: "Round", cell: (/** @type {RoundRow} */ { round }) => round },
      { head: "What came of it", cell: outcome },
      { head: "Look again, or put right", cell: ({ round }) => roundActions(client, { table, round }, ROUND_ACTIONS) },
    ],
    key: ({ round }) => round,
    empty: "No round was played here yet.",
  });
  const running = el("div", { class: "running" });
  const node = el("section", { class: "rounds" }, el("h3", {}, "Rounds lately"), running, made.node);
  let newest = 0;
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const { round, phase } = view.tables[table].state;
    const over = view.floor?.tables?.[table]?.rounds ?? [];
    const isOn = phase !== "between" && over[0]?.round !== round;
    each(running, isOn ? [round] : [0], Number, (number) => runningRow(client, table, number));
    // No row moves under a pointer: new rounds are added once it has left.
    if (!made.node.matches(":hover")) newest = over[0]?.round ?? 0;
    made.update(over.filter((row) => row.round <= newest));
  };
  made.node.addEventListener("pointerleave", () => update(client.view));
  return { node, update };
}

/**
 * The running round stands apart from the finished ones.
 * @param {ConsoleClient} client @param {string} table @param {number} round or 0 where none is running
 */
const runningRow = (client, table, round) =>
  el(
    "p",
    {},
    el("span", {}, round === 0 ? "No round is on." : `Round ${round} is being played.`),
    round === 0
      ? null
      : roundActions(
          client,
          { table, round },
          ROUND_ACTIONS.filter(({ command }) => !SETTLED.has(command)),
        ),
  );

/** @param {RoundRow} row */
function outcome({ status, pocket, corrected, reason, clause, seen }) {
  const cited = clause ? ` ${clauseMark(clause)}` : "";
  const saw = seen.length > 0 ? `; sensors saw ${seen.join("; ")}` : "";
  if (pocket === null) return `${labelOf(status)}${reason ? `: ${labelOf(reason).toLowerCase()}` : ""}${cited}${saw}`;
  const before = corrected.length > 0 ? `, corrected from ${corrected.join(", ")}` : "";
  return `${pocket} · ${labelOf(status).toLowerCase()}${before}${cited}`;
}

/** @type {{words: string, open: (client: ConsoleClient, which: {table: string, round: number}) => void, command: string}[]} */
const ROUND_ACTIONS = [
  { words: "Replay", open: openReplay, command: "" },
  { words: "Correct", open: openCorrection, command: "CorrectResult" },
  { words: "Invalidate", open: openInvalidation, command: "InvalidateOutcome" },
  { words: "Dispute", open: openDisputes, command: "OpenDispute" },
];
/** Actions on rounds with an outcome only. */
const SETTLED = new Set(["CorrectResult", "InvalidateOutcome"]);

/** @param {ConsoleClient} client @param {{table: string, round: number}} which @param {typeof ROUND_ACTIONS} offered */
function roundActions(client, which, offered) {
  const one = (/** @type {typeof ROUND_ACTIONS[number]} */ { words, open, command }) => {
    const titles = command ? titlesFor(client, which.table, command) : null;
    return button(words, () => open(client, which), {
      class: "small",
      "aria-label": `${words}: round ${which.round}`,
      title: titles ? `for ${titles.join(" or ")}` : null,
      disabled: titles !== null && !client.hasTitle(titles),
    });
  };
  return el("span", { class: "ways" }, ...offered.map(one));
}

// The seats of a table: money, stakes and status.

/** @param {ConsoleClient} client @param {string} name @returns {import("../console/client.js").Part} */
function seatsView(client, name) {
  const made = grid({
    label: `Seats of table ${name}`,
    columns: [
      { head: "Terminal", cell: (/** @type {SeatRow} */ { terminal }) => opener(client, name, terminal) },
      { head: "Credit", cell: ({ credit }) => client.amount(credit, name), sum: true },
      { head: "Staked", cell: ({ staked }) => client.amount(staked, name), sum: true },
      { head: "State", cell: () => el("span", { class: "pills" }) },
    ],
    key: ({ terminal }) => terminal,
    empty: "This table has no terminal.",
    change: (line, row) => paint(/** @type {HTMLElement} */ (line.lastElementChild?.firstElementChild), marksOf(row)),
  });
  const node = el("section", { class: "seats" }, el("h3", {}, "Seats"), made.node);
  return { node, update: (view) => made.update(view.floor?.tables?.[name]?.seats ?? []) };
}

/** @param {ConsoleClient} client @param {string} table @param {string} terminal */
const opener = (client, table, terminal) =>
  button(terminal, () => openTerminal(client, { table, terminal }), {
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
