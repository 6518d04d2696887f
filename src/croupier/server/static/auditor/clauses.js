// The clause matrix: every clause of a rulebook with the code and the tests behind it.

import { dataTable } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, field, h } from "../shared/render.js";
import { say } from "../shared/text.js";

/**
 * @typedef {{clause: string, topic: string, says: string, does: string, no_code: string | null, awaits: string | null,
 *   tests: string[]}} Clause
 * @typedef {{venue: string, title: string, version: string, clauses: Clause[]}} Rules
 */

/** The rulebooks in force, fetched once each. */
export class Clauses {
  /** Null while it is fetched. @type {Map<string, Rules | null>} */
  #rules = new Map();

  /** @param {import("../console/client.js").ConsoleClient} client */
  constructor(client) {
    this.client = client;
  }

  /** @param {import("../shared/store.js").State} view */
  changed({ tables }) {
    for (const { state } of Object.values(tables)) {
      if (!this.#rules.has(state.rulebook)) void this.#fetch(state.rulebook);
    }
  }

  /** @param {string} rulebook */
  async #fetch(rulebook) {
    this.#rules.set(rulebook, null);
    const answer = await fetch(new URL(`rules/${encodeURIComponent(rulebook)}.json`, document.baseURI));
    if (answer.ok) this.#rules.set(rulebook, await answer.json());
    this.client.session.redraw();
  }

  draw() {
    const row = (/** @type {[string, Rules | null]} */ [id, rules]) =>
      h(
        "li",
        { key: id },
        button(rules?.venue ?? "…", () => openClauses(rules), { class: "small" }),
        h("span", null, rules && counted(rules.clauses)),
      );
    const rulebooks = [...this.#rules].sort(([one], [other]) => one.localeCompare(other));
    return h(
      "section",
      { class: "card matrix" },
      h("h2", null, say("matrix.title")),
      h("ul", { class: "rulebooks" }, rulebooks.map(row)),
    );
  }
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

/** @param {Rules | null} rules */
function openClauses(rules) {
  if (!rules) return;
  let search = "";
  const find = (/** @type {any} */ { target }) => {
    search = target.value.trim().toLowerCase();
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "matrix",
    title: `${rules.venue}: ${rules.title}`,
    look: "wide",
    body: () => [
      field(say("matrix.search"), h("input", { type: "search", autocomplete: "off", input: find })),
      dataTable({
        label: say("matrix.label"),
        columns: [
          { head: say("matrix.clause"), cell: ({ clause }) => clause },
          { head: say("matrix.says"), cell: ({ says }) => says },
          { head: say("matrix.software"), cell: implementationText },
          { head: say("matrix.tests"), cell: ({ tests }) => (tests.length > 0 ? tests.join(" ") : "–") },
        ],
        rows: rules.clauses.filter(({ clause, says, does, tests }) =>
          [clause, says, does, ...tests].some((one) => one.toLowerCase().includes(search))
        ),
        key: ({ clause }) => clause,
        empty: say("matrix.empty"),
      }),
    ],
  });
}

/** @param {Clause} clause */
function implementationText({ does, no_code: no, awaits }) {
  if (no) return say("matrix.not-done", { why: no });
  return awaits ? say("matrix.not-yet", { does, awaits }) : does;
}
