// The clause matrix: every clause of a rulebook with the code and the tests behind it.

import { grid } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, field, text } from "../shared/dom.js";
import { say } from "../shared/text.js";

/**
 * @typedef {{clause: string, topic: string, says: string, does: string, no_code: string | null, awaits: string | null,
 *   tests: string[]}} Clause
 * @typedef {{venue: string, title: string, version: string, clauses: Clause[]}} Rules
 */

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/client.js").Part} */
export function clauseMatrix(client) {
  /** @type {Map<string, Rules | null>} */
  const known = new Map();
  const list = el("ul", { class: "rulebooks" });
  const node = el("section", { class: "card matrix" }, el("h2", {}, say("matrix.title")), list);
  const fetched = async (/** @type {string} */ rulebook) => {
    known.set(rulebook, null);
    const answer = await fetch(new URL(`rules/${encodeURIComponent(rulebook)}.json`, document.baseURI));
    if (answer.ok) known.set(rulebook, await answer.json());
    client.session.redraw();
  };
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const rulebooks = [...new Set(Object.values(view.tables).map(({ state }) => state.rulebook))].sort();
    for (const one of rulebooks) if (!known.has(one)) void fetched(one);
    each(
      list,
      rulebooks.map((id) => ({ id, rules: known.get(id) ?? null })),
      ({ id }) => id,
      ({ id }) =>
        el(
          "li",
          {},
          button(id, () => openClauses(known.get(id)), { class: "small" }),
          el("span", {}),
        ),
      (item, { rules }) => {
        text(item.querySelector("button"), rules?.venue ?? "…");
        text(item.querySelector("span"), rules ? counted(rules.clauses) : "");
      },
    );
  };
  return { node, update };
}

/** @param {Clause[]} clauses */
function counted(clauses) {
  const none = clauses.filter(({ no_code: no }) => no).length;
  const waiting = clauses.filter(({ awaits }) => awaits).length;
  const tested = clauses.filter(({ tests }) => tests.length > 0).length;
  const words = [
    say("matrix.clauses", { n: clauses.length }),
    say("matrix.tested", { n: tested }),
    say("matrix.no-code", { n: none }),
  ];
  return [...words, ...(waiting ? [say("matrix.waiting", { n: waiting })] : [])].join(" · ");
}

/** @param {Rules | null | undefined} rules */
function openClauses(rules) {
  if (!rules) return;
  const search = el("input", { type: "search", autocomplete: "off" });
  const rows = grid({
    label: say("matrix.label"),
    key: ({ clause }) => clause,
    empty: say("matrix.empty"),
    columns: [
      { head: say("matrix.clause"), cell: (/** @type {Clause} */ { clause }) => clause },
      { head: say("matrix.says"), cell: ({ says }) => says },
      { head: say("matrix.software"), cell: implementationText },
      { head: say("matrix.tests"), cell: ({ tests }) => (tests.length > 0 ? tests.join(" ") : "–") },
    ],
  });
  const show = () => rows.update(rules.clauses.filter((one) => matches(one, search.value.trim().toLowerCase())));
  search.addEventListener("input", show);
  show();
  openDialog({
    name: "matrix",
    title: `${rules.venue}: ${rules.title}`,
    look: "wide",
    body: [field(say("matrix.search"), search), rows.node],
  });
}

/** @param {Clause} clause */
function implementationText({ does, no_code: no, awaits }) {
  if (no) return say("matrix.not-done", { why: no });
  return awaits ? say("matrix.not-yet", { does, awaits }) : does;
}

/** @param {Clause} clause @param {string} words */
const matches = ({ clause, says, does, tests }, words) =>
  [clause, says, does, ...tests].some((one) => one.toLowerCase().includes(words));
