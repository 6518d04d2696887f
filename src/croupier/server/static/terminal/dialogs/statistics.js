// The statistics dialog.

import { openDialog } from "../../shared/dialog.js";
import { el, shown, text } from "../../shared/dom.js";
import { statisticsOf } from "../../shared/fetched.js";
import { say } from "../../shared/text.js";
import { PAIRS, percent, plates } from "../statistics.js";
import { toggle } from "./settings.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../../shared/fetched.js").NumberStatistics} NumberStatistics
 * @typedef {import("../../shared/fetched.js").NumberStatistics["groups"][number]} Group
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
    const state = view.tables[table]?.state;
    const statistics = state ? statisticsOf(state, () => ui.session.redraw()) : null;
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

/** @param {NumberStatistics} statistics @param {Felt | null} data */
function sections(statistics, data) {
  const found = new Map(statistics.groups.map((group) => [group.group, group]));
  const rows = GROUPS.flatMap(([name, words]) => {
    const group = found.get(name);
    return group ? [groupRow(group, say(words), statistics.spins)] : [];
  });
  const heat = el(
    "div",
    { class: "heat" },
    el("h3", {}, say("stats.hot")),
    plates(statistics.hot, data, statistics),
    el("h3", {}, say("stats.cold")),
    plates(statistics.cold, data, statistics),
  );
  return [
    // The server names hot and cold numbers only after enough spins.
    ...(statistics.hot.length > 0 ? [heat] : []),
    el("ul", { class: "groups" }, ...rows),
    el("p", { class: "quiet" }, say("stats.band")),
  ];
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
  for (
    const [name, n] of /** @type {[string, number][]} */ ([
      ["--count", count],
      ["--low", low],
      ["--high", high],
    ])
  ) {
    bar.style.setProperty(name, part(n));
  }
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
