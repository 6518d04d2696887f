// The terms of a table: limits by kind of bet and timers, as they are now and, where others come, from the next round.

import { el } from "../kit/dom.js";
import { grid } from "../staff/grid.js";
import { wordOf } from "../staff/words.js";
import { kindName, rangeOf, TIMERS, timeWords, writing } from "./tablewords.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").TermsRow} TermsRow
 * @typedef {{what: string, now: string, next: string}} Line
 */

/** @param {Desk} desk @param {string} name @returns {import("../staff/desk.js").Part} */
export function termsView(desk, name) {
  const both = compared("Limits and timers", "Now", "From the next round");
  const now = compared("Limits and timers", "Now", "");
  const says = el("p", { class: "coming" });
  const node = el("section", { class: "terms" }, el("h3", {}, "Limits and timers"), says, now.node, both.node);
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const terms = view.floor?.terms?.[name];
    if (!terms) return;
    const lines = termLines(desk, name, terms.now, terms.next ?? terms.now);
    says.hidden = terms.next === null;
    says.textContent = "Other terms are signed, and in force from the next round.";
    both.node.hidden = terms.next === null;
    now.node.hidden = terms.next !== null;
    (terms.next ? both : now).update(lines);
  };
  return { node, update };
}

/** A grid of what is, and of what comes; what differs is marked. @param {string} label @param {string} now
 * @param {string} next nothing where nothing comes */
export function compared(label, now, next) {
  const columns = [
    { head: "What", cell: (/** @type {Line} */ { what }) => what },
    { head: now, cell: (/** @type {Line} */ line) => line.now, sum: true },
    ...(next ? [{ head: next, cell: (/** @type {Line} */ line) => line.next, sum: true }] : []),
  ];
  return grid({
    label,
    columns,
    key: ({ what }) => what,
    change: (line, { now: was, next: comes }) => line.toggleAttribute("data-differs", next !== "" && was !== comes),
  });
}

/** Everything that is told of two sets of terms. @param {Desk} desk @param {string} name @param {TermsRow} now
 * @param {TermsRow} next @returns {Line[]} */
function termLines(desk, name, now, next) {
  const write = writing(desk, name);
  const kinds = new Map(next.limits.kinds.map((row) => [row[0], row]));
  const total = (/** @type {TermsRow} */ { limits }) => rangeOf(limits.total_least, limits.total_most, write);
  return [
    { what: "Rulebook", now: now.rulebook, next: next.rulebook },
    ...now.limits.kinds.map(([kind, least, most]) => {
      const [, nextLeast = null, nextMost = null] = kinds.get(kind) ?? [];
      const what = wordOf(kindName(desk, name, kind));
      return { what, now: rangeOf(least, most, write), next: rangeOf(nextLeast, nextMost, write) };
    }),
    { what: "All bets of a player", now: total(now), next: total(next) },
    ...timerLines(now.settings, next.settings),
  ];
}

/** @param {unknown} now @param {unknown} next @returns {Line[]} */
export function timerLines(now, next) {
  const [was, comes] = /** @type {Record<string, unknown>[]} */ ([now, next]);
  return TIMERS.map(([key, what]) => ({ what, now: timeWords(was[key]), next: timeWords(comes[key]) }));
}
