// The statistics and limits of a table on the display, fetched when they change.

import { fetched } from "../shared/fetched.js";
import { money } from "../shared/money.js";
import { h } from "../shared/render.js";
import { kindName, locale, say } from "../shared/text.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/console.js").LimitsRow} LimitsRow
 * @typedef {import("../shared/types/wire.js").NumberStatistics} NumberStatistics
 */

/** The even chances in pairs. @type {[string, string][]} */
const PAIRS = [
  ["red", "black"],
  ["even", "odd"],
  ["low", "high"],
];

/** @param {NumberStatistics | null} counted @param {Felt | null} felt */
export function statistics(counted, felt) {
  if (counted === null || felt === null || counted.spins === 0) return null;
  const { spins, hot, cold } = counted;
  return h(
    "section",
    { class: "figures", "aria-label": say("stats.title") },
    h("h2", null, say("stats.last", { n: spins })),
    h(
      "div",
      { class: "bars" },
      PAIRS.filter((pair) => areCounted(pair, counted)).map((pair) => bar(pair, counted, felt)),
    ),
    hot.length > 0 &&
      h("dl", { class: "heat" }, row(say("stats.hot"), hot, felt), row(say("stats.cold"), cold, felt)),
    h("p", { class: "odds" }, say("stats.odds")),
  );
}

/** Whether the felt has both bets. @param {[string, string]} pair @param {NumberStatistics} statistics */
const areCounted = (pair, { groups }) => pair.every((name) => groups.some(({ group }) => group === name));

/**
 * Two halves of all spins; the zeros are the gap between them.
 * @param {[string, string]} pair @param {NumberStatistics} counted @param {Felt} felt
 */
function bar(pair, { groups, spins }, felt) {
  const [first, second] = pair.map((group) => ((groups.find((one) => one.group === group)?.count ?? 0) * 100) / spins);
  const half = (/** @type {string} */ group, /** @type {number} */ percent) => {
    const kind = felt.kinds.find((one) => one.kind === group);
    return h("span", null, say("stats.half", { name: kind ? kindName(kind) : group, percent: Math.round(percent) }));
  };
  return h(
    "p",
    { class: "bar", "data-pair": pair.join("-"), style: { "--first": `${first}%`, "--second": `${second}%` } },
    half(pair[0], first),
    half(pair[1], second),
  );
}

/** @param {string} name @param {string[]} pockets @param {Felt} felt */
const row = (name, pockets, felt) => [
  h("dt", null, name),
  h("dd", null, pockets.map((pocket) => h("span", { "data-colour": felt.colours.get(pocket) }, pocket))),
];

// The limits of a table: kinds of bet with the same limits stand together.

/** @param {LimitsRow | null} bounds @param {Felt | null} felt */
export const limits = (bounds, felt) =>
  bounds &&
  felt &&
  h(
    "section",
    { class: "limits", "aria-label": say("limits.title") },
    h("h2", null, say("limits.title")),
    h("dl", null, rowsOf(bounds, felt).map(([name, range]) => [h("dt", null, name), h("dd", null, range)])),
  );

/**
 * The limits of a table, fetched with each round: they change between rounds.
 * @param {import("../shared/types/wire.js").TableState} table @param {() => void} arrived @returns {LimitsRow | null}
 */
export const limitsOf = ({ table, round, rulebook }, arrived) =>
  fetched(`limits/${encodeURIComponent(table)}.json`, `${rulebook} ${round}`, arrived);

/** @param {LimitsRow} response @param {Felt} felt @returns {[string, string][]} */
function rowsOf({ kinds, total_least: least, total_most: most }, felt) {
  /** @type {Map<string, string[]>} */
  const alike = new Map();
  for (const kind of felt.kinds) {
    const [, from = null, to = null] = kinds.find(([one]) => one === kind.kind) ?? [];
    const bounds = boundsOf(from, to, felt.currency);
    alike.set(bounds, [...(alike.get(bounds) ?? []), kindName(kind)]);
  }
  const rows = [...alike].map(([bounds, names]) => /** @type {[string, string]} */ ([names.join(", "), bounds]));
  return least || most ? [...rows, [say("limits.total"), boundsOf(least, most, felt.currency)]] : rows;
}

/** @param {number | null} least @param {number | null} most @param {string} currency */
function boundsOf(least, most, currency) {
  const write = (/** @type {number} */ cents) => money(cents, currency, locale(), "narrowSymbol");
  if (least && most) return say("lobby.range", { least: write(least), most: write(most) });
  if (least) return say("lobby.range-from", { least: write(least) });
  return most ? say("board.range-to", { most: write(most) }) : say("limits.none");
}
