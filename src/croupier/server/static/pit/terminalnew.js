// Adding a terminal at a table, as two people sign it.

import { centsOf } from "../kit/money.js";
import { askSheet } from "../staff/askform.js";

/** @typedef {import("../staff/desk.js").Desk} Desk */

/** @param {Desk} desk @param {string} table */
export function openNewTerminal(desk, table) {
  const currency = desk.felt(table)?.currency ?? "";
  askSheet({
    name: "new-terminal",
    title: `A new terminal at ${table}`,
    fields: [
      { name: "terminal", label: "Its name", kind: "name" },
      { name: "profile", label: "Its model, where the rules know several", optional: true },
      { name: "denominations", label: "What one credit may be worth", about: currency, value: "1" },
      { name: "chips", label: "Chips, in credits", value: "1, 5, 10, 25, 100" },
      { name: "notes", label: "Notes that it takes", about: currency, value: "5, 10, 20, 50, 100" },
    ],
    does: "Sign it",
    dual: true,
    send: ({ terminal, profile, ...given }) => {
      const denominations = listed(given.denominations).map((one) => centsOf(one) ?? 0);
      const notes = listed(given.notes).map((one) => centsOf(one) ?? 0);
      const chips = listed(given.chips).map(Number);
      const settings = { profile: profile || null, denominations, chips, notes };
      return desk.ask({ type: "AddTerminal", terminal, tables: [table], settings });
    },
  });
}

/** What stands between commas. @param {string} written */
const listed = (written) => written.split(/[,;]\s*|\s+/).filter((one) => one !== "");
