// Clauses: the rule behind something, as a way to where it is written.

import { el } from "../kit/dom.js";

/** A clause as a link to the page of its rules, which opens beside this one; nothing where there is none.
 * @param {string | null | undefined} rulebook @param {string | null | undefined} clause */
export function clauseLink(rulebook, clause) {
  if (!clause) return null;
  if (!rulebook) return el("small", { class: "clause" }, `[${clause}]`);
  const href = `rules/${encodeURIComponent(rulebook)}#${encodeURIComponent(clause)}`;
  const label = `Clause ${clause}, opens the rules`;
  return el("a", { class: "clause", href, target: "_blank", rel: "noopener", "aria-label": label }, `[${clause}]`);
}

/** The rules that are played by at a table now. @param {import("./desk.js").Desk} desk @param {string | null} table */
export const rulesAt = (desk, table) => (table === null ? null : (desk.view.tables[table]?.state.rulebook ?? null));
