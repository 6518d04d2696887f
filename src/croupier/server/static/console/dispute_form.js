// The form that opens a dispute.

import { askSheet } from "./forms.js";
import { rulesAt } from "./widgets.js";

/**
 * @typedef {import("./client.js").Desk} Desk
 * @typedef {import("./forms.js").Field} Field
 */

/** @typedef {{table?: string, round?: number, terminal?: string}} Which */

/** @type {[string, string][]} */
const BASES = [
  ["not_covered", "The rules do not cover it"],
  ["from_rules", "It arises from a rule"],
];

/**
 * Ask for the table where it is not known, and then for the rest.
 * @param {Desk} desk @param {Which} which @param {() => void} done
 */
export function openNewDispute(desk, which, done) {
  const tables = desk.ordered(Object.keys(desk.view.tables));
  if (which.table !== undefined || tables.length === 1) return ask(desk, which, which.table ?? tables[0], done);
  let chosen = "";
  askSheet({
    name: "dispute-table",
    title: "Open a dispute",
    fields: [{ name: "table", label: "Table", kind: "choice", choices: tables.map((name) => [name, name]) }],
    does: "Go on",
    send: async ({ table }) => ((chosen = table), { refusal: null, paid: null }),
    done: () => ask(desk, which, chosen, done),
  });
}

/** @param {Desk} desk @param {Which} which @param {string} table @param {() => void} done */
async function ask(desk, which, table, done) {
  const clauses = await clausesAt(rulesAt(desk, table));
  askSheet({
    name: "dispute-open",
    title: `Open a dispute at ${table}`,
    about: ["The record of the round is frozen as it stands, whatever becomes of the round."],
    fields: fieldsOf(desk, { ...which, table }, clauses),
    does: "Open the dispute",
    look: "middle",
    send: (given) =>
      desk.ask({
        ...{ type: "OpenDispute", table, round: given.round, terminal: given.terminal || null },
        ...{ basis: given.basis, words: given.words, rule: given.rule || null, memorandum: given.memorandum },
      }),
    done,
  });
}

/** @param {Desk} desk @param {Which & {table: string}} which @param {[string, string][]} clauses @returns {Field[]} */
function fieldsOf(desk, { table, round, terminal }, clauses) {
  const seats = desk.view.floor?.tables?.[table]?.seats.map((seat) => seat.terminal).sort() ?? [];
  const last = desk.view.tables[table]?.state.round ?? null;
  return [
    { name: "round", label: "Round", kind: "number", value: round ?? last },
    {
      ...{
        name: "terminal",
        label: "Terminal that it is about",
        kind: "choice",
        value: terminal ?? "",
        optional: true,
      },
      choices: [["", "none in particular"], ...seats.map((name) => /** @type {[string, string]} */ ([name, name]))],
    },
    { name: "basis", label: "What it stands on", kind: "choice", choices: BASES, value: "not_covered" },
    {
      ...{ name: "rule", label: "The rule in question", kind: "choice", value: "", optional: true },
      choices: [["", "none"], ...clauses],
    },
    {
      name: "memorandum",
      label: "Version of the memorandum on disputes",
      optional: true,
      about: "where the venue has one",
    },
    { name: "words", label: "What is disputed, in plain words", kind: "words" },
  ];
}

/** How much of a clause is shown beside its number. */
const SAID_MOST = 90;

/**
 * The clauses of a rulebook to choose from, or none where they cannot be fetched.
 * @param {string | null} rulebook @returns {Promise<[string, string][]>}
 */
async function clausesAt(rulebook) {
  if (rulebook === null) return [];
  const answer = await fetch(new URL(`rules/${encodeURIComponent(rulebook)}.json`, document.baseURI)).catch(() => null);
  if (!answer?.ok) return [];
  /** @type {{clauses: {clause: string, says: string}[]}} */
  const { clauses } = await answer.json();
  return clauses.map(({ clause, says }) => [clause, `${clause} ${shortened(says)}`]);
}

/** @param {string} says */
const shortened = (says) => (says.length > SAID_MOST ? `${says.slice(0, SAID_MOST)}…` : says);
