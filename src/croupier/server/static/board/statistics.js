// The statistics and limits of a table on the display, fetched when they change.

import { el, shown, text } from "../shared/dom.js";
import { fetched } from "../shared/fetched.js";
import { money } from "../shared/money.js";
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

/** @returns {{node: HTMLElement, update: (statistics: NumberStatistics | null, felt: Felt | null) => void}} */
export function statistics() {
  const title = el("h2", {});
  const bars = el("div", { class: "bars" });
  const heat = el("dl", { class: "heat" });
  const odds = el("p", { class: "odds" }, say("stats.odds"));
  const node = el("section", { class: "figures", "aria-label": say("stats.title") }, title, bars, heat, odds);
  /** What is drawn already. @type {[NumberStatistics | null, Felt | null]} */
  let drawn = [null, null];
  /** @param {NumberStatistics | null} statistics @param {Felt | null} felt */
  const update = (statistics, felt) => {
    shown(node, statistics !== null && statistics.spins > 0);
    if (!statistics || !felt || (statistics === drawn[0] && felt === drawn[1])) return;
    drawn = [statistics, felt];
    text(title, say("stats.last", { n: statistics.spins }));
    bars.replaceChildren(
      ...PAIRS.filter((pair) => areCounted(pair, statistics)).map((pair) => bar(pair, statistics, felt)),
    );
    shown(heat, statistics.hot.length > 0);
    heat.replaceChildren(
      ...row(say("stats.hot"), statistics.hot, felt),
      ...row(say("stats.cold"), statistics.cold, felt),
    );
  };
  return { node, update };
}

/** Whether the felt has both bets. @param {[string, string]} pair @param {NumberStatistics} statistics */
const areCounted = (pair, { groups }) => pair.every((name) => groups.some(({ group }) => group === name));

/**
 * Two halves of all spins; the zeros are the gap between them.
 * @param {[string, string]} pair @param {NumberStatistics} statistics @param {Felt} felt
 */
function bar(pair, statistics, felt) {
  const node = el("p", { class: "bar", "data-pair": pair.join("-") });
  for (const group of pair) {
    const count = statistics.groups.find((one) => one.group === group)?.count ?? 0;
    const kind = felt.kinds.find((one) => one.kind === group);
    const name = kind ? kindName(kind) : group;
    node.append(el("span", {}, say("stats.half", { name, percent: Math.round((count * 100) / statistics.spins) })));
    node.style.setProperty(group === pair[0] ? "--first" : "--second", `${(count * 100) / statistics.spins}%`);
  }
  return node;
}

/** @param {string} words @param {string[]} pockets @param {Felt} felt */
function row(words, pockets, felt) {
  const plates = pockets.map((pocket) => el("span", { "data-colour": felt.colours.get(pocket) ?? null }, pocket));
  return [el("dt", {}, words), el("dd", {}, ...plates)];
}

// The limits of a table: kinds of bet with the same limits stand together.

/** @returns {{node: HTMLElement, update: (limits: LimitsRow | null, felt: Felt | null) => void}} */
export function limits() {
  const list = el("dl", {});
  const node = el(
    "section",
    { class: "limits", "aria-label": say("limits.title") },
    el("h2", {}, say("limits.title")),
    list,
  );
  /** What is drawn already. @type {[LimitsRow | null, Felt | null]} */
  let drawn = [null, null];
  /** @param {LimitsRow | null} statistics @param {Felt | null} felt */
  const update = (statistics, felt) => {
    shown(node, statistics !== null && felt !== null);
    if (!statistics || !felt || (statistics === drawn[0] && felt === drawn[1])) return;
    drawn = [statistics, felt];
    list.replaceChildren(
      ...rowsOf(statistics, felt).flatMap(([name, bounds]) => [el("dt", {}, name), el("dd", {}, bounds)]),
    );
  };
  return { node, update };
}

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
