// The ring: a number large in its colour, with the words for it below; or the words for there being none.

import { el, marked, shown, text } from "../kit/dom.js";

/** @typedef {import("./telling.js").Telling} Telling */

const DOT = " · ";

/** @returns {{node: HTMLElement, update: (telling: Telling) => void}} */
export function ring() {
  const label = el("p", { class: "label" });
  const number = el("b", { class: "number" });
  const disc = el("div", { class: "disc" }, number);
  const words = el("p", { class: "words" });
  const more = el("p", { class: "more" });
  const node = el("section", { class: "ring", "aria-label": "The number" }, label, disc, words, more);
  /** @param {Telling} telling */
  const update = (telling) => {
    marked(node, "data-is", telling.is);
    marked(disc, "data-colour", telling.colour || null);
    text(label, telling.label);
    text(number, telling.number);
    const said = telling.number ? telling.words.map(unbroken) : [telling.words.join(" ")];
    if (words.textContent !== said.join(DOT)) words.replaceChildren(...said.flatMap(spelled));
    text(more, telling.more.join(" · "));
    shown(more, telling.more.length > 0);
  };
  return { node, update };
}

/** A word, with a dot before it where another is; where each has a line of its own there are no dots.
 * @param {string} word @param {number} place */
const spelled = (word, place) => [
  ...(place > 0 ? [el("span", { class: "dot" }, DOT)] : []),
  el("span", { class: "word" }, word),
];

/** A word that stays in one line. @param {string} word */
const unbroken = (word) => word.replaceAll(" ", "\u00a0").replaceAll("-", "\u2011");
