// The actions on a table, and who may take them.

import { openDocument } from "../console/documents.js";
import { openForm, pressOnce } from "../console/forms.js";
import { button, el } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";
import { openSettings } from "./table_settings.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

/**
 * @typedef {{words: string, press: () => unknown, command?: string, grave?: boolean}} Action with its command
 */

/**
 * The actions on a table.
 * @param {ConsoleClient} client
 * @param {TableState} state @returns {Action[]}
 */
export function tableActions(client, { table, closed }) {
  return [
    { words: "Limits and timers…", command: "ChangeSettings", press: () => openSettings(client, table) },
    { words: "Rulebook…", command: "ChangeRulebook", press: () => openRulebook(client, table) },
    {
      words: "Message…",
      command: "SendMessage",
      press: () => messageTo(client, seatsOf(client, table), `all terminals of ${table}`),
    },
    { words: "Day report…", press: () => report(client, table) },
    { words: "Rules…", command: "PrintRules", press: () => printRules(client, table) },
    { words: "Note…", command: "NoteIncident", press: () => note(client, table) },
    { words: "Add a terminal…", command: "AddTerminal", press: () => openNewTerminal(client, table) },
    {
      words: "System malfunction…",
      command: "RaiseSystemMalfunction",
      press: () => malfunction(client, table),
      grave: true,
    },
    closed
      ? { words: "Open the table…", command: "ReopenTable", press: () => reopen(client, table) }
      : { words: "Close the table…", command: "CloseTable", press: () => close(client, table), grave: true },
  ];
}

/** @param {ConsoleClient} client @param {string} table */
const seatsOf = (client, table) => (client.view.floor?.tables?.[table]?.seats ?? []).map(({ terminal }) => terminal);

/** A message to some terminals. @param {ConsoleClient} client @param {string[]} terminals @param {string} whom */
export function messageTo(client, terminals, whom) {
  openForm({
    name: "message",
    title: `Message to ${whom}`,
    fields: [{ name: "words", label: "What the players read", kind: "words" }],
    does: "Send it",
    send: ({ words }) => client.sendCommand({ type: "SendMessage", terminals, words }),
  });
}

/** Record that an officer was informed of a closing. @param {ConsoleClient} client @param {string} subject */
function notifyOfficer(client, subject) {
  openForm({
    name: "notify",
    title: `An officer was notified that ${subject} closes`,
    about: [el("p", {}, "Record who was told, and when, before it is closed.")],
    fields: [{ name: "words", label: "Who was told, and why it closes", kind: "words" }],
    does: "Record it",
    send: ({ words }) => client.sendCommand({ type: "NotifyOfficer", subject, words }),
  });
}

/** The button for informing an officer first, where the rules require it. @param {ConsoleClient} client @param {string} subject */
export const notifyFirst = (client, subject) =>
  el(
    "p",
    { class: "first" },
    "Where the rules ask for it, an officer is told before. ",
    button("Record that an officer was notified…", () => notifyOfficer(client, subject), { class: "small" }),
  );

/** @param {ConsoleClient} client @param {string} table */
function close(client, table) {
  openForm({
    name: "close-table",
    title: `Close table ${table}`,
    about: [
      el(
        "p",
        {},
        "A round that runs is played to its end; then no other is opened. Players read that the table is closed.",
      ),
      notifyFirst(client, table),
    ],
    fields: [{ name: "words", label: "Why it is closed", kind: "words" }],
    does: "Close the table",
    grave: true,
    send: ({ words }) => client.sendCommand({ type: "CloseTable", table, words }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function reopen(client, table) {
  openForm({
    name: "open-table",
    title: `Open table ${table}`,
    about: [el("p", {}, "Rounds can be opened again, and players read so.")],
    does: "Open the table",
    send: () => client.sendCommand({ type: "ReopenTable", table }),
  });
}

/** The gaming day is that of the newest journal entry. @param {ConsoleClient} client @param {string} table */
async function report(client, table) {
  const frame = await client.query("journal");
  const day = frame.t === "journal" ? frame.rows[0]?.day : undefined;
  if (day !== undefined) openDocument(client, { type: "table_report", table, day });
}

/** @param {ConsoleClient} client @param {string} table */
function printRules(client, table) {
  openForm({
    name: "print-rules",
    title: `Rules of table ${table}`,
    about: [el("p", {}, "Print the rules that this table plays by for a player; the copy is put on record.")],
    fields: [{ name: "sold", label: "It is sold", kind: "tick" }],
    does: "Record and print",
    send: ({ sold }) => client.sendCommand({ type: "PrintRules", table, sold }),
    done: () => openDocument(client, { type: "rules_copy", table }),
  });
}

/** @param {ConsoleClient} client @param {string} subject a table or a terminal */
export function note(client, subject) {
  openForm({
    name: "note",
    title: `Note an incident at ${subject}`,
    fields: [{ name: "words", label: "What happened", kind: "words" }],
    does: "Put it on record",
    send: ({ words }) => client.sendCommand({ type: "NoteIncident", subject, words }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function malfunction(client, table) {
  openForm({
    name: "system-malfunction",
    title: `The game system fails at ${table}`,
    about: [
      el("p", {}, "Every terminal of this table is affected; what becomes of its bets the rules say by this moment."),
    ],
    fields: [{ name: "words", label: "What is wrong", kind: "words" }],
    does: "Raise the malfunction",
    grave: true,
    send: ({ words }) => client.sendCommand({ type: "RaiseSystemMalfunction", table, words }),
  });
}

// Permissions: who may send which command, by the rulebook; and buttons that name the duty they need.

/**
 * The titles that may send a command at a table; null until they are known.
 * @param {ConsoleClient} client @param {string} table @param {string | undefined} command
 * @returns {string[] | null}
 */
export function titlesFor(client, table, command) {
  if (command === undefined) return null;
  const digest = client.view.floor?.terms?.[table]?.now.digest;
  return client.view.floor?.rulebooks?.find((one) => one.digest === digest)?.titles[command] ?? null;
}

/**
 * A button; where the person may not press it, it names who may.
 * @param {ConsoleClient} client
 * @param {{words: string, press: () => unknown, titles: readonly string[] | null, looks?: string}} action
 */
export function permittedButton(client, { words, press, titles, looks = "" }) {
  if (titles === null || client.hasTitle(titles))
    return button(words, ({ currentTarget }) => pressOnce(currentTarget, press), { class: looks });
  const who = titles.length > 0 ? `for ${titles.join(" or ")}` : "for nobody here";
  return button(el("span", { class: "others" }, words, el("small", {}, who)), () => {}, {
    class: looks,
    disabled: true,
  });
}

// Changing the rulebook of a table: proposed by one person, signed by another, in force from the next round.

/** @param {import("../console/client.js").ConsoleClient} client @param {string} table */
function openRulebook(client, table) {
  const { terms, rulebooks = [] } = client.view.floor ?? {};
  const coming = terms?.[table]?.next ?? terms?.[table]?.now;
  if (!coming) return;
  const others = rulebooks.filter(({ digest }) => digest !== coming.digest);
  /** @type {[string, string][]} */
  const choices = others.map(({ digest, rulebook, version, currency }) => [
    digest,
    `${rulebook}, ${version}, ${currency}`,
  ]);
  openForm({
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
    send: ({ rulebook, words }) => client.sendCommand({ type: "ChangeRulebook", table, rulebook, words }),
  });
}

// Adding a terminal to a table, with two signatures.

/** @param {ConsoleClient} client @param {string} table */
function openNewTerminal(client, table) {
  const currency = client.felt(table)?.currency ?? "";
  openForm({
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
      return client.sendCommand({ type: "AddTerminal", terminal, tables: [table], settings });
    },
  });
}

/** The items of a comma-separated list. @param {string} written */
const listed = (written) => written.split(/[,;]\s*|\s+/).filter((one) => one !== "");
