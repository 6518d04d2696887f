// Numbers of the wheel as staff see them everywhere: a tile in its colour, with the colour in words for who cannot see
// it.

import { each, el, marked, text } from "../kit/dom.js";

/** @typedef {Map<string, string> | undefined} Colours by pocket */

/** A number in its colour. @param {string} pocket @param {Colours} colours */
export function tile(pocket, colours) {
  const node = el("span", { class: "tile" });
  repaintTile(node, pocket, colours);
  return node;
}

/** @param {HTMLElement} node @param {string | null | undefined} pocket @param {Colours} colours */
export function repaintTile(node, pocket, colours) {
  const colour = (pocket && colours?.get(pocket)) ?? "";
  text(node, pocket ?? "–");
  marked(node, "data-colour", colour || null);
  marked(node, "title", colour ? `${pocket} ${colour}` : null);
}

/** Past numbers, the newest first. @param {string} [label] */
export function tiles(label = "Past numbers, the newest first") {
  const node = el("ol", { class: "tiles", "aria-label": label });
  /** @param {string[]} numbers @param {Colours} colours @param {number} most */
  const update = (numbers, colours, most) =>
    each(
      node,
      numbers.slice(0, most).map((pocket, place) => ({ pocket, place })),
      ({ place }) => place,
      ({ pocket }) => el("li", {}, tile(pocket, colours)),
      (item, { pocket }) => repaintTile(/** @type {HTMLElement} */ (item.firstElementChild), pocket, colours),
    );
  return { node, update };
}
