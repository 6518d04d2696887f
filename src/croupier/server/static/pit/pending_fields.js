// The inputs and texts of pending items.

import { clauseMark, labelOf, worded } from "../console/text.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/forms.js").Field} Field
 * @typedef {import("../shared/types/console.js").PendingItem} PendingItem
 */

/**
 * @typedef {{name: string, label: string, table: string | null}} FieldRequest the name of a fact, the label of the
 *   action that needs it, and the table
 * @typedef {(client: ConsoleClient, asked: FieldRequest) => Omit<Field, "name">} FieldMaker
 */

/** @type {Record<string, FieldMaker>} */
const FIELDS = {
  words: (_desk, { label }) => ({
    label: say(label === "message" ? "pit-field.player" : "ticket.why"),
    kind: "words",
  }),
  decision: () => ({ label: say("pit-field.decision"), kind: "words" }),
  outcome: () => ({ label: say("pit-field.outcome"), kind: "words" }),
  pocket: (client, { table }) => ({ label: say("pit-field.pocket"), kind: "choice", choices: pockets(client, table) }),
  again: (client, { table }) => ({ label: say("pit-field.again"), kind: "choice", choices: pockets(client, table) }),
  reason: (client, { table }) => ({ label: say("pit-field.reason"), kind: "choice", choices: reasons(client, table) }),
  reference: () => ({ label: say("pit-field.reference") }),
  patron: () => ({ label: say("pit-field.patron") }),
  form_number: () => ({ label: say("pit-field.form_number") }),
};

/** @param {ConsoleClient} client @param {FieldRequest} asked @returns {Field} */
export function fieldFor(client, asked) {
  const { name } = asked;
  return { name, ...(FIELDS[name]?.(client, asked) ?? { label: labelOf(name) }) };
}

/**
 * Every pocket of a table's wheel in felt order; none is preselected.
 * @param {ConsoleClient} client @param {string | null} table @returns {[string, string][]}
 */
function pockets(client, table) {
  const cells = (table && client.felt(table)?.cells) || [];
  return [
    ["", say("pit-field.choose-number")],
    ...cells.map(({ pocket, colour }) => /** @type {[string, string]} */ ([pocket, `${pocket} ${say(`colour.${colour}`)}`])),
  ];
}

/**
 * The reasons that the venue lists, with their clauses; those that the person may call come first.
 * @param {ConsoleClient} client @param {string | null} table @returns {[string, string][]}
 */
function reasons(client, table) {
  const listed = (table && client.felt(table)?.no_spin) || [];
  const mine = listed.filter(({ by }) => client.hasTitle(by));
  const others = listed.filter(({ by }) => !client.hasTitle(by));
  const words = (
    /** @type {import("../shared/types/wire.js").ListedReason} */ { reason, clause, by },
    /** @type {boolean} */ may,
  ) =>
    /** @type {[string, string]} */ ([
      reason,
      `${worded("reason.", reason)} ${clauseMark(clause)}${may ? "" : ` (${say("dispute.for", { titles: by.join(", ") })})`}`,
    ]);
  return [["", say("pit-field.choose-reason")], ...mine.map((one) => words(one, true)), ...others.map((one) => words(one, false))];
}

// Texts: the titles of pending items, and the labels and effects of their actions.

/** The button of an action, by its label. @param {string} label */
export const actionText = (label) => worded("pit-label.", label);

/** The effect of an action, where it needs one; else "". @param {string} label */
export function effectText(label) {
  const id = `pit-effect.${label}`;
  const words = say(id);
  return words === id ? "" : words;
}

/** @type {Record<PendingItem["kind"], (need: PendingItem) => string>} */
const TITLES = {
  suspended: ({ table, number: n }) => say("needs.suspended", { table: table ?? "", n: n ?? 0 }),
  interrupted: ({ table, number: n }) => say("needs.interrupted", { table: table ?? "", n: n ?? 0 }),
  incident: ({ what, table, terminal }) => `${table ?? terminal ?? "House"}: ${labelOf(what).toLowerCase()}`,
  blocked: ({ table, what }) => `${table}: cannot play, ${labelOf(what).toLowerCase()}`,
  case: ({ table, terminal, what, count }) =>
    terminal === null
      ? say("needs.lines-lost", { table: table ?? "", n: count })
      : `${terminal}: malfunction, ${labelOf(what).toLowerCase()}`,
  device: ({ terminal, what }) => `${terminal}: ${worded("device-name.", what).toLowerCase()} does not work`,
  call: ({ terminal }) => say("needs.call", { terminal: terminal ?? "" }),
  proposal: ({ what }) => say("needs.awaits", { what: worded("command.", what) }),
  held_win: ({ terminal, what }) =>
    say(what === "recorded" ? "needs.win-recorded" : "needs.win-held", { terminal: terminal ?? "" }),
  dispute: ({ number: n, table }) => say("needs.dispute", { table: table ?? "", n: n ?? 0 }),
  dark: ({ table, terminal, count }) =>
    terminal === null ? say("needs.dark-many", { table: table ?? "", n: count }) : say("needs.dark", { terminal }),
  credit_left: ({ terminal }) => say("needs.credit-left", { terminal: terminal ?? "" }),
  idle: ({ terminal, number: n }) => say("needs.idle", { terminal: terminal ?? "", n: n ?? 0 }),
};

/** @param {PendingItem} need */
export const titleOf = (need) => TITLES[need.kind](need);
