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
    label: label === "message" ? "What the player reads" : "Why, in plain words",
    kind: "words",
  }),
  decision: () => ({ label: "What was decided, and why", kind: "words" }),
  outcome: () => ({ label: "What the review came to", kind: "words" }),
  pocket: (client, { table }) => ({ label: "The number", kind: "choice", choices: pockets(client, table) }),
  again: (client, { table }) => ({ label: "The same number again", kind: "choice", choices: pockets(client, table) }),
  reason: (client, { table }) => ({ label: "What went wrong", kind: "choice", choices: reasons(client, table) }),
  reference: () => ({ label: "The authority's reference" }),
  patron: () => ({ label: "The patron's name, as on the form" }),
  form_number: () => ({ label: "The number of the form" }),
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
    ["", "Choose the number"],
    ...cells.map(({ pocket, colour }) => /** @type {[string, string]} */ ([pocket, `${pocket} ${colour}`])),
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
      `${labelOf(reason)} ${clauseMark(clause)}${may ? "" : ` (for ${by.join(" or ")})`}`,
    ]);
  return [["", "Choose the reason"], ...mine.map((one) => words(one, true)), ...others.map((one) => words(one, false))];
}

// Texts: the titles of pending items, and the labels of their actions.

/** The button of an action, by its label. @type {Record<string, string>} */
export const LABELS = {
  advise: "Complainant was advised",
  answer: "On my way",
  approve_software: "Approve this version…",
  attest: "Enter the missing number…",
  clear: "Seen to",
  clear_case: "It works again…",
  clear_line_loss: "They work again…",
  close_resolved: "Close: resolved…",
  close_unresolved: "Close: unresolved…",
  collect_for: "Collect for the player…",
  confirm_bets: "Confirm the bets…",
  correct: "Correct the number…",
  decide: "Decide it…",
  enter: "Enter the number…",
  go_on: "Let it go on…",
  malfunction: "Raise a malfunction…",
  message: "Message…",
  no_spin: "No spin…",
  record_form: "Record the form…",
  record_review: "Record the review…",
  refer: "Refer the round…",
  release: "Release as credit…",
  reopen: "Put back into service",
  request_review: "Ask for a review…",
  settle: "Settle it…",
  unlock: "Unlock…",
  void: "Void and refund…",
  void_bets: "Void the bets…",
};

/** The effect of an action. @type {Record<string, string>} */
export const EFFECTS = {
  approve_software: "The authority has approved this version of the software, under this reference.",
  attest: "Two people say where the ball lay. The round is then settled by that number.",
  clear_case: "The terminal goes back into service.",
  clear_line_loss: "All its terminals that are back go into service again. Those still offline stay as they are.",
  close_resolved: "The dispute is closed, and the complainant is content.",
  close_unresolved: "The dispute is closed, and the complainant is not content.",
  collect_for: "All credits come out as paper at this console, to be handed to the player.",
  confirm_bets: "The bets are as the electronic records have them, and count.",
  go_on: "The round goes on from where it was suspended.",
  no_spin: "The spin does not count. What becomes of the bets the rules say.",
  release: "The win becomes credit at its terminal.",
  request_review: "Somebody outside the house looks at the decision.",
  settle: "The round is settled by this number.",
  unlock: "The name signs in again on every device at once. Find out first who gave the wrong passwords.",
  void: "The round does not count, and all its stakes go back.",
  void_bets: "The bets of this terminal do not count, and go back.",
};

/** @type {Record<PendingItem["kind"], (need: PendingItem) => string>} */
const TITLES = {
  suspended: ({ table, number }) => `${table}: round ${number} is suspended`,
  interrupted: ({ table, number }) => `${table}: round ${number} was interrupted`,
  incident: ({ what, table, terminal }) => `${table ?? terminal ?? "House"}: ${labelOf(what).toLowerCase()}`,
  blocked: ({ table, what }) => `${table}: cannot play, ${labelOf(what).toLowerCase()}`,
  case: ({ table, terminal, what, count }) =>
    terminal === null
      ? `${table}: ${count} terminals lost their links`
      : `${terminal}: malfunction, ${labelOf(what).toLowerCase()}`,
  device: ({ terminal, what }) => `${terminal}: ${labelOf(what).toLowerCase()} does not work`,
  call: ({ terminal }) => `${terminal}: calls an attendant`,
  proposal: ({ what }) => say("needs.awaits", { what: worded("command.", what) }),
  held_win: ({ terminal, what }) => `${terminal}: a win is held${what === "recorded" ? ", its form is recorded" : ""}`,
  dispute: ({ number, table }) => `${table}: dispute ${number}`,
  dark: ({ table, terminal, count }) =>
    terminal === null ? `${table}: no link to ${count} terminals` : `${terminal}: no link`,
  credit_left: ({ terminal }) => `${terminal}: out of service with credit`,
  idle: ({ terminal, number }) => `${terminal}: no bet for ${number} spins`,
};

/** @param {PendingItem} need */
export const titleOf = (need) => TITLES[need.kind](need);
