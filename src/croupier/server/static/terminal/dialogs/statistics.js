// The statistics dialog.

import { openDialog } from "../../shared/dialog.js";
import { statisticsOf } from "../../shared/fetched.js";
import { h } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { PAIRS, percent, plates } from "../statistics.js";
import { toggle } from "./settings.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../../shared/fetched.js").NumberStatistics} NumberStatistics
 * @typedef {import("../../shared/fetched.js").NumberStatistics["groups"][number]} Group
 */

/** @param {Controller} ui */
export function openStatistics(ui) {
  const body = () => {
    const state = ui.table();
    const statistics = state ? statisticsOf(state, () => ui.session.redraw()) : null;
    return [
      h(
        "p",
        { class: "spins", role: "status" },
        statistics ? say("stats.spins", { n: statistics.spins }) : say("stats.coming"),
      ),
      h("p", { class: "odds-stay" }, say("stats.odds")),
      statistics && statistics.spins > 0 && h("div", { class: "tally" }, sections(statistics, ui.data())),
    ];
  };
  openDialog({
    name: "statistics",
    title: say("stats.title"),
    look: "wide",
    body,
    foot: () => toggle(say("stats.heat"), ui.prefs.now.heat, (heat) => ui.prefs.set({ heat })),
  });
}

/** @param {NumberStatistics} statistics @param {Felt | null} data */
function sections(statistics, data) {
  const found = new Map(statistics.groups.map((group) => [group.group, group]));
  const rows = GROUPS.flatMap(([name, words]) => {
    const group = found.get(name);
    return group ? [groupRow(group, say(words), statistics.spins)] : [];
  });
  const heat = h(
    "div",
    { class: "heat" },
    h("h3", null, say("stats.hot")),
    plates(statistics.hot, data, statistics),
    h("h3", null, say("stats.cold")),
    plates(statistics.cold, data, statistics),
  );
  return [
    // The server names hot and cold numbers only after enough spins.
    statistics.hot.length > 0 && heat,
    h("ul", { class: "groups" }, ...rows),
    h("p", { class: "quiet" }, say("stats.band")),
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
  const part = (/** @type {number} */ n) => String(spins === 0 ? 0 : n / spins);
  return h(
    "li",
    { "data-group": group.split(" ")[0] },
    h("span", { class: "name" }, words),
    h("span", { class: "count" }, say("stats.count", { n: count, percent: percent(count, spins) })),
    h(
      "span",
      {
        class: "bar",
        "aria-hidden": "true",
        style: { "--count": part(count), "--low": part(low), "--high": part(high) },
      },
      h("i", { class: "fill" }),
      h("i", { class: "band" }),
    ),
    h(
      "small",
      null,
      count < low || count > high ? say("stats.beyond", { low, high }) : say("stats.within", { low, high }),
    ),
  );
}
