// The form that opens a dispute.

import { openForm } from "./forms.js";
import { rulesAt } from "./widgets.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("./forms.js").Field} Field
 */

/** @typedef {{table?: string, round?: number, terminal?: string}} Which */

const BASES = ["not_covered", "from_rules"];

/**
 * Ask for the table where it is not known, and then for the rest.
 * @param {ConsoleClient} client @param {Which} which @param {() => void} done
 */
export function openNewDispute(client, which, done) {
  const tables = client.ordered(Object.keys(client.view.tables));
  if (which.table !== undefined || tables.length === 1) {
    return openDisputeForm(client, which, which.table ?? tables[0], done);
  }
  let chosen = "";
  openForm({
    name: "dispute-table",
    title: say("dispute.new"),
    fields: [{
      name: "table",
      label: say("report.table-field"),
      kind: "choice",
      choices: tables.map((name) => [name, name]),
    }],
    does: say("dispute.go-on"),
    send: async ({ table }) => ((chosen = table), { refusal: null, paid: null }),
    done: () => openDisputeForm(client, which, chosen, done),
  });
}

/** @param {ConsoleClient} client @param {Which} which @param {string} table @param {() => void} done */
async function openDisputeForm(client, which, table, done) {
  const clauses = await clausesAt(rulesAt(client, table));
  openForm({
    name: "dispute-open",
    title: say("dispute.new-at", { table }),
    about: [say("dispute.frozen")],
    fields: fieldsOf(client, { ...which, table }, clauses),
    does: say("dispute.open"),
    look: "middle",
    send: (given) =>
      client.sendCommand({
        type: "OpenDispute",
        table,
        round: given.round,
        terminal: given.terminal || null,
        position: given.position ?? null,
        basis: given.basis,
        words: given.words,
        rule: given.rule || null,
        memorandum: given.memorandum,
      }),
    done,
  });
}

/** @param {ConsoleClient} client @param {Which & {table: string}} which @param {[string, string][]} clauses @returns {Field[]} */
function fieldsOf(client, { table, round, terminal }, clauses) {
  const seats = client.view.floor?.tables?.[table]?.seats.map((seat) => seat.terminal).sort() ?? [];
  const last = client.view.tables[table]?.state.round ?? null;
  const settings =
    /** @type {import("../shared/types/commands.js").TableSettings | undefined} */ (client.view.floor?.terms?.[table]
      ?.now.settings);
  return [
    { name: "round", label: say("dispute.round"), kind: "number", value: round ?? last },
    {
      name: "terminal",
      label: say("dispute.about-terminal"),
      kind: "choice",
      value: terminal ?? "",
      optional: true,
      choices: [
        ["", say("dispute.no-terminal")],
        ...seats.map((name) => /** @type {[string, string]} */ ([name, name])),
      ],
    },
    // The pit does not receive the chips of players: a player is named by the number of the position.
    ...(settings?.live ? [positionField()] : []),
    {
      name: "basis",
      label: say("dispute.stands"),
      kind: "choice",
      choices: BASES.map((basis) => [basis, say(`dispute-basis.${basis}`)]),
      value: "not_covered",
    },
    {
      name: "rule",
      label: say("dispute.rule-field"),
      kind: "choice",
      value: "",
      optional: true,
      choices: [["", say("dispute.no-number")], ...clauses],
    },
    {
      name: "memorandum",
      label: say("dispute.memo-field"),
      optional: true,
      about: say("dispute.memo-about"),
    },
    { name: "words", label: say("dispute.words"), kind: "words" },
  ];
}

/** @returns {Field} */
const positionField = () => ({
  name: "position",
  label: say("dispute.about-position"),
  kind: "number",
  optional: true,
  about: say("dispute.position-about"),
});

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
