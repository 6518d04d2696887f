// A row of the journal: when, where, what, by which clause, and who; what belongs to a round leads to its replay.

import { button, el } from "../kit/dom.js";
import { clauseLink, rulesAt } from "./clause.js";
import { openReplay } from "./replay.js";
import { timeOf } from "./words.js";

/** @typedef {import("./desk.js").Desk} Desk */
/** @typedef {import("../kit/consoles.js").JournalRow} Row */

/** @param {Desk} desk @param {Row} row */
export function rowOf(desk, row) {
  const { position, at_us: at, kind, words, clause, person, device, table, terminal } = row;
  const place = [table, terminal].filter(Boolean).join(" · ") || "House";
  const who = [person, device].filter(Boolean).join(" · ") || "the house";
  return el(
    "tr",
    { "data-kind": kind },
    el("td", { title: `Entry ${position}` }, timeOf(at)),
    el("td", { class: "where" }, place),
    el("td", { class: "what" }, words, " ", clauseLink(rulesAt(desk, table), clause)),
    el("td", { class: "by" }, who),
    el("td", { class: "acts" }, replayOf(desk, row)),
  );
}

/** @param {Desk} desk @param {Row} row */
function replayOf(desk, { table, round, terminal }) {
  if (table === null || round === null) return null;
  const label = `Replay round ${round} at ${table}`;
  return button("Replay", () => openReplay(desk, { table, round, terminal }), { class: "small", "aria-label": label });
}
