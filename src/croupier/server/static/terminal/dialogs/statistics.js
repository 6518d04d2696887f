// The statistics dialog and the statistics card.

import { openDialog } from "../../shared/dialog.js";
import { button, el, shown, text } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { toggle } from "./settings.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/felt_cache.js").Felt} Felt
 */

/** @param {Controller} ui */
export function openStatistics(ui) {
  const spins = el("p", { class: "spins", role: "status" });
  const drawn = el("div", { class: "tally" });
  const heat = toggle(
    say("stats.heat"),
    () => ui.prefs.now.heat,
    (on) => ui.prefs.set({ heat: on }),
  );
  /** What is drawn: the statistics, and the felt that the colours come from. @type {[unknown, unknown]} */
  let shows = [null, null];
  const update = (/** @type {TerminalView} */ view) => {
    heat.update();
    const table = ui.focus();
    const statistics = statisticsOf(table, view.tables[table]?.state, () => ui.session.redraw());
    text(spins, statistics ? say("stats.spins", { n: statistics.spins }) : say("stats.coming"));
    const data = ui.data(table);
    if (!statistics || (statistics === shows[0] && data === shows[1])) return;
    shows = [statistics, data];
    drawn.replaceChildren(...(statistics.spins > 0 ? sections(statistics, data) : []));
    shown(drawn, statistics.spins > 0);
  };
  openDialog({
    name: "statistics",
    title: say("stats.title"),
    look: "wide",
    body: [spins, el("p", { class: "odds-stay" }, say("stats.odds")), drawn],
    foot: [heat.node],
    update,
  });
  update(ui.seated());
}

/** @param {Tally} statistics @param {Felt | null} data */
function sections(statistics, data) {
  const found = new Map(statistics.groups.map((group) => [group.group, group]));
  const rows = GROUPS.flatMap(([name, words]) => {
    const group = found.get(name);
    return group ? [groupRow(group, say(words), statistics.spins)] : [];
  });
  return [
    el(
      "div",
      { class: "heat" },
      el("h3", {}, say("stats.hot")),
      plates(statistics.hot, data, statistics),
      el("h3", {}, say("stats.cold")),
      plates(statistics.cold, data, statistics),
    ),
    el("ul", { class: "groups" }, ...rows),
    el("p", { class: "quiet" }, say("stats.band")),
  ];
}

// The statistics card: hot and cold numbers and even chances, beside the felt.

/** The even chances in pairs. @type {[[string, string], [string, string]][]} */
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

/** @param {Controller} ui @returns {{node: HTMLElement, update: (view: TerminalView) => void}} */
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
  /** What is drawn: the statistics, and the felt that the colours come from. @type {[unknown, unknown]} */
  let shows = [null, null];
  const update = (/** @type {TerminalView} */ view) => {
    const table = ui.focus();
    const statistics = statisticsOf(table, view.tables[table]?.state, () => ui.session.redraw());
    shown(node, statistics !== null);
    const data = ui.data(table);
    if (!statistics || (statistics === shows[0] && data === shows[1])) return;
    shows = [statistics, data];
    text(title, say("stats.last", { n: statistics.spins }));
    shown(body, statistics.spins > 0);
    body.replaceChildren(
      connection(say("stats.hot"), plates(statistics.hot, data, statistics)),
      connection(say("stats.cold"), plates(statistics.cold, data, statistics)),
      ...PAIRS.map((pair) => halves(statistics, pair)),
    );
  };
  return { node, update };
}

/** @param {string} words @param {Node} drawn */
const connection = (words, drawn) => el("div", { class: "line" }, el("span", {}, words), drawn);

/**
 * Two halves of all spins in one bar; the zeros are the gap between them.
 * @param {Tally} statistics @param {[[string, string], [string, string]]} pair
 */
function halves(statistics, pair) {
  const bar = el("p", { class: "halves" });
  for (const [name, words] of pair) {
    const count = statistics.groups.find(({ group }) => group === name)?.count ?? 0;
    const half = el(
      "span",
      { "data-group": name },
      say("stats.half", { name: say(words), percent: percent(count, statistics.spins) }),
    );
    half.style.setProperty("--count", String(statistics.spins === 0 ? 0 : count / statistics.spins));
    bar.append(half);
  }
  return bar;
}

// The statistics of a table as the server counts them, fetched after each result.

/**
 * @typedef {{count: number, low: number, high: number}} Counted count, and the expected range
 * @typedef {Counted & {group: string}} Group
 * @typedef {{table: string, spins: number, pockets: Record<string, Counted>, groups: Group[], hot: string[], cold:
 *   string[]}}
 *   Tally
 */

/**
 * By table: the last statistics, and the numbers they were requested for.
 * @type {Map<string, {of: string, statistics: Tally | null}>}
 */
const known = new Map();
/** How long to wait before a failed fetch is tried again. */
const PATIENCE_MS = 3000;

/**
 * The statistics of a table, the last ones until newer have arrived; then `arrived` is called.
 * @param {string} table @param {{round: number, numbers?: string[]} | undefined} state @param {() => void} arrived
 * @returns {Tally | null}
 */
export function statisticsOf(table, state, arrived) {
  const of = (state?.numbers ?? []).join();
  const kept = known.get(table);
  if (state && kept?.of !== of) {
    const fetched = { of, statistics: kept?.statistics ?? null };
    known.set(table, fetched);
    fetch(new URL(`statistics/${encodeURIComponent(table)}.json`, document.baseURI))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .then((statistics) => {
        fetched.statistics = statistics;
        arrived();
      })
      .catch(() => setTimeout(() => forget(table, fetched, arrived), PATIENCE_MS));
  }
  return known.get(table)?.statistics ?? null;
}

/** @param {string} table @param {{of: string, statistics: Tally | null}} fetched @param {() => void} arrived */
function forget(table, fetched, arrived) {
  if (known.get(table) !== fetched) return;
  fetched.of = "?";
  arrived();
}

/**
 * The heat of each pocket from 0 to 1, for the felt.
 * @param {Tally | null} statistics @returns {Record<string, number> | null}
 */
export function heatOf(statistics) {
  if (!statistics || statistics.spins === 0) return null;
  const most = Math.max(...Object.values(statistics.pockets).map(({ count }) => count));
  return Object.fromEntries(Object.entries(statistics.pockets).map(([pocket, { count }]) => [pocket, count / most]));
}

// Rows: the count as a bar with its expected range, and as text.

/** The groups of a wheel in reading order, with their text ids. @type {[string, string][]} */
const GROUPS = [
  ...PAIRS.flat(),
  ["dozen 1", "stats.dozen1"],
  ["dozen 2", "stats.dozen2"],
  ["dozen 3", "stats.dozen3"],
  ["column 1", "stats.column1"],
  ["column 2", "stats.column2"],
  ["column 3", "stats.column3"],
  ["green", "stats.green"],
];

/**
 * A group with its bar. The text says everything that the bar shows.
 * @param {Group} group @param {string} words @param {number} spins
 */
function groupRow({ group, count, low, high }, words, spins) {
  const bar = el(
    "span",
    { class: "bar", "aria-hidden": "true" },
    el("i", { class: "fill" }),
    el("i", { class: "band" }),
  );
  const part = (/** @type {number} */ n) => String(spins === 0 ? 0 : n / spins);
  for (const [name, n] of /** @type {[string, number][]} */ ([
    ["--count", count],
    ["--low", low],
    ["--high", high],
  ]))
    bar.style.setProperty(name, part(n));
  return el(
    "li",
    { "data-group": group.split(" ")[0] },
    el("span", { class: "name" }, words),
    el("span", { class: "count" }, say("stats.count", { n: count, percent: percent(count, spins) })),
    bar,
    el(
      "small",
      {},
      count < low || count > high ? say("stats.beyond", { low, high }) : say("stats.within", { low, high }),
    ),
  );
}

/**
 * Pockets as small plates, with number and colour.
 * @param {string[]} pockets @param {Felt | null} data @param {Tally} statistics
 */
function plates(pockets, data, statistics) {
  return el(
    "ul",
    { class: "plates" },
    ...pockets.map((pocket) =>
      el(
        "li",
        { "data-colour": data?.colours.get(pocket) ?? null },
        pocket,
        el("small", {}, `×${statistics.pockets[pocket]?.count ?? 0}`),
      ),
    ),
  );
}

/** @param {number} n @param {number} all */
const percent = (n, all) => (all === 0 ? 0 : Math.round((n * 100) / all));
