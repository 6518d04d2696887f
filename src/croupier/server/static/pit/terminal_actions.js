// The actions on a terminal.

import { openForm } from "../console/forms.js";
import { el } from "../shared/dom.js";
import { releaseDevice } from "./devices.js";
import { messageTo, note, notifyFirst } from "./table_actions.js";

/**
 * @typedef {import("./table_actions.js").Action} Action
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 * @typedef {import("./terminal.js").Where} Where
 */

/** @param {ConsoleClient} client @param {Where} where @param {import("../shared/types/console.js").SeatRow} row @returns {Action[]} */
export function terminalActions(client, { table, terminal }, row) {
  return [
    { words: "Message…", command: "SendMessage", press: () => messageTo(client, [terminal], `terminal ${terminal}`) },
    { words: "Collect for the player…", command: "Collect", press: () => collect(client, terminal) },
    { words: "Adjust the credit…", command: "AdjustCredit", press: () => adjust(client, table, terminal) },
    { words: "End the session…", command: "EndSession", press: () => endSession(client, terminal) },
    row.straight_only
      ? { words: "End the arrangement…", command: "EndArrangement", press: () => endArrangement(client, table, row) }
      : { words: "Straight up bets only…", command: "ArrangeVip", press: () => arrange(client, table, row) },
    { words: "Note an incident…", command: "NoteIncident", press: () => note(client, terminal) },
    {
      words: "Release the device…",
      command: "ReleaseDevice",
      press: () => releaseDevice(client, terminal),
      grave: true,
    },
    {
      words: "Raise a malfunction…",
      command: "RaiseMalfunction",
      press: () => malfunction(client, terminal),
      grave: true,
    },
    row.closed
      ? { words: "Put back into service…", command: "ReopenTerminal", press: () => reopen(client, terminal) }
      : { words: "Take out of service…", command: "CloseTerminal", press: () => close(client, terminal), grave: true },
  ];
}

/** @param {ConsoleClient} client @param {string} terminal */
function collect(client, terminal) {
  openForm({
    name: "collect",
    title: `Collect for the player at ${terminal}`,
    about: [el("p", {}, "All credits come out as paper at this console, to be handed to the player.")],
    does: "Collect",
    send: () => client.sendRequest("collect_for", { terminal }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {string} terminal */
function adjust(client, table, terminal) {
  openForm({
    name: "adjust",
    title: `Adjust the credit of ${terminal}`,
    about: [
      el(
        "p",
        {},
        `The meter is put right by an amount in ${client.felt(table)?.currency ?? ""}, and the books with it.`,
      ),
    ],
    fields: [
      {
        name: "way",
        label: "Which way",
        kind: "choice",
        choices: [
          ["1", "Add to the credit"],
          ["-1", "Take from the credit"],
        ],
      },
      { name: "amount", label: "By how much", kind: "amount" },
      { name: "words", label: "Why", kind: "words" },
    ],
    does: "Sign it",
    dual: true,
    grave: true,
    send: ({ way, amount, words }) =>
      client.sendCommand({ type: "AdjustCredit", terminal, amount: Number(way) * amount, words }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {SeatRow} row */
function arrange(client, table, row) {
  openForm({
    name: "arrange",
    title: `Straight up bets only at ${row.terminal}`,
    about: [el("p", {}, "By an arrangement in writing this player bets on single numbers and nothing else.")],
    fields: [{ name: "words", label: "The arrangement", kind: "words" }],
    does: "Arrange it",
    send: ({ words }) => client.sendCommand({ type: "ArrangeVip", table, positions: [row.position], words }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {SeatRow} row */
function endArrangement(client, table, row) {
  openForm({
    name: "end-arrangement",
    title: `End the arrangement at ${row.terminal}`,
    about: [el("p", {}, "The player bets as others do again.")],
    fields: [{ name: "words", label: "Why", kind: "words" }],
    does: "End it",
    send: ({ words }) => client.sendCommand({ type: "EndArrangement", table, arrangement: row.arrangement ?? 0, words }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function endSession(client, terminal) {
  openForm({
    name: "end-session",
    title: `End the session at ${terminal}`,
    about: [
      el(
        "p",
        {},
        "The player has left with no credits. The next money begins a new session, with nothing of this one.",
      ),
    ],
    does: "End the session",
    send: () => client.sendCommand({ type: "EndSession", terminal }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function malfunction(client, terminal) {
  openForm({
    name: "malfunction",
    title: `Malfunction of ${terminal}`,
    about: [el("p", {}, "What becomes of its bets the rules say by this very moment.")],
    fields: [
      { name: "fault", label: "What is wrong", kind: "choice", choices: FAULTS },
      { name: "words", label: "In plain words", kind: "words" },
    ],
    does: "Raise it",
    grave: true,
    send: ({ fault, words }) => client.sendCommand({ type: "RaiseMalfunction", terminal, fault, words }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function close(client, terminal) {
  openForm({
    name: "close-terminal",
    title: `Take ${terminal} out of service`,
    about: [
      el("p", {}, "Bets of a round that runs are played; then nothing is bet here."),
      notifyFirst(client, terminal),
    ],
    fields: [{ name: "words", label: "Why, as the player reads it", kind: "words" }],
    does: "Take it out of service",
    grave: true,
    send: ({ words }) => client.sendCommand({ type: "CloseTerminal", terminal, words }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function reopen(client, terminal) {
  openForm({
    name: "open-terminal",
    title: `Put ${terminal} back into service`,
    does: "Put it back",
    send: () => client.sendCommand({ type: "ReopenTerminal", terminal }),
  });
}

// Texts about terminals: their status, and the faults they may have.

/** The faults of a terminal. @type {[value: string, words: string][]} */
const FAULTS = [
  ["credits", "Its credits are not what was bet and won"],
  ["numbers", "It shows a number that is not on the layout"],
  ["interrupted", "It is interrupted, or its display is faulty"],
  ["opinion", "Staff think that it is faulty"],
];

/** The status pills of a seat. @param {SeatRow} row @returns {Pill[]} */
export function marksOf({
  credit,
  staked,
  below,
  dark,
  closed,
  case: number,
  held,
  idle,
  idle_long: long,
  spent,
  straight_only,
}) {
  /** @type {(Pill | false)[]} */
  const marks = [
    number !== null && { says: `Case ${number}`, look: "stop" },
    dark && { says: "No link", look: "stop" },
    closed && { says: "Out of service", look: "warn" },
    held > 0 && { says: "Win held", look: "warn" },
    below && { says: "Below minimum", look: "warn" },
    idle > 0 && { says: idle === 1 ? "Sat out 1 spin" : `Sat out ${idle} spins`, look: long ? "warn" : "calm" },
    staked > 0 && { says: "Bets in", look: "ok" },
    straight_only && { says: "Straight up only", look: "calm" },
    spent && { says: "Session not ended", look: "calm" },
    credit + staked === 0 && !spent && { says: "Free", look: "calm" },
  ];
  const found = marks.filter((mark) => mark !== false);
  return found.length > 0 ? found : [{ says: "No bet yet", look: "calm" }];
}
