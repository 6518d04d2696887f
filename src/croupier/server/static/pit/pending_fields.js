// The inputs and texts of pending items.

import { incidentText } from "../console/incidents.js";
import { firstMessage, labelOf, refusedText, worded } from "../console/text.js";
import { say } from "../shared/text.js";
import { clauseMark } from "../shared/clause.js";

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
    ...cells.map((
      { pocket, colour },
    ) => /** @type {[string, string]} */ ([pocket, `${pocket} ${say(`colour.${colour}`)}`])),
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
  ) => /** @type {[string, string]} */ ([
    reason,
    `${worded("reason.", reason)} ${clauseMark(clause)}${
      may ? "" : ` (${say("dispute.for", { titles: by.join(", ") })})`
    }`,
  ]);
  return [
    ["", say("pit-field.choose-reason")],
    ...mine.map((one) => words(one, true)),
    ...others.map((one) => words(one, false)),
  ];
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
  incident: ({ what, table, terminal }) =>
    say("needs.incident", { place: table ?? terminal ?? say("journal.house"), what: say(`incident-name.${what}`) }),
  blocked: ({ table }) => say("needs.blocked", { table: table ?? "" }),
  case: ({ table, terminal, what, count }) =>
    terminal === null
      ? say("needs.lines-lost", { table: table ?? "", n: count })
      : say("needs.case", { terminal, fault: say(`fault-name.${what}`) }),
  device: ({ terminal, what }) =>
    what === "paper"
      ? say("device.low-paper", { terminal: terminal ?? "" })
      : say("needs.device", { terminal: terminal ?? "", device: worded("device-name.", what) }),
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

// What is pending, in a sentence, by its kind and facts. What staff wrote stays as it is.

/**
 * @typedef {Record<string, string | number>} Facts
 * @typedef {(client: ConsoleClient, need: PendingItem, facts: Facts) => string} Sentence
 */

/** @type {Record<PendingItem["kind"], Sentence>} */
const SENTENCES = {
  suspended: () => say("item.suspended"),
  interrupted: () => say("item.interrupted"),
  incident: (_client, { what, facts, says }) => incidentText(what, facts, says),
  blocked: (_client, { what, says, facts, clause }) => {
    const row = { reason: what, says, remedy: "", facts, clause };
    return [blockerText(row), remedyText(row)].filter(Boolean).join(" ");
  },
  case: (client, { terminal, table, facts, says }, given) => {
    if (terminal === null) return say("item.line-loss", given);
    if (typeof facts.sign !== "string") return says;
    const write = (/** @type {unknown} */ cents) => client.amount(Number(cents ?? 0), table ?? "");
    return say(`case-sign.${facts.sign}`, { ...given, shown: write(facts.shown), credit: write(facts.credit) });
  },
  device: (_client, { what, terminal }, { words }) =>
    what === "paper"
      ? say("device.low-paper", { terminal: terminal ?? "" })
      : say("item.device", { device: worded("device-name.", what), words }),
  call: (_client, { what }) => say(`item-call.${what}`),
  proposal: (_client, { says }) => says,
  held_win: (_client, _need, given) => say("item.held", given),
  dispute: (_client, _need, { player, text }) => (player ? say("item.dispute", { player, words: text }) : String(text)),
  dark: (_client, { terminal, count }) => (terminal === null ? say("item.dark-many", { n: count }) : say("item.dark")),
  credit_left: () => say("item.credit-left"),
  idle: (_client, { number }) => say("item.idle", { n: number ?? 0 }),
};

/** @param {ConsoleClient} client @param {PendingItem} need */
export const itemText = (client, need) => SENTENCES[need.kind](client, need, /** @type {Facts} */ (need.facts));

/**
 * Why a table cannot play.
 * @param {import("../shared/types/console.js").BlockerRow} row
 */
export function blockerText({ reason, says, facts }) {
  const step = facts.step;
  if (typeof step === "string") return say("blocker.awaiting", { step: say(`step.${step}`) });
  const refusal = refusedText({ code: reason, says, facts: /** @type {any} */ (facts) });
  return firstMessage([`blocker.${reason}`], /** @type {Facts} */ (facts), refusal);
}

/** What ends it. @param {import("../shared/types/console.js").BlockerRow} row */
export const remedyText = ({ reason, remedy, facts }) =>
  firstMessage([`remedy.${facts.step ? "awaiting" : reason}`], /** @type {Facts} */ (facts), remedy);
