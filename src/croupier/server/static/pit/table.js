// One table: exposure, seats and rounds.

import { openReplay } from "../console/documents.js";
import { openDisputes } from "../console/disputes.js";
import { figure, sightingText, tableMessage, worded } from "../console/text.js";
import { clauseLink, grid, phaseLook, pill, rulesAt, updatePill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, marked, shown, text } from "../shared/dom.js";
import { locale, say } from "../shared/text.js";
import { openCorrection, openInvalidation } from "./corrections.js";
import { equipmentView } from "./equipment.js";
import { tableActions, permittedButton, titlesFor } from "./table_actions.js";
import { secondsOf, settingsView, wheelText } from "./table_settings.js";
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
  const actions = el("div", { class: "ways", role: "group", "aria-label": say("pit-table.actions", { table: name }) });
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    if (!view.tables[name]) return;
    top.update(view);
    for (const each of [...left, ...right]) each.update(view);
    updateActions(actions, client, name);
  };
  openDialog({
    name: "table",
    title: say("floor.name", { table: name }),
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
      says: left === null ? tableMessage(state) : `${tableMessage(state)} ${say("seconds.short", { n: left })}`,
      look: phaseLook(state),
    });
  };
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const { state } = view.tables[name];
    const takings = view.floor?.tables?.[name]?.takings;
    text(
      about,
      [say("pit-table.round", { round: figure(state.round) }), client.felt(name)?.venue ?? "", wheelText(state.wheel), state.rulebook].join(" · "),
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
  const kept = el("b", {});
  const odds = el("small", {});
  const band = el("i", { class: "band" });
  const mark = el("i", { class: "at" });
  const bar = el("span", { class: "bar", "aria-hidden": "true" }, band, mark);
  const words = el("small", { class: "words" });
  const node = el("div", { class: "hold" }, el("span", { class: "figures" }, kept, odds), bar, words);
  /** @param {TableWin | null | undefined} takings */
  const update = (takings) => {
    const played = takings?.played ?? 0;
    for (const part of [bar, words]) shown(part, played > 0);
    if (!takings || played === 0) return (text(kept, "–"), text(odds, say("hold-rate.none")));
    text(kept, share(takings.held, played));
    text(odds, say("hold-rate.odds", { share: share(takings.expected, played) }));
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
  if (played === 0) return say("hold-rate.no-round");
  const money = (/** @type {number} */ cents) => client.amount(cents, name);
  const sums = { staked: money(played), rounds: figure(rounds), held: money(held), share: share(held, played) };
  const odds = { expected: money(expected), by_odds: share(expected, played), low: money(low), high: money(high) };
  return `${say("hold-rate.sentence", { ...sums, ...odds })} ${verdictOf(takings).says}`;
}

/**
 * Whether it is within the range of chance, as text.
 * @param {TableWin} takings @returns {{short: string, says: string, look: string}}
 */
function verdictOf({ held, low, high }) {
  if (held < low) return { short: say("hold-rate.below"), says: say("hold-rate.below-says"), look: "warn" };
  if (held > high) return { short: say("hold-rate.above"), says: say("hold-rate.above-says"), look: "warn" };
  return { short: say("hold-rate.within"), says: say("hold-rate.within-says"), look: "ok" };
}

/** @param {number} part @param {number} whole */
const share = (part, whole) =>
  say("hold-rate.percent", { n: ((100 * part) / whole).toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });

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
  const head = el("h3", {}, say("exposure.title"));
  const says = el("p", {});
  const map = el("ol", { class: "heatmap", "aria-label": say("exposure.title") });
  const node = el("section", { class: "exposure" }, head, says, map);
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const exposure = view.floor?.tables?.[name]?.exposure;
    const felt = client.felt(name);
    if (!exposure || !felt) return;
    text(head, say("exposure.in", { currency: felt.currency }));
    const { most, worst, staked, returns } = exposure;
    text(
      says,
      most === 0
        ? say("exposure.none")
        : say("exposure.sum", { staked: client.amount(staked, name), most: client.amount(most, name), pockets: worst.join(", ") }),
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
        text(item.lastElementChild, figure(Math.ceil(back / 100)));
        marked(item, "title", say("exposure.cell", { pocket, colour: say(`colour.${colour}`), amount: client.amount(back, name) }));
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
    label: say("rounds.of", { table }),
    columns: [
      { head: say("dispute.round"), cell: (/** @type {RoundRow} */ { round }) => round },
      { head: say("rounds.outcome"), cell: () => el("span", {}) },
      { head: say("rounds.actions"), cell: ({ round }) => roundActions(client, { table, round }, ROUND_ACTIONS) },
    ],
    key: ({ round }) => round,
    empty: say("rounds.none"),
    change: (line, row) => paintOutcome(/** @type {HTMLElement} */ (line.children[1].firstElementChild), client, table, row),
  });
  const running = el("div", { class: "running" });
  const node = el("section", { class: "rounds" }, el("h3", {}, say("rounds.title")), running, made.node);
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
    el("span", {}, round === 0 ? say("rounds.no-running") : say("rounds.running", { round: figure(round) })),
    round === 0
      ? null
      : roundActions(
          client,
          { table, round },
          ROUND_ACTIONS.filter(({ command }) => !SETTLED.has(command)),
        ),
  );

/** @param {HTMLElement} host @param {ConsoleClient} client @param {string} table @param {RoundRow} row */
function paintOutcome(host, client, table, { status, pocket, corrected, reason, clause, seen }) {
  const state = say(`round-status.${status}`);
  const saw = seen.length > 0 ? say("rounds.seen", { seen: seen.map(sightingText).join("; ") }) : "";
  const before = corrected.length > 0 ? say("rounds.corrected", { pockets: corrected.join(", ") }) : "";
  const words = pocket === null ? [state, reason && worded("reason.", reason), saw] : [pocket, state, before];
  const shows = JSON.stringify([words, clause]);
  if (host.dataset.shows === shows) return;
  host.dataset.shows = shows;
  host.replaceChildren(words.filter(Boolean).join(" · "), " ", clauseLink(rulesAt(client, table), clause) ?? "");
}

/** @type {{words: string, open: (client: ConsoleClient, which: {table: string, round: number}) => void, command: string}[]} */
const ROUND_ACTIONS = [
  { words: "rounds.replay", open: openReplay, command: "" },
  { words: "rounds.correct", open: openCorrection, command: "CorrectResult" },
  { words: "rounds.invalidate", open: openInvalidation, command: "InvalidateOutcome" },
  { words: "rounds.dispute", open: openDisputes, command: "OpenDispute" },
];
/** Actions on rounds with an outcome only. */
const SETTLED = new Set(["CorrectResult", "InvalidateOutcome"]);

/** @param {ConsoleClient} client @param {{table: string, round: number}} which @param {typeof ROUND_ACTIONS} offered */
function roundActions(client, which, offered) {
  const one = (/** @type {typeof ROUND_ACTIONS[number]} */ { words, open, command }) => {
    const titles = command ? titlesFor(client, which.table, command) : null;
    return button(say(words), () => open(client, which), {
      class: "small",
      "aria-label": say("rounds.action-of", { action: say(words), round: which.round }),
      title: titles ? say("dispute.for", { titles: titles.join(", ") }) : null,
      disabled: titles !== null && !client.hasTitle(titles),
    });
  };
  return el("span", { class: "ways" }, ...offered.map(one));
}

// The seats of a table: money, stakes and status.

/** @param {ConsoleClient} client @param {string} name @returns {import("../console/client.js").Part} */
function seatsView(client, name) {
  const made = grid({
    label: say("seats.of", { table: name }),
    columns: [
      { head: say("hold.terminal"), cell: (/** @type {SeatRow} */ { terminal }) => opener(client, name, terminal) },
      { head: say("dealer.credit"), cell: ({ credit }) => client.amount(credit, name), sum: true },
      { head: say("floor.staked"), cell: ({ staked }) => client.amount(staked, name), sum: true },
      { head: say("ticket.standing"), cell: () => el("span", { class: "pills" }) },
    ],
    key: ({ terminal }) => terminal,
    empty: say("seats.none"),
    change: (line, row) => paint(/** @type {HTMLElement} */ (line.lastElementChild?.firstElementChild), marksOf(row)),
  });
  const node = el("section", { class: "seats" }, el("h3", {}, say("dealer.seats")), made.node);
  return { node, update: (view) => made.update(view.floor?.tables?.[name]?.seats ?? []) };
}

/** @param {ConsoleClient} client @param {string} table @param {string} terminal */
const opener = (client, table, terminal) =>
  button(terminal, () => openTerminal(client, { table, terminal }), {
    class: "small",
    "aria-label": say("terminal.name", { terminal }),
  });

/** @param {HTMLElement} host @param {Pill[]} marks */
function paint(host, marks) {
  const wanted = JSON.stringify(marks);
  if (host.dataset.shows === wanted) return;
  host.dataset.shows = wanted;
  host.replaceChildren(...marks.map(pill));
}
