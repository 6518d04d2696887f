// Rows of the statistics: what came, as a bar with the band it is expected in, and in words.

import { el } from "../../kit/dom.js";
import { say } from "../../kit/words.js";

/** @typedef {import("./tally.js").Group} Group */
/** @typedef {import("./tally.js").Tally} Tally */

/** The groups of a wheel in the order they are read, with their words. @type {[string, string][]} */
export const GROUPS = [
  ["red", "stats.red"],
  ["black", "stats.black"],
  ["even", "stats.even"],
  ["odd", "stats.odd"],
  ["low", "stats.low"],
  ["high", "stats.high"],
  ["dozen 1", "stats.dozen1"],
  ["dozen 2", "stats.dozen2"],
  ["dozen 3", "stats.dozen3"],
  ["column 1", "stats.column1"],
  ["column 2", "stats.column2"],
  ["column 3", "stats.column3"],
  ["green", "stats.green"],
];

/** A group with its bar. Its words say all that the bar shows.
 * @param {Group} group @param {string} words @param {number} spins */
export function groupRow({ group, count, low, high }, words, spins) {
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

/** Pockets as small plates, in their colours and with their numbers.
 * @param {string[]} pockets @param {any} data a felt @param {Tally} told */
export function plates(pockets, data, told) {
  const colours = new Map((data?.wheel ?? []).map((/** @type {any} */ one) => [one.pocket, one.colour]));
  return el(
    "ul",
    { class: "plates" },
    ...pockets.map((pocket) =>
      el(
        "li",
        { "data-colour": colours.get(pocket) ?? null },
        pocket,
        el("small", {}, `×${told.pockets[pocket]?.count ?? 0}`),
      ),
    ),
  );
}

/** @param {number} n @param {number} all */
export const percent = (n, all) => (all === 0 ? 0 : Math.round((n * 100) / all));
