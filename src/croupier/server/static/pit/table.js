// One table: exposure, seats and rounds.

import { openReplay } from "../console/documents.js";
import { openDisputes } from "../console/disputes.js";
import { holdText } from "../console/hold.js";
import { figure, sightingText, worded } from "../console/text.js";
import { dataTable, ruleLink, rulesAt, statusPill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { openCorrection, openInvalidation } from "./corrections.js";
import { equipmentSection } from "./equipment.js";
import { permittedButton, tableActions, titlesFor } from "./table_actions.js";
import { secondsOf, settingsSection, wheelText } from "./table_settings.js";
import { openTerminal } from "./terminal.js";
import { marksOf } from "./terminal_actions.js";
import { drawnText } from "../shared/multiples.js";
import { phaseLook, tableMessage } from "../shared/phase.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").RoundRow} RoundRow
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

/** @param {ConsoleClient} client @param {string} name */
export function openTable(client, name) {
  /** The newest round that is listed: no row moves under a pointer. */
  const rounds = { newest: Infinity };
  openDialog({
    name: "table",
    title: say("floor.name", { table: name }),
    look: "wide",
    body: () => {
      const table = client.view.tables[name];
      if (!table) return null;
      return [
        summary(client, table.state),
        h(
          "div",
          { class: "columns" },
          h("div", null, exposureSection(client, name), roundsSection(client, table.state, rounds)),
          h("div", null, seatsSection(client, name), settingsSection(client, name), equipmentSection(client, name)),
        ),
      ];
    },
    foot: () => {
      const table = client.view.tables[name];
      if (!table) return null;
      return h(
        "div",
        { class: "ways", role: "group", "aria-label": say("pit-table.actions", { table: name }) },
        tableActions(client, table.state).map(({ command, grave, ...action }) =>
          permittedButton(client, {
            ...action,
            titles: titlesFor(client, name, command),
            looks: grave ? "grave small" : "small",
          })
        ),
      );
    },
  });
}

/** The status in one line. @param {ConsoleClient} client @param {TableState} state */
function summary(client, state) {
  const name = state.table;
  const takings = client.view.floor?.tables?.[name]?.takings;
  const seconds = secondsOf(client, state);
  const phase = seconds === null
    ? tableMessage(state)
    : `${tableMessage(state)} ${say("seconds.short", { n: seconds })}`;
  const facts = [
    say("pit-table.round", { round: figure(state.round) }),
    client.felt(name)?.venue ?? "",
    wheelText(state.wheel),
    state.rulebook,
    drawnText(state.multiples),
  ];
  return h(
    "div",
    { class: "summary" },
    h(
      "p",
      null,
      statusPill({ says: phase, look: phaseLook(state) }),
      h("span", null, facts.filter(Boolean).join(" · ")),
    ),
    h("p", { class: "quiet", title: takings?.method }, takings ? holdText(client, name, takings) : ""),
  );
}

// Exposure: what all stakes of a table return, by winning pocket, in felt order.

/** @param {ConsoleClient} client @param {string} name */
function exposureSection(client, name) {
  const exposure = client.view.floor?.tables?.[name]?.exposure;
  const felt = client.felt(name);
  if (!exposure || !felt) return h("section", { class: "exposure" }, h("h3", null, say("exposure.title")));
  const { most, worst, staked, returns } = exposure;
  const amount = (/** @type {number} */ cents) => client.amount(cents, name);
  const begin = Math.min(...felt.cells.map(({ along }) => along[0]));
  const bottom = Math.min(...felt.cells.map(({ across }) => across[0]));
  const top = Math.max(...felt.cells.map(({ across }) => across[1]));
  const cell = (/** @type {import("../shared/types/wire.js").PrintedCell} */ { pocket, colour, along, across }) => {
    const back = returns[pocket] ?? 0;
    return h(
      "li",
      {
        key: pocket,
        "data-worst": most > 0 && worst.includes(pocket),
        title: say("exposure.cell", { pocket, colour: say(`colour.${colour}`), amount: amount(back) }),
        style: {
          "--heat": most === 0 ? "0" : String(back / most),
          "--along": `${along[0] - begin + 1} / ${along[1] - begin + 1}`,
          "--across": `${top - across[1] + 1} / ${top - across[0] + 1}`,
          "--upright": `${across[0] - bottom + 1} / ${across[1] - bottom + 1}`,
        },
      },
      h("b", { "data-colour": colour }, pocket),
      // Whole units are enough in a small cell; the heading has the currency.
      h("span", null, figure(Math.ceil(back / 100))),
    );
  };
  const sum = say("exposure.sum", { staked: amount(staked), most: amount(most), pockets: worst.join(", ") });
  return h(
    "section",
    { class: "exposure" },
    h("h3", null, say("exposure.in", { currency: felt.currency })),
    h("p", null, most === 0 ? say("exposure.none") : sum),
    h("ol", { class: "heatmap", "aria-label": say("exposure.title") }, felt.cells.map(cell)),
  );
}

// The recent rounds of a table, each to be replayed, corrected, invalidated or disputed.

/** @param {ConsoleClient} client @param {TableState} state @param {{newest: number}} listed */
function roundsSection(client, { table, round, phase }, listed) {
  const over = client.view.floor?.tables?.[table]?.rounds ?? [];
  const isRunning = phase !== "between" && over[0]?.round !== round;
  return h(
    "section",
    { class: "rounds" },
    h("h3", null, say("rounds.title")),
    h(
      "div",
      { class: "running" },
      h(
        "p",
        { key: isRunning ? round : 0 },
        h("span", null, isRunning ? say("rounds.running", { round: figure(round) }) : say("rounds.no-running")),
        isRunning &&
          roundActions(client, { table, round }, ROUND_ACTIONS.filter(({ command }) => !SETTLED.has(command))),
      ),
    ),
    h(
      "div",
      { pointerenter: () => (listed.newest = over[0]?.round ?? 0), pointerleave: () => (listed.newest = Infinity) },
      dataTable({
        label: say("rounds.of", { table }),
        columns: [
          { head: say("dispute.round"), cell: (row) => row.round },
          { head: say("rounds.outcome"), cell: (row) => outcome(client, table, row) },
          {
            head: say("rounds.actions"),
            cell: (row) => roundActions(client, { table, round: row.round }, ROUND_ACTIONS),
          },
        ],
        rows: over.filter((row) => row.round <= listed.newest),
        key: (row) => row.round,
        empty: say("rounds.none"),
      }),
    ),
  );
}

/** @param {ConsoleClient} client @param {string} table @param {RoundRow} row */
function outcome(client, table, { status, pocket, corrected, reason, clause, seen }) {
  const state = say(`round-status.${status}`);
  const saw = seen.length > 0 ? say("rounds.seen", { seen: seen.map(sightingText).join("; ") }) : "";
  const before = corrected.length > 0 ? say("rounds.corrected", { pockets: corrected.join(", ") }) : "";
  const words = pocket === null ? [state, reason && worded("reason.", reason), saw] : [pocket, state, before];
  return h("span", null, words.filter(Boolean).join(" · "), " ", ruleLink(rulesAt(client, table), clause));
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
  const action = (/** @type {typeof ROUND_ACTIONS[number]} */ { words, open, command }) => {
    const titles = command ? titlesFor(client, which.table, command) : null;
    return button(say(words), () => open(client, which), {
      class: "small",
      "aria-label": say("rounds.action-of", { action: say(words), round: which.round }),
      title: titles && say("dispute.for", { titles: titles.join(", ") }),
      disabled: titles !== null && !client.hasTitle(titles),
    });
  };
  return h("span", { class: "ways" }, offered.map(action));
}

// The seats of a table: money, stakes and status.

/** @param {ConsoleClient} client @param {string} table */
function seatsSection(client, table) {
  const amount = (/** @type {number} */ cents) => client.amount(cents, table);
  const open = (/** @type {string} */ terminal) =>
    button(terminal, () => openTerminal(client, { table, terminal }), {
      class: "small",
      "aria-label": say("terminal.name", { terminal }),
    });
  return h(
    "section",
    { class: "seats" },
    h("h3", null, say("dealer.seats")),
    dataTable({
      label: say("seats.of", { table }),
      columns: [
        { head: say("hold.terminal"), cell: ({ terminal }) => open(terminal) },
        { head: say("dealer.credit"), cell: ({ credit }) => amount(credit), sum: true },
        { head: say("floor.staked"), cell: ({ staked }) => amount(staked), sum: true },
        { head: say("ticket.standing"), cell: (row) => h("span", { class: "pills" }, marksOf(row).map(statusPill)) },
      ],
      rows: client.view.floor?.tables?.[table]?.seats ?? [],
      key: ({ terminal }) => terminal,
      empty: say("seats.none"),
    }),
  );
}
