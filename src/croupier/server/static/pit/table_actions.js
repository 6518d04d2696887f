// The actions on a table, and who may take them.

import { openPaper } from "../console/documents.js";
import { askSheet, pressOnce } from "../console/forms.js";
import { button, el } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";
import { openSettings } from "./table_settings.js";

/**
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

/**
 * @typedef {{words: string, press: () => unknown, command?: string, grave?: boolean}} Deed with its command
 */

/**
 * The actions on a table.
 * @param {Desk} desk
 * @param {TableState} state @returns {Deed[]}
 */
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

/** A message to some terminals. @param {Desk} desk @param {string[]} terminals @param {string} whom */
export function messageTo(desk, terminals, whom) {
  askSheet({
    name: "message",
    title: `Message to ${whom}`,
    fields: [{ name: "words", label: "What the players read", kind: "words" }],
    does: "Send it",
    send: ({ words }) => desk.ask({ type: "SendMessage", terminals, words }),
  });
}

/** Record that an officer was informed of a closing. @param {Desk} desk @param {string} subject */
function notifyOfficer(desk, subject) {
  askSheet({
    name: "notify",
    title: `An officer was told that ${subject} closes`,
    about: [el("p", {}, "Record who was told, and when, before it is closed.")],
    fields: [{ name: "words", label: "Who was told, and why it closes", kind: "words" }],
    does: "Record it",
    send: ({ words }) => desk.ask({ type: "NotifyOfficer", subject, words }),
  });
}

/** The button for informing an officer first, where the rules require it. @param {Desk} desk @param {string} subject */
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

/** The gaming day is that of the newest journal entry. @param {Desk} desk @param {string} table */
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

// Permissions: who may send which command, by the rulebook; and buttons that name the duty they need.

/**
 * The titles that may send a command at a table; null until they are known.
 * @param {Desk} desk @param {string} table @param {string | undefined} command
 * @returns {string[] | null}
 */
export function titlesFor(desk, table, command) {
  if (command === undefined) return null;
  const digest = desk.view.floor?.terms?.[table]?.now.digest;
  return desk.view.floor?.rulebooks?.find((one) => one.digest === digest)?.titles[command] ?? null;
}

/**
 * A button; where the person may not press it, it names who may.
 * @param {Desk} desk
 * @param {{words: string, press: () => unknown, titles: readonly string[] | null, looks?: string}} deed
 */
export function rightfulButton(desk, { words, press, titles, looks = "" }) {
  if (titles === null || desk.holds(titles))
    return button(words, ({ currentTarget }) => pressOnce(currentTarget, press), { class: looks });
  const who = titles.length > 0 ? `for ${titles.join(" or ")}` : "for nobody here";
  return button(el("span", { class: "others" }, words, el("small", {}, who)), () => {}, {
    class: looks,
    disabled: true,
  });
}

// Changing the rulebook of a table: proposed by one person, signed by another, in force from the next round.

/** @param {import("../console/client.js").Desk} desk @param {string} table */
function openRulebook(desk, table) {
  const { terms, rulebooks = [] } = desk.view.floor ?? {};
  const coming = terms?.[table]?.next ?? terms?.[table]?.now;
  if (!coming) return;
  const others = rulebooks.filter(({ digest }) => digest !== coming.digest);
  /** @type {[string, string][]} */
  const choices = others.map(({ digest, rulebook, version, currency }) => [
    digest,
    `${rulebook}, ${version}, ${currency}`,
  ]);
  askSheet({
    name: "rulebook",
    title: `Rulebook of table ${table}`,
    about: [
      el("p", {}, `It plays by ${coming.rulebook}. Another counts from the next round.`),
      ...(others.length === 0 ? [el("p", {}, "The house has adopted no other rulebook.")] : []),
    ],
    fields: [
      { name: "rulebook", label: "From the next round", kind: "choice", choices },
      { name: "words", label: "Why it is changed", kind: "words" },
    ],
    does: "Sign it",
    dual: true,
    send: ({ rulebook, words }) => desk.ask({ type: "ChangeRulebook", table, rulebook, words }),
  });
}

// Adding a terminal to a table, with two signatures.

/** @param {Desk} desk @param {string} table */
function openNewTerminal(desk, table) {
  const currency = desk.felt(table)?.currency ?? "";
  askSheet({
    name: "new-terminal",
    title: `A new terminal at ${table}`,
    fields: [
      { name: "terminal", label: "Its name", kind: "name" },
      { name: "profile", label: "Its model, where the rules know several", optional: true },
      { name: "denominations", label: "What one credit may be worth", about: currency, value: "1" },
      { name: "chips", label: "Chips, in credits", value: "1, 5, 10, 25, 100" },
      { name: "notes", label: "Notes that it takes", about: currency, value: "5, 10, 20, 50, 100" },
    ],
    does: "Sign it",
    dual: true,
    send: ({ terminal, profile, ...given }) => {
      const denominations = listed(given.denominations).map((one) => centsOf(one) ?? 0);
      const notes = listed(given.notes).map((one) => centsOf(one) ?? 0);
      const chips = listed(given.chips).map(Number);
      const settings = { profile: profile || null, denominations, chips, notes };
      return desk.ask({ type: "AddTerminal", terminal, tables: [table], settings });
    },
  });
}

/** The items of a comma-separated list. @param {string} written */
const listed = (written) => written.split(/[,;]\s*|\s+/).filter((one) => one !== "");
