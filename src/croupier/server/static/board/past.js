// Past numbers: the newest first, one to a row, in three columns so that the place of a number repeats its colour.

import { each, el, marked, text } from "../kit/dom.js";

const SHOWN_MOST = 16;

/** @param {number} [most] @returns {{node: HTMLElement, update: (numbers: string[], colours:
 *   Map<string, string> | undefined) => void}} */
export function past(most = SHOWN_MOST) {
  const list = el("ol", {});
  const node = el(
    "section",
    { class: "past", "aria-label": "Last numbers, the newest first" },
    el("h2", {}, "Last numbers"),
    list,
  );
  /** @param {string[]} numbers @param {Map<string, string> | undefined} colours */
  const update = (numbers, colours) =>
    each(
      list,
      numbers.slice(0, most).map((pocket, place) => ({ pocket, place })),
      ({ place }) => place,
      () => el("li", {}, el("span", {}), el("small", { class: "ears" })),
      (item, { pocket }) => {
        const colour = colours?.get(pocket) ?? "";
        marked(item, "data-column", colour || null);
        marked(/** @type {Element} */ (item.firstElementChild), "data-colour", colour || null);
        text(item.firstElementChild, pocket);
        text(item.lastElementChild, ` ${colour}`);
      },
    );
  return { node, update };
}
