// Rows of the rules: bets and calls with what they pay and what the house keeps, and clauses as the venue numbers them.

import { el } from "../../kit/dom.js";
import { locale, say } from "../../kit/words.js";

/** What every bet and call pays, and the part of a stake that the house keeps in the long run.
 * @param {any} rules @returns {Node[]} */
export function oddsTable({ venue, title, pockets, bets, calls }) {
  const heads = [say("rules.bet"), say("rules.pays"), say("rules.keeps"), say("rules.clause")];
  const betRows = bets.map((/** @type {any} */ bet) =>
    row(capital(bet.label), say("odds", { pays: bet.pays }), kept(bet.edge), bet.clause),
  );
  const callRows = calls.map((/** @type {any} */ call) =>
    row(call.label, span(call.chips), kept(call.edge), call.clause),
  );
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

/** A clause: what it says in our words, and what the software does about it. @param {any} one */
export const clauseNode = ({ clause, says, does, no_code: not, awaits }) =>
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
    // A clause is called what the venue calls it: 21.a, and never a.21.
    ...cells.map((words) => el("td", {}, el("bdi", {}, words))),
  );

/** A part such as 1/19, as a percentage. @param {string[]} edges */
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
