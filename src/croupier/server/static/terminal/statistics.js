// The statistics card beside the felt.

import { statisticsOf } from "../shared/fetched.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("./controller.js").Controller} Controller
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

/** @param {Controller} ui */
export function statsCard(ui) {
  const state = ui.table();
  if (!state) return null;
  // Until they have come, the card has its size, so that nothing moves then.
  const statistics = statisticsOf(state, () => ui.session.redraw());
  const data = ui.data();
  const { hot = [], cold = [], groups = null, spins = state.numbers?.length ?? 0 } = statistics ?? {};
  const pairs = PAIRS.filter((pair) => pair.every(([name]) => groups?.some(({ group }) => group === name) ?? true));
  return h(
    "section",
    { class: "statscard", "aria-label": say("stats.title") },
    h("h2", null, say("stats.last", { n: spins })),
    spins > 0 && h(
      "div",
      { class: "tally" },
      hot.length > 0 && [
        line(say("stats.hot"), statistics && plates(hot, data, statistics)),
        line(say("stats.cold"), statistics && plates(cold, data, statistics)),
      ],
      pairs.map((pair) => halves(statistics, pair)),
    ),
    h("p", null, say("stats.odds")),
    button(say("stats.more"), () => ui.dialogs.statistics(), { class: "quiet" }),
  );
}

/** @param {string} words @param {import("../shared/render.js").Child} drawn */
const line = (words, drawn) => h("div", { class: "line" }, h("span", null, words), drawn);

/**
 * Two halves of all spins in one bar; the zeros are the gap between them.
 * @param {NumberStatistics | null} statistics null until they are known @param {[[string, string], [string, string]]} pair
 */
function halves(statistics, pair) {
  const { groups, spins } = statistics ?? { groups: [], spins: 0 };
  const shares = pair.map(([name]) => {
    const count = groups.find(({ group }) => group === name)?.count ?? 0;
    return spins === 0 ? 50 : (count * 100) / spins;
  });
  return h(
    "p",
    {
      class: "halves",
      "data-pair": pair[0][0],
      style: { "--first": `${shares[0]}%`, "--second": `${shares[1]}%` },
    },
    pair.map(([, words], place) =>
      h(
        "span",
        null,
        statistics ? say("stats.half", { name: say(words), percent: Math.round(shares[place]) }) : say(words),
      )
    ),
  );
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
  return h(
    "ul",
    { class: "plates" },
    pockets.map((pocket) =>
      h(
        "li",
        { "data-colour": data?.colours.get(pocket) ?? null },
        pocket,
        h("small", null, `×${statistics.pockets[pocket]?.count ?? 0}`),
      )
    ),
  );
}

/** @param {number} n @param {number} all */
export const percent = (n, all) => (all === 0 ? 0 : Math.round((n * 100) / all));
