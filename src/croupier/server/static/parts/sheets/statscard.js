// The statistics card: hot and cold numbers and the even chances, small, beside the felt.

import { button, el, shown, text } from "../../kit/dom.js";
import { say } from "../../kit/words.js";
import { openStatistics } from "./statistics.js";
import { tally } from "./tally.js";
import { percent, plates } from "./tallyrows.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {import("./tally.js").Tally} Tally */

/** The even chances, two and two. @type {[[string, string], [string, string]][]} */
const PAIRS = [
  [
    ["red", "stats.red"],
    ["black", "stats.black"],
  ],
  [
    ["even", "stats.even"],
    ["odd", "stats.odd"],
  ],
  [
    ["low", "stats.low"],
    ["high", "stats.high"],
  ],
];

/** @param {Ui} ui @returns {{node: HTMLElement, update: (view: any) => void}} */
export function statsCard(ui) {
  const title = el("h2", {});
  const body = el("div", { class: "tally" });
  const more = button(say("stats.more"), () => openStatistics(ui), { class: "quiet" });
  const node = el(
    "section",
    { class: "statscard", "aria-label": say("stats.title") },
    title,
    body,
    el("p", {}, say("stats.odds")),
    more,
  );
  /** What is drawn: the tally, and the felt it has its colours from. @type {[unknown, unknown]} */
  let shows = [null, null];
  const update = (/** @type {any} */ view) => {
    const table = ui.focus();
    const told = tally(table, view.tables[table]?.state, () => ui.session.redraw());
    shown(node, told !== null);
    const data = ui.data(table);
    if (!told || (told === shows[0] && data === shows[1])) return;
    shows = [told, data];
    text(title, say("stats.last", { n: told.spins }));
    shown(body, told.spins > 0);
    body.replaceChildren(
      line(say("stats.hot"), plates(told.hot, data, told)),
      line(say("stats.cold"), plates(told.cold, data, told)),
      ...PAIRS.map((pair) => halves(told, pair)),
    );
  };
  return { node, update };
}

/** @param {string} words @param {Node} drawn */
const line = (words, drawn) => el("div", { class: "line" }, el("span", {}, words), drawn);

/** Two halves of all spins in one bar; what is neither, the zeros, is the gap between them.
 * @param {Tally} told @param {[[string, string], [string, string]]} pair */
function halves(told, pair) {
  const bar = el("p", { class: "halves" });
  for (const [name, words] of pair) {
    const count = told.groups.find(({ group }) => group === name)?.count ?? 0;
    const half = el(
      "span",
      { "data-group": name },
      say("stats.half", { name: say(words), percent: percent(count, told.spins) }),
    );
    half.style.setProperty("--count", String(told.spins === 0 ? 0 : count / told.spins));
    bar.append(half);
  }
  return bar;
}
