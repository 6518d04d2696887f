// The rules: odds, calls, fixed words and every clause of the venue in focus, to be read and searched.

import { each, el, shown, text } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { openSheet } from "../../kit/sheet.js";
import { say } from "../../kit/words.js";
import { clauseNode, oddsTable } from "./rulerows.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** Rulebooks that have come, by their id. @type {Map<string, any>} */
const known = new Map();

/** @param {Ui} ui @param {string} [clause] where to begin */
export function openRules(ui, clause = "") {
  const id = ui.view().tables[ui.focus()].state.rulebook;
  const found = el("p", { class: "quiet", role: "status" });
  const odds = el("div", { class: "wide" });
  const clauses = el("dl", { class: "clauses", lang: "en", dir: "ltr" });
  const words = { "aria-label": say("rules.search"), placeholder: say("rules.search") };
  const search = el("input", { type: "search", value: clause, autocomplete: "off", ...words });
  const show = () => {
    const rules = known.get(id);
    if (!rules) return;
    const wanted = search.value.trim().toLowerCase();
    const listed = searched(rules.clauses, wanted);
    shown(odds, wanted === "");
    text(found, wanted === "" ? say("rules.all", { n: listed.length }) : say("rules.found", { n: listed.length }));
    each(clauses, listed, (one) => one.clause, clauseNode);
  };
  search.addEventListener("input", show);
  openSheet({
    name: "rules",
    title: say("rules.title"),
    look: "wide",
    body: [el("div", { class: "searched" }, icon("search"), search), found, odds, clauses],
    foot: [
      el(
        "a",
        { class: "row", href: `rules/${encodeURIComponent(id)}`, target: "_blank", rel: "noopener" },
        say("rules.page"),
      ),
    ],
  });
  text(found, say("rules.coming"));
  fetched(id).then(
    (rules) => {
      odds.replaceChildren(...oddsTable(rules));
      show();
    },
    () => text(found, say("rules.lost")),
  );
}

/** The clause of that number with all below it; where there is none, those that have it in their words.
 * @param {any[]} clauses @param {string} wanted */
function searched(clauses, wanted) {
  const named = clauses.filter(({ clause }) => isOf(clause.toLowerCase(), wanted));
  const has = (/** @type {unknown} */ words) =>
    String(words ?? "")
      .toLowerCase()
      .includes(wanted);
  return named.length > 0
    ? named
    : clauses.filter(({ clause, topic, says, does }) => [clause, topic, says, does].some(has));
}

/** Whether a clause is the one of a number, or below it: 7(h) and 7(h)ii are of 7, and 70 is not.
 * @param {string} clause @param {string} wanted */
const isOf = (clause, wanted) =>
  clause.startsWith(wanted) && wanted !== "" && !/^[\w]/.test(clause.slice(wanted.length));

/** @param {string} id */
async function fetched(id) {
  if (!known.has(id)) {
    const answer = await fetch(new URL(`rules/${encodeURIComponent(id)}.json`, document.baseURI));
    if (!answer.ok) throw new Error(String(answer.status));
    known.set(id, await answer.json());
  }
  return known.get(id);
}
