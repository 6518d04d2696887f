// The ring: a number large in its colour, with the words for it below; or the words for there being none.

import { el, marked, shown, text } from "../kit/dom.js";

/** @typedef {import("./telling.js").Telling} Telling */

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
    text(words, telling.number ? telling.words.map(unbroken).join(" · ") : telling.words.join(" "));
    text(more, telling.more.join(" · "));
    shown(more, telling.more.length > 0);
  };
  return { node, update };
}

/** A word that stays in one line. @param {string} word */
const unbroken = (word) => word.replaceAll(" ", "\u00a0").replaceAll("-", "\u2011");
