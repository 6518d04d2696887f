// The actions on a table, and who may take them.

import { openDocument } from "../console/documents.js";
import { openForm, pressOnce } from "../console/forms.js";
import { centsOf } from "../shared/money.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
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
    { words: say("table-action.settings"), command: "ChangeSettings", press: () => openSettings(client, table) },
    { words: say("table-action.rulebook"), command: "ChangeRulebook", press: () => openRulebook(client, table) },
    {
      words: say("pit-label.message"),
      command: "SendMessage",
      press: () => messageTo(client, seatsOf(client, table), say("message.to-table", { table })),
    },
    { words: say("table-action.report"), press: () => report(client, table) },
    { words: say("table-action.rules"), command: "PrintRules", press: () => printRules(client, table) },
    { words: say("table-action.note"), command: "NoteIncident", press: () => note(client, table) },
    { words: say("table-action.add-terminal"), command: "AddTerminal", press: () => openNewTerminal(client, table) },
    {
      words: say("table-action.malfunction"),
      command: "RaiseSystemMalfunction",
      press: () => malfunction(client, table),
      grave: true,
    },
    closed
      ? { words: say("table-action.open"), command: "ReopenTable", press: () => reopen(client, table) }
      : { words: say("table-action.close"), command: "CloseTable", press: () => close(client, table), grave: true },
  ];
}

/** @param {ConsoleClient} client @param {string} table */
const seatsOf = (client, table) => (client.view.floor?.tables?.[table]?.seats ?? []).map(({ terminal }) => terminal);

/** A message to some terminals. @param {ConsoleClient} client @param {string[]} terminals @param {string} whom */
export function messageTo(client, terminals, whom) {
  openForm({
    name: "message",
    title: say("message.title", { whom }),
    fields: [{ name: "words", label: say("message.words"), kind: "words" }],
    does: say("message.send"),
    send: ({ words }) => client.sendCommand({ type: "SendMessage", terminals, words }),
  });
}

/** Record that an officer was informed of a closing. @param {ConsoleClient} client @param {string} subject */
function notifyOfficer(client, subject) {
  openForm({
    name: "notify",
    title: say("officer.title", { subject }),
    about: [h("p", null, say("officer.about"))],
    fields: [{ name: "words", label: say("officer.words"), kind: "words" }],
    does: say("hold.save"),
    send: ({ words }) => client.sendCommand({ type: "NotifyOfficer", subject, words }),
  });
}

/** The button for informing an officer first, where the rules require it. @param {ConsoleClient} client @param {string} subject */
export const notifyFirst = (client, subject) =>
  h(
    "p",
    { class: "first" },
    `${say("officer.first")} `,
    button(say("officer.record"), () => notifyOfficer(client, subject), { class: "small" }),
  );

/** @param {ConsoleClient} client @param {string} table */
function close(client, table) {
  openForm({
    name: "close-table",
    title: say("close-table.title", { table }),
    about: [
      h("p", null, say("close-table.about")),
      notifyFirst(client, table),
    ],
    fields: [{ name: "words", label: say("close-table.words"), kind: "words" }],
    does: say("close-table.does"),
    grave: true,
    send: ({ words }) => client.sendCommand({ type: "CloseTable", table, words }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function reopen(client, table) {
  openForm({
    name: "open-table",
    title: say("open-table.title", { table }),
    about: [h("p", null, say("open-table.about"))],
    does: say("open-table.does"),
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
    title: say("print-rules.title", { table }),
    about: [h("p", null, say("print-rules.about"))],
    fields: [{ name: "sold", label: say("print-rules.sold"), kind: "tick" }],
    does: say("print-rules.does"),
    send: ({ sold }) => client.sendCommand({ type: "PrintRules", table, sold }),
    done: () => openDocument(client, { type: "rules_copy", table }),
  });
}

/** @param {ConsoleClient} client @param {string} subject a table or a terminal */
export function note(client, subject) {
  openForm({
    name: "note",
    title: say("note.title", { subject }),
    fields: [{ name: "words", label: say("note.words"), kind: "words" }],
    does: say("hold.save"),
    send: ({ words }) => client.sendCommand({ type: "NoteIncident", subject, words }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function malfunction(client, table) {
  openForm({
    name: "system-malfunction",
    title: say("system-fault.title", { table }),
    about: [h("p", null, say("system-fault.about"))],
    fields: [{ name: "words", label: say("malfunction.fault"), kind: "words" }],
    does: say("system-fault.does"),
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
  if (titles === null || client.hasTitle(titles)) {
    return button(words, ({ currentTarget }) => pressOnce(currentTarget, press), { class: looks });
  }
  const who = titles.length > 0 ? say("dispute.for", { titles: titles.join(", ") }) : say("action.for-none");
  return button(h("span", { class: "others" }, words, h("small", null, who)), () => {}, {
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
    title: say("rulebook-form.title", { table }),
    about: [
      h("p", null, say("rulebook-form.about", { rulebook: coming.rulebook })),
      ...(others.length === 0 ? [h("p", null, say("rulebook-form.no-other"))] : []),
    ],
    fields: [
      { name: "rulebook", label: say("compare.next"), kind: "choice", choices },
      { name: "words", label: say("rulebook-form.words"), kind: "words" },
    ],
    does: say("needs.sign"),
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
    title: say("new-terminal.title", { table }),
    fields: [
      { name: "terminal", label: say("new-terminal.name"), kind: "name" },
      { name: "profile", label: say("new-terminal.profile"), optional: true },
      { name: "denominations", label: say("new-terminal.denominations"), about: currency, value: "1" },
      { name: "chips", label: say("new-terminal.chips"), value: "1, 5, 10, 25, 100" },
      { name: "notes", label: say("new-terminal.notes"), about: currency, value: "5, 10, 20, 50, 100" },
    ],
    does: say("needs.sign"),
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
