// Receivables and payables: amounts that corrections left open between the house and terminal sessions.

import { el, shown, text } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { say } from "../shared/text.js";
import { clauseMark, timeOf } from "./text.js";
import { grid } from "./widgets.js";

/** @typedef {import("../shared/types/console.js").DebtRow} DebtRow */

/**
 * The list of a console; hidden while it is empty.
 * @param {(row: DebtRow) => string | Node} act the action of a row
 * @param {() => unknown} [depends] what else the actions depend on
 * @returns {import("./client.js").Part}
 */
export function receivablesPart(act, depends = () => "") {
  const listed = grid({
    label: say("debts.label"),
    columns: [
      { head: say("hold.terminal"), cell: (row) => row.terminal || chipPlayer(row) },
      { head: say("debts.session"), cell: sessionOf },
      { head: say("debts.corrected"), cell: ({ table, round, at_us }) => say("debts.at", { table, round, time: timeOf(at_us) }) },
      { head: say("matrix.clause"), cell: ({ clause }) => clauseMark(clause) },
      { head: say("debts.by-player"), cell: ({ receivable, currency }) => amount(receivable, currency), sum: true },
      { head: say("debts.to-player"), cell: ({ payable, currency }) => amount(payable, currency), sum: true },
      { head: "", cell: act },
    ],
    key: (/** @type {DebtRow} */ { terminal, session, position, receivable, payable, ended }) =>
      JSON.stringify([terminal, session, position, receivable, payable, ended, depends()]),
  });
  const more = el("p", { class: "none" });
  const node = el(
    "section",
    { class: "card debts", "aria-label": say("debts.title") },
    el("h2", {}, say("debts.title")),
    listed.node,
    more,
  );
  const update = (/** @type {import("../shared/store.js").State} */ { floor }) => {
    const [rows, left] = [floor?.debts ?? [], floor?.debts_more ?? 0];
    shown(node, rows.length > 0);
    listed.update(rows);
    text(more, left > 0 ? say("hold.more", { n: left }) : "");
    shown(more, left > 0);
  };
  return { node, update };
}

/** A player with chips: how staff refer to the player, and the colours. @param {DebtRow} row */
const chipPlayer = ({ label, position, colours }) => [label || `# ${position}`, ...(colours ?? [])].join(", ");

/** @param {DebtRow} row */
function sessionOf({ terminal, session, ended }) {
  if (!terminal) return ended ? say("debts.left") : "";
  return ended ? say("debts.ended", { session }) : String(session);
}

/** @param {number} cents @param {string} currency */
const amount = (cents, currency) => (cents > 0 ? money(cents, currency) : "");
