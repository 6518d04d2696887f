// What can be done at a table as a whole: closing and opening it, other terms, words to its players.

import { button, el } from "../kit/dom.js";
import { askSheet } from "../staff/askform.js";
import { openPaper } from "../staff/paper.js";
import { openRulebook } from "./tablerulebook.js";
import { openSettings } from "./tablesettings.js";
import { openNewTerminal } from "./terminalnew.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/types.js").TableState} TableState
 * @typedef {{words: string, press: () => unknown, command?: string, grave?: boolean}} Deed with what it asks for
 */

/** All that can be asked for at a table. @param {Desk} desk
 * @param {TableState} state @returns {Deed[]} */
export function deedsAt(desk, { table, closed }) {
  return [
    { words: "Limits and timers…", command: "ChangeSettings", press: () => openSettings(desk, table) },
    { words: "Rulebook…", command: "ChangeRulebook", press: () => openRulebook(desk, table) },
    {
      words: "Message…",
      command: "SendMessage",
      press: () => messageTo(desk, seatsOf(desk, table), `all terminals of ${table}`),
    },
    { words: "Day report…", press: () => report(desk, table) },
    { words: "Rules…", command: "PrintRules", press: () => printRules(desk, table) },
    { words: "Note…", command: "NoteIncident", press: () => note(desk, table) },
    { words: "Add a terminal…", command: "AddTerminal", press: () => openNewTerminal(desk, table) },
    {
      words: "System malfunction…",
      command: "RaiseSystemMalfunction",
      press: () => malfunction(desk, table),
      grave: true,
    },
    closed
      ? { words: "Open the table…", command: "ReopenTable", press: () => reopen(desk, table) }
      : { words: "Close the table…", command: "CloseTable", press: () => close(desk, table), grave: true },
  ];
}

/** @param {Desk} desk @param {string} table */
const seatsOf = (desk, table) => (desk.view.floor?.tables?.[table]?.seats ?? []).map(({ terminal }) => terminal);

/** Words on the screens of some terminals. @param {Desk} desk @param {string[]} terminals @param {string} whom */
export function messageTo(desk, terminals, whom) {
  askSheet({
    name: "message",
    title: `Message to ${whom}`,
    fields: [{ name: "words", label: "What the players read", kind: "words" }],
    does: "Send it",
    send: ({ words }) => desk.ask({ type: "SendMessage", terminals, words }),
  });
}

/** Have it on record that an officer was told of a closing. @param {Desk} desk @param {string} subject */
export function notifyOfficer(desk, subject) {
  askSheet({
    name: "notify",
    title: `An officer was told that ${subject} closes`,
    about: [el("p", {}, "Record who was told, and when, before it is closed.")],
    fields: [{ name: "words", label: "Who was told, and why it closes", kind: "words" }],
    does: "Record it",
    send: ({ words }) => desk.ask({ type: "NotifyOfficer", subject, words }),
  });
}

/** The way to tell an officer first, where the rules ask for it. @param {Desk} desk @param {string} subject */
export const tellFirst = (desk, subject) =>
  el(
    "p",
    { class: "first" },
    "Where the rules ask for it, an officer is told before. ",
    button("Record that an officer was told…", () => notifyOfficer(desk, subject), { class: "small" }),
  );

/** @param {Desk} desk @param {string} table */
function close(desk, table) {
  askSheet({
    name: "close-table",
    title: `Close table ${table}`,
    about: [
      el(
        "p",
        {},
        "A round that runs is played to its end; then no other is opened. Players read that the table is closed.",
      ),
      tellFirst(desk, table),
    ],
    fields: [{ name: "words", label: "Why it is closed", kind: "words" }],
    does: "Close the table",
    grave: true,
    send: ({ words }) => desk.ask({ type: "CloseTable", table, words }),
  });
}

/** @param {Desk} desk @param {string} table */
function reopen(desk, table) {
  askSheet({
    name: "open-table",
    title: `Open table ${table}`,
    about: [el("p", {}, "Rounds can be opened again, and players read so.")],
    does: "Open the table",
    send: () => desk.ask({ type: "ReopenTable", table }),
  });
}

/** The gaming day is that of the newest entry in the journal. @param {Desk} desk @param {string} table */
async function report(desk, table) {
  const frame = await desk.enquire("journal");
  const day = frame.t === "journal" ? frame.rows[0]?.day : undefined;
  if (day !== undefined) openPaper(desk, { type: "table_report", table, day });
}

/** @param {Desk} desk @param {string} table */
function printRules(desk, table) {
  askSheet({
    name: "print-rules",
    title: `Rules of table ${table}`,
    about: [el("p", {}, "Put on record that somebody was given a copy of the rules that this table plays by.")],
    fields: [{ name: "sold", label: "It was sold", kind: "tick" }],
    does: "Record it",
    send: ({ sold }) => desk.ask({ type: "PrintRules", table, sold }),
  });
}

/** @param {Desk} desk @param {string} subject a table or a terminal */
export function note(desk, subject) {
  askSheet({
    name: "note",
    title: `Note an incident at ${subject}`,
    fields: [{ name: "words", label: "What happened", kind: "words" }],
    does: "Put it on record",
    send: ({ words }) => desk.ask({ type: "NoteIncident", subject, words }),
  });
}

/** @param {Desk} desk @param {string} table */
function malfunction(desk, table) {
  askSheet({
    name: "system-malfunction",
    title: `The game system fails at ${table}`,
    about: [
      el("p", {}, "Every terminal of this table is affected; what becomes of its bets the rules say by this moment."),
    ],
    fields: [{ name: "words", label: "What is wrong", kind: "words" }],
    does: "Raise the malfunction",
    grave: true,
    send: ({ words }) => desk.ask({ type: "RaiseSystemMalfunction", table, words }),
  });
}
