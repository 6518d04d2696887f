// The form that opens a dispute.

import { openForm } from "./forms.js";
import { rulesAt } from "./widgets.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
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
 * @param {ConsoleClient} client @param {Which} which @param {() => void} done
 */
export function openNewDispute(client, which, done) {
  const tables = client.ordered(Object.keys(client.view.tables));
  if (which.table !== undefined || tables.length === 1)
    return openDisputeForm(client, which, which.table ?? tables[0], done);
  let chosen = "";
  openForm({
    name: "dispute-table",
    title: "Open a dispute",
    fields: [{ name: "table", label: "Table", kind: "choice", choices: tables.map((name) => [name, name]) }],
    does: "Go on",
    send: async ({ table }) => ((chosen = table), { refusal: null, paid: null }),
    done: () => openDisputeForm(client, which, chosen, done),
  });
}

/** @param {ConsoleClient} client @param {Which} which @param {string} table @param {() => void} done */
async function openDisputeForm(client, which, table, done) {
  const clauses = await clausesAt(rulesAt(client, table));
  openForm({
    name: "dispute-open",
    title: `Open a dispute at ${table}`,
    about: ["The record of the round is frozen as it stands, whatever becomes of the round."],
    fields: fieldsOf(client, { ...which, table }, clauses),
    does: "Open the dispute",
    look: "middle",
    send: (given) =>
      client.sendCommand({
        ...{ type: "OpenDispute", table, round: given.round, terminal: given.terminal || null },
        ...{ basis: given.basis, words: given.words, rule: given.rule || null, memorandum: given.memorandum },
      }),
    done,
  });
}

/** @param {ConsoleClient} client @param {Which & {table: string}} which @param {[string, string][]} clauses @returns {Field[]} */
function fieldsOf(client, { table, round, terminal }, clauses) {
  const seats = client.view.floor?.tables?.[table]?.seats.map((seat) => seat.terminal).sort() ?? [];
  const last = client.view.tables[table]?.state.round ?? null;
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
const CLAUSE_TEXT_MOST = 90;

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
const shortened = (says) => (says.length > CLAUSE_TEXT_MOST ? `${says.slice(0, CLAUSE_TEXT_MOST)}…` : says);
