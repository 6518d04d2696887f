// Rules, odds and clauses.

import { openDialog } from "../../shared/dialog.js";
import { h, icon } from "../../shared/render.js";
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
  let [sought, isLost] = [clause, false];
  const search = (/** @type {Event & {target: HTMLInputElement}} */ { target }) => {
    sought = target.value;
    dialog.redraw();
  };
  const body = () => {
    const rules = known.get(id);
    const wanted = sought.trim().toLowerCase();
    const listed = rules ? searched(rules.clauses, wanted) : [];
    const found = wanted === "" ? say("rules.all", { n: listed.length }) : say("rules.found", { n: listed.length });
    return [
      h(
        "div",
        { class: "searched" },
        icon("search"),
        h("input", {
          type: "search",
          autocomplete: "off",
          "aria-label": say("rules.search"),
          placeholder: say("rules.search"),
          value: sought,
          input: search,
        }),
      ),
      h("p", { class: "quiet", role: "status" }, rules ? found : isLost ? say("rules.lost") : say("rules.coming")),
      rules && wanted === "" && h("div", { class: "wide" }, oddsTable(rules)),
      h("dl", { class: "clauses", lang: "en", dir: "ltr" }, listed.map(clauseNode)),
    ];
  };
  const href = `rules/${encodeURIComponent(id)}`;
  const dialog = openDialog({
    name: "rules",
    title: say("rules.title"),
    look: "wide",
    body,
    foot: () => h("a", { class: "row", href, target: "_blank", rel: "noopener" }, say("rules.page")),
  });
  fetched(id).catch(() => (isLost = true)).finally(() => dialog.redraw());
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

/** What every bet and call pays, and the house edge. @param {Rules} rules  */
function oddsTable({ venue, title, pockets, bets, calls }) {
  const heads = [say("rules.bet"), say("rules.pays"), say("rules.keeps"), say("rules.clause")];
  const betRows = bets.map((bet) =>
    row(
      capital(bet.label),
      bet.pays === 0 ? say("odds.pot") : say("odds", { pays: bet.pays }),
      kept(bet.edge),
      bet.clause,
    )
  );
  const callRows = calls.map((call) => row(call.label, span(call.chips), kept(call.edge), call.clause));
  return [
    h("p", { class: "venue", lang: "en", dir: "ltr" }, `${venue}: ${title}`),
    h("p", { class: "quiet" }, say("rules.about", { n: pockets })),
    table(say("rules.odds"), heads, betRows),
    ...(calls.length > 0
      ? [table(say("rules.calls"), [say("rules.call"), say("rules.chips"), ...heads.slice(2)], callRows)]
      : []),
    h("h3", null, say("rules.clauses")),
  ];
}

/** A clause: a paraphrase, and what the software does about it. @param {Clause} one */
const clauseNode = ({ clause, says, does, no_code: not, awaits }) =>
  h(
    "div",
    { key: clause },
    h("dt", null, clause),
    h("dd", null, h("p", null, says), not || awaits ? null : h("p", { class: "does" }, does)),
  );

/** @param {string} caption @param {string[]} heads @param {import("../../shared/render.js").VNode[]} rows */
const table = (caption, heads, rows) =>
  h(
    "table",
    { class: "odds" },
    h("caption", null, caption),
    h("thead", null, h("tr", null, heads.map((words) => h("th", { scope: "col" }, words)))),
    h("tbody", null, rows),
  );

/** @param {string} name @param {string[]} cells */
const row = (name, ...cells) =>
  h(
    "tr",
    null,
    h("th", { scope: "row", lang: "en" }, name),
    // Clause numbers keep their direction: 21.a, never a.21.
    cells.map((words) => h("td", null, h("bdi", null, words))),
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
