// The actions on a terminal.

import { askSheet } from "../console/forms.js";
import { el } from "../shared/dom.js";
import { releaseDevice } from "./devices.js";
import { messageTo, note, tellFirst } from "./table_actions.js";

/**
 * @typedef {import("./table_actions.js").Deed} Deed
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 * @typedef {import("./terminal.js").Where} Where
 */

/** @param {Desk} desk @param {Where} where @param {import("../shared/types/console.js").SeatRow} row @returns {Deed[]} */
export function terminalDeeds(desk, { table, terminal }, row) {
  return [
    { words: "Message…", command: "SendMessage", press: () => messageTo(desk, [terminal], `terminal ${terminal}`) },
    { words: "Collect for the player…", command: "Collect", press: () => collect(desk, terminal) },
    { words: "Adjust the credit…", command: "AdjustCredit", press: () => adjust(desk, table, terminal) },
    { words: "End the session…", command: "EndSession", press: () => endSession(desk, terminal) },
    row.straight_only
      ? { words: "End the arrangement…", command: "EndArrangement", press: () => endArrangement(desk, terminal) }
      : { words: "Straight up bets only…", command: "ArrangeVip", press: () => arrange(desk, terminal) },
    { words: "Note an incident…", command: "NoteIncident", press: () => note(desk, terminal) },
    { words: "Release the device…", command: "ReleaseDevice", press: () => releaseDevice(desk, terminal), grave: true },
    {
      words: "Raise a malfunction…",
      command: "RaiseMalfunction",
      press: () => malfunction(desk, terminal),
      grave: true,
    },
    row.closed
      ? { words: "Put back into service…", command: "ReopenTerminal", press: () => reopen(desk, terminal) }
      : { words: "Take out of service…", command: "CloseTerminal", press: () => close(desk, terminal), grave: true },
  ];
}

/** @param {Desk} desk @param {string} terminal */
function collect(desk, terminal) {
  askSheet({
    name: "collect",
    title: `Collect for the player at ${terminal}`,
    about: [el("p", {}, "All credits come out as paper at this console, to be handed to the player.")],
    does: "Collect",
    send: () => desk.wish("collect_for", { terminal }),
  });
}

/** @param {Desk} desk @param {string} table @param {string} terminal */
function adjust(desk, table, terminal) {
  askSheet({
    name: "adjust",
    title: `Adjust the credit of ${terminal}`,
    about: [
      el("p", {}, `The meter is put right by an amount in ${desk.felt(table)?.currency ?? ""}, and the books with it.`),
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
    send: ({ way, amount, words }) => desk.ask({ type: "AdjustCredit", terminal, amount: Number(way) * amount, words }),
  });
}

/** @param {Desk} desk @param {string} terminal */
function arrange(desk, terminal) {
  askSheet({
    name: "arrange",
    title: `Straight up bets only at ${terminal}`,
    about: [el("p", {}, "By an arrangement in writing this player bets on single numbers and nothing else.")],
    fields: [{ name: "words", label: "The arrangement", kind: "words" }],
    does: "Arrange it",
    send: ({ words }) => desk.ask({ type: "ArrangeVip", terminal, words }),
  });
}

/** @param {Desk} desk @param {string} terminal */
function endArrangement(desk, terminal) {
  askSheet({
    name: "end-arrangement",
    title: `End the arrangement at ${terminal}`,
    about: [el("p", {}, "The player bets as others do again.")],
    fields: [{ name: "words", label: "Why", kind: "words" }],
    does: "End it",
    send: ({ words }) => desk.ask({ type: "EndArrangement", terminal, words }),
  });
}

/** @param {Desk} desk @param {string} terminal */
function endSession(desk, terminal) {
  askSheet({
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
    send: () => desk.ask({ type: "EndSession", terminal }),
  });
}

/** @param {Desk} desk @param {string} terminal */
function malfunction(desk, terminal) {
  askSheet({
    name: "malfunction",
    title: `Malfunction of ${terminal}`,
    about: [el("p", {}, "What becomes of its bets the rules say by this very moment.")],
    fields: [
      { name: "fault", label: "What is wrong", kind: "choice", choices: FAULTS },
      { name: "words", label: "In plain words", kind: "words" },
    ],
    does: "Raise it",
    grave: true,
    send: ({ fault, words }) => desk.ask({ type: "RaiseMalfunction", terminal, fault, words }),
  });
}

/** @param {Desk} desk @param {string} terminal */
function close(desk, terminal) {
  askSheet({
    name: "close-terminal",
    title: `Take ${terminal} out of service`,
    about: [el("p", {}, "Bets of a round that runs are played; then nothing is bet here."), tellFirst(desk, terminal)],
    fields: [{ name: "words", label: "Why, as the player reads it", kind: "words" }],
    does: "Take it out of service",
    grave: true,
    send: ({ words }) => desk.ask({ type: "CloseTerminal", terminal, words }),
  });
}

/** @param {Desk} desk @param {string} terminal */
function reopen(desk, terminal) {
  askSheet({
    name: "open-terminal",
    title: `Put ${terminal} back into service`,
    does: "Put it back",
    send: () => desk.ask({ type: "ReopenTerminal", terminal }),
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
