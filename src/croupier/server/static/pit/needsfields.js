// Fields: how each fact that an action may lack is asked for, by its name.

import { clauseMark, wordOf } from "../staff/words.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../staff/askform.js").Field} Field
 * @typedef {{name: string, label: string, table: string | null}} Asked the name of a fact, the label of the
 *   action that lacks it, and the table
 * @typedef {(desk: Desk, asked: Asked) => Omit<Field, "name">} Maker
 */

/** @type {Record<string, Maker>} */
const MAKERS = {
  words: (_desk, { label }) => ({
    label: label === "message" ? "What the player reads" : "Why, in plain words",
    kind: "words",
  }),
  decision: () => ({ label: "What was decided, and why", kind: "words" }),
  outcome: () => ({ label: "What the review came to", kind: "words" }),
  pocket: (desk, { table }) => ({ label: "The number", kind: "choice", choices: pockets(desk, table) }),
  again: (desk, { table }) => ({ label: "The same number again", kind: "choice", choices: pockets(desk, table) }),
  reason: (desk, { table }) => ({ label: "What went wrong", kind: "choice", choices: reasons(desk, table) }),
  reference: () => ({ label: "The authority's reference" }),
  patron: () => ({ label: "The patron's name, as on the form" }),
  form_number: () => ({ label: "The number of the form" }),
};

/** @param {Desk} desk @param {Asked} asked @returns {Field} */
export function fieldFor(desk, asked) {
  const { name } = asked;
  return { name, ...(MAKERS[name]?.(desk, asked) ?? { label: wordOf(name) }) };
}

/** Every pocket of a table's wheel as its felt is printed, and none chosen yet.
 * @param {Desk} desk @param {string | null} table @returns {[string, string][]} */
function pockets(desk, table) {
  const cells = (table && desk.felt(table)?.cells) || [];
  return [
    ["", "Choose the number"],
    ...cells.map(({ pocket, colour }) => /** @type {[string, string]} */ ([pocket, `${pocket} ${colour}`])),
  ];
}

/** The reasons that the venue lists, each with its clause; those first that whoever is signed in may call.
 * @param {Desk} desk @param {string | null} table @returns {[string, string][]} */
function reasons(desk, table) {
  const listed = (table && desk.felt(table)?.no_spin) || [];
  const mine = listed.filter(({ by }) => desk.holds(by));
  const others = listed.filter(({ by }) => !desk.holds(by));
  const words = (
    /** @type {import("../kit/types.js").ListedReason} */ { reason, clause, by },
    /** @type {boolean} */ may,
  ) =>
    /** @type {[string, string]} */ ([
      reason,
      `${wordOf(reason)} ${clauseMark(clause)}${may ? "" : ` (for ${by.join(" or ")})`}`,
    ]);
  return [["", "Choose the reason"], ...mine.map((one) => words(one, true)), ...others.map((one) => words(one, false))];
}
