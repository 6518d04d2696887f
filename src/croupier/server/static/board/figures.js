// Figures: what came in the past, as the house counts it. They say nothing of the next spin, and it says so.

import { el, shown, text } from "../kit/dom.js";
import { fetched } from "./fetched.js";

/**
 * @typedef {import("../kit/types.js").Tally} Tally
 * @typedef {import("../kit/felts.js").Felt} Felt
 */

/** The even chances, two and two. @type {[string, string][]} */
const PAIRS = [
  ["red", "black"],
  ["even", "odd"],
  ["low", "high"],
];

/** @returns {{node: HTMLElement, update: (told: Tally | null, felt: Felt | null) => void}} */
export function figures() {
  const title = el("h2", {});
  const bars = el("div", { class: "bars" });
  const heat = el("dl", { class: "heat" });
  const odds = el("p", { class: "odds" }, "Past results do not change the odds.");
  const node = el("section", { class: "figures", "aria-label": "Past spins" }, title, bars, heat, odds);
  /** What is drawn already. @type {[Tally | null, Felt | null]} */
  let drawn = [null, null];
  /** @param {Tally | null} told @param {Felt | null} felt */
  const update = (told, felt) => {
    shown(node, told !== null && told.spins > 0);
    if (!told || !felt || (told === drawn[0] && felt === drawn[1])) return;
    drawn = [told, felt];
    text(title, told.spins === 1 ? "Last spin" : `Last ${told.spins} spins`);
    bars.replaceChildren(...PAIRS.map((pair) => bar(pair, told, felt)));
    heat.replaceChildren(...row("Hot", told.hot, felt), ...row("Cold", told.cold, felt));
  };
  return { node, update };
}

/** The statistics of a table, anew after each number. @param {import("../kit/types.js").TableState} table
 * @param {() => void} arrived @returns {Tally | null} */
export const tallyOf = ({ table, numbers = [] }, arrived) =>
  fetched(`statistics/${encodeURIComponent(table)}.json`, `of ${numbers.join()}`, arrived);

/** Two halves of all spins; what is neither, the zeros, is the gap between them.
 * @param {[string, string]} pair @param {Tally} told @param {Felt} felt */
function bar(pair, told, felt) {
  const node = el("p", { class: "bar", "data-pair": pair.join("-") });
  for (const group of pair) {
    const count = told.groups.find((one) => one.group === group)?.count ?? 0;
    const name = felt.kinds.find(({ kind }) => kind === group)?.name ?? group;
    node.append(el("span", {}, `${name} ${Math.round((count * 100) / told.spins)} %`));
    node.style.setProperty(group === pair[0] ? "--first" : "--second", `${(count * 100) / told.spins}%`);
  }
  return node;
}

/** @param {string} words @param {string[]} pockets @param {Felt} felt */
function row(words, pockets, felt) {
  const plates = pockets.map((pocket) => el("span", { "data-colour": felt.colours.get(pocket) ?? null }, pocket));
  return [el("dt", {}, words), el("dd", {}, ...plates)];
}
