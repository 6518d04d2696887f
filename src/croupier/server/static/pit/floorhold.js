// The hold of a table: what it has kept of the stakes, against what the odds give and what chance allows.

import { el, marked, shown, text } from "../kit/dom.js";

/** @typedef {import("../kit/consoles.js").Takings} Takings */

/** @param {import("../staff/desk.js").Desk} desk @param {string} name of the table */
export function holdFigure(desk, name) {
  const figure = el("b", {});
  const odds = el("small", {});
  const band = el("i", { class: "band" });
  const mark = el("i", { class: "at" });
  const bar = el("span", { class: "bar", "aria-hidden": "true" }, band, mark);
  const words = el("small", { class: "words" });
  const node = el("div", { class: "hold" }, el("span", { class: "figures" }, figure, odds), bar, words);
  /** @param {Takings | null | undefined} takings */
  const update = (takings) => {
    const played = takings?.played ?? 0;
    for (const part of [bar, words]) shown(part, played > 0);
    if (!takings || played === 0) return (text(figure, "–"), text(odds, "no round yet"));
    text(figure, share(takings.held, played));
    text(odds, `odds ${share(takings.expected, played)}`);
    const verdict = verdictOf(takings);
    text(words, verdict.short);
    marked(node, "data-look", verdict.look);
    marked(node, "title", holdWords(desk, name, takings));
    draw(bar, takings);
  };
  return { node, update };
}

/** All of it in one sentence. @param {import("../staff/desk.js").Desk} desk @param {string} name
 * @param {Takings} takings */
export function holdWords(desk, name, takings) {
  const { played, held, expected, low, high, rounds } = takings;
  if (played === 0) return "No round was settled here yet.";
  const money = (/** @type {number} */ cents) => desk.amount(cents, name);
  return (
    `Of ${money(played)} staked in ${rounds} rounds the house has kept ${money(held)} (${share(held, played)}); ` +
    `the odds give ${money(expected)} (${share(expected, played)}), and chance alone keeps it between ` +
    `${money(low)} and ${money(high)}. ${verdictOf(takings).says}`
  );
}

/** Whether it is what chance allows, in plain words.
 * @param {Takings} takings @returns {{short: string, says: string, look: string}} */
export function verdictOf({ held, low, high }) {
  if (held < low) return { short: "below chance", says: "That is less than chance alone lets expect.", look: "warn" };
  if (held > high) return { short: "above chance", says: "That is more than chance alone lets expect.", look: "warn" };
  return { short: "within chance", says: "That is within what chance allows.", look: "ok" };
}

/** @param {number} part @param {number} whole */
export const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

/** The band of chance, and where the hold lies. @param {HTMLElement} bar @param {Takings} takings */
function draw(bar, { held, low, high }) {
  const least = Math.min(low, held);
  const most = Math.max(high, held);
  const margin = (most - least) / 10 || 1;
  const place = (/** @type {number} */ at) => `${((at - least + margin) * 100) / (most - least + 2 * margin)}%`;
  bar.style.setProperty("--low", place(low));
  bar.style.setProperty("--high", place(high));
  bar.style.setProperty("--at", place(held));
}
