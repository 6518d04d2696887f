// The statistics card beside the felt.

import { button, el, shown, text } from "../shared/dom.js";
import { statisticsOf } from "../shared/fetched.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/fetched.js").NumberStatistics} NumberStatistics
 */

/** The even chances in pairs. @type {[[string, string], [string, string]][]} */
export const PAIRS = [
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

/** @param {Controller} ui @returns {{node: HTMLElement, update: (view: TerminalView) => void}} */
export function statsCard(ui) {
  const title = el("h2", {});
  const body = el("div", { class: "tally" });
  const more = button(say("stats.more"), () => ui.dialogs.statistics(), { class: "quiet" });
  const node = el(
    "section",
    { class: "statscard", "aria-label": say("stats.title") },
    title,
    body,
    el("p", {}, say("stats.odds")),
    more,
  );
  /** What is drawn: the statistics, and the felt that the colours come from. @type {[unknown, unknown]} */
  let shows = [null, null];
  const update = (/** @type {TerminalView} */ view) => {
    const table = ui.focus();
    const state = view.tables[table]?.state;
    const statistics = state ? statisticsOf(state, () => ui.session.redraw()) : null;
    shown(node, statistics !== null);
    const data = ui.data(table);
    if (!statistics || (statistics === shows[0] && data === shows[1])) return;
    shows = [statistics, data];
    text(title, say("stats.last", { n: statistics.spins }));
    shown(body, statistics.spins > 0);
    body.replaceChildren(
      ...(statistics.hot.length > 0
        ? [
          line(say("stats.hot"), plates(statistics.hot, data, statistics)),
          line(say("stats.cold"), plates(statistics.cold, data, statistics)),
        ]
        : []),
      ...PAIRS.filter((pair) => pair.every(([name]) => statistics.groups.some(({ group }) => group === name)))
        .map((pair) => halves(statistics, pair)),
    );
  };
  return { node, update };
}

/** @param {string} words @param {Node} drawn */
const line = (words, drawn) => el("div", { class: "line" }, el("span", {}, words), drawn);

/**
 * Two halves of all spins in one bar; the zeros are the gap between them.
 * @param {NumberStatistics} statistics @param {[[string, string], [string, string]]} pair
 */
function halves(statistics, pair) {
  const bar = el("p", { class: "halves", "data-pair": pair[0][0] });
  for (const [name, words] of pair) {
    const count = statistics.groups.find(({ group }) => group === name)?.count ?? 0;
    const share = statistics.spins === 0 ? 0 : (count * 100) / statistics.spins;
    bar.append(el("span", {}, say("stats.half", { name: say(words), percent: Math.round(share) })));
    bar.style.setProperty(name === pair[0][0] ? "--first" : "--second", `${share}%`);
  }
  return bar;
}

/**
 * The heat of each pocket from 0 to 1, for the felt.
 * @param {NumberStatistics | null} statistics @returns {Record<string, number> | null}
 */
export function heatOf(statistics) {
  if (!statistics || statistics.spins === 0) return null;
  const most = Math.max(...Object.values(statistics.pockets).map(({ count }) => count));
  return Object.fromEntries(Object.entries(statistics.pockets).map(([pocket, { count }]) => [pocket, count / most]));
}

/**
 * Pockets as small plates, with number and colour.
 * @param {string[]} pockets @param {Felt | null} data @param {NumberStatistics} statistics
 */
export function plates(pockets, data, statistics) {
  return el(
    "ul",
    { class: "plates" },
    ...pockets.map((pocket) =>
      el(
        "li",
        { "data-colour": data?.colours.get(pocket) ?? null },
        pocket,
        el("small", {}, `×${statistics.pockets[pocket]?.count ?? 0}`),
      )
    ),
  );
}

/** @param {number} n @param {number} all */
export const percent = (n, all) => (all === 0 ? 0 : Math.round((n * 100) / all));
