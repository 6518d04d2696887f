// Receivables and payables: amounts that corrections left open between the house and terminal sessions.

import { money } from "../shared/money.js";
import { h } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { timeOf } from "./text.js";
import { dataTable } from "./widgets.js";
import { clauseMark } from "../shared/clause.js";

/** @typedef {import("../shared/types/console.js").DebtRow} DebtRow */

/**
 * The list of a console; nothing while it is empty.
 * @param {import("../shared/store.js").State} view @param {(row: DebtRow) => import("../shared/render.js").Child} act the action of a row
 */
export function receivables({ floor }, act) {
  const [rows, left] = [floor?.debts ?? [], floor?.debts_more ?? 0];
  if (rows.length === 0) return null;
  const amount = (/** @type {number} */ cents, /** @type {string} */ currency) =>
    cents > 0 && money(cents, currency, locale());
  return h(
    "section",
    { class: "card debts", "aria-label": say("debts.title") },
    h("h2", null, say("debts.title")),
    dataTable({
      label: say("debts.label"),
      columns: [
        { head: say("hold.terminal"), cell: (row) => row.terminal || chipPlayer(row) },
        { head: say("debts.session"), cell: sessionOf },
        {
          head: say("debts.corrected"),
          cell: ({ table, round, at_us }) => say("debts.at", { table, round, time: timeOf(at_us) }),
        },
        { head: say("matrix.clause"), cell: ({ clause }) => clauseMark(clause) },
        { head: say("debts.by-player"), cell: ({ receivable, currency }) => amount(receivable, currency), sum: true },
        { head: say("debts.to-player"), cell: ({ payable, currency }) => amount(payable, currency), sum: true },
        { head: "", cell: act },
      ],
      rows,
      key: ({ terminal, session, position }) => `${terminal}:${session}:${position}`,
    }),
    left > 0 && h("p", { class: "none" }, say("hold.more", { n: left })),
  );
}

/** A player with chips: how staff refer to the player, and the colours. @param {DebtRow} row */
const chipPlayer = ({ label, position, colours }) => [label || `# ${position}`, ...(colours ?? [])].join(", ");

/** @param {DebtRow} row */
function sessionOf({ terminal, session, ended }) {
  if (!terminal) return ended ? say("debts.left") : "";
  return ended ? say("debts.ended", { session }) : String(session);
}
