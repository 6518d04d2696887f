// Rules, odds and clauses.

import { openDialog } from "../../shared/dialog.js";
import { each, el, icon, shown, text } from "../../shared/dom.js";
import { locale, say } from "../../shared/text.js";

/** @typedef {import("../controller.js").Controller} Controller */

/**
 * @typedef {{clause: string, topic: string, says: string, does: string, no_code: string | null, awaits: string | null}} Clause
 * @typedef {{label: string, edge: string[], clause: string}} Line
 * @typedef {{venue: string, title: string, pockets: number, bets: (Line & {pays: number})[],
 *   calls: (Line & {chips: number[]})[], clauses: Clause[]}} Rules the rules page of a rulebook
 */

/** Fetched rulebooks by id. @type {Map<string, Rules>} */
const known = new Map();

/** @param {Controller} ui @param {string} [clause] the clause to show first */
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
  openDialog({
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

/**
 * The clause of that number with its subclauses; if there is none, the clauses that contain the text.
 * @param {Clause[]} clauses @param {string} wanted
 */
function searched(clauses, wanted) {
  const spotsByKey = clauses.filter(({ clause }) => isOf(clause.toLowerCase(), wanted));
  const has = (/** @type {unknown} */ words) =>
    String(words ?? "")
      .toLowerCase()
      .includes(wanted);
  return spotsByKey.length > 0
    ? spotsByKey
    : clauses.filter(({ clause, topic, says, does }) => [clause, topic, says, does].some(has));
}

/**
 * Whether a clause has a number or stands below it: 7(h) and 7(h)ii belong to 7, 70 does not.
 * @param {string} clause @param {string} wanted
 */
const isOf = (clause, wanted) =>
  clause.startsWith(wanted) && wanted !== "" && !/^[\w]/.test(clause.slice(wanted.length));

/** @param {string} id */
async function fetched(id) {
  const found = known.get(id);
  if (found) return found;
  const answer = await fetch(new URL(`rules/${encodeURIComponent(id)}.json`, document.baseURI));
  if (!answer.ok) throw new Error(String(answer.status));
  /** @type {Rules} */
  const rules = await answer.json();
  known.set(id, rules);
  return rules;
}

// The rows: bets and calls with payout and house edge, and clauses in the venue's numbering.

/** What every bet and call pays, and the house edge. @param {Rules} rules @returns {Node[]} */
function oddsTable({ venue, title, pockets, bets, calls }) {
  const heads = [say("rules.bet"), say("rules.pays"), say("rules.keeps"), say("rules.clause")];
  const betRows = bets.map((bet) =>
    row(capital(bet.label), say("odds", { pays: bet.pays }), kept(bet.edge), bet.clause)
  );
  const callRows = calls.map((call) => row(call.label, span(call.chips), kept(call.edge), call.clause));
  return [
    el("p", { class: "venue", lang: "en", dir: "ltr" }, `${venue}: ${title}`),
    el("p", { class: "quiet" }, say("rules.about", { n: pockets })),
    table(say("rules.odds"), heads, betRows),
    ...(calls.length > 0
      ? [table(say("rules.calls"), [say("rules.call"), say("rules.chips"), ...heads.slice(2)], callRows)]
      : []),
    el("h3", {}, say("rules.clauses")),
  ];
}

/** A clause: a paraphrase, and what the software does about it. @param {Clause} one */
const clauseNode = ({ clause, says, does, no_code: not, awaits }) =>
  el(
    "div",
    {},
    el("dt", {}, clause),
    el("dd", {}, el("p", {}, says), not || awaits ? null : el("p", { class: "does" }, does)),
  );

/** @param {string} caption @param {string[]} heads @param {Node[]} rows */
const table = (caption, heads, rows) =>
  el(
    "table",
    { class: "odds" },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...heads.map((words) => el("th", { scope: "col" }, words)))),
    el("tbody", {}, ...rows),
  );

/** @param {string} name @param {string[]} cells */
const row = (name, ...cells) =>
  el(
    "tr",
    {},
    el("th", { scope: "row", lang: "en" }, name),
    // Clause numbers keep their direction: 21.a, never a.21.
    ...cells.map((words) => el("td", {}, el("bdi", {}, words))),
  );

/** A fraction such as 1/19, as a percentage. @param {string[]} edges */
const kept = (edges) => edges.map((edge) => percents(part(edge))).join(" / ");
/** @param {number} share */
const percents = (share) =>
  new Intl.NumberFormat(locale(), { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(
    share,
  );
/** @param {string} edge */
function part(edge) {
  const [above, below = "1"] = edge.split("/");
  return Number(above) / Number(below);
}

/** @param {number[]} chips */
const span = (chips) =>
  chips.length === 1
    ? say("chips", { n: chips[0] })
    : say("chips.range", { least: chips[0], n: chips[chips.length - 1] });

/** @param {string} words */
const capital = (words) => words.slice(0, 1).toUpperCase() + words.slice(1);
