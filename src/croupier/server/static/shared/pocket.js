// A number in its colour, and the number pad: the one home of number colours.

import { each, el, marked, text } from "./dom.js";
import { h } from "./render.js";

/** The colours of numbers; theme/numbers.css says how each looks. */
export const COLOURS = ["red", "black", "green"];

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

/** Past numbers, the newest first. @param {string} label */
export function tiles(label) {
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

/** A number in its colour. @param {string | null} pocket @param {Colours} colours */
export function pocketTile(pocket, colours) {
  const colour = (pocket && colours?.get(pocket)) || null;
  return h("span", { class: "tile", "data-colour": colour, title: colour && `${pocket} ${colour}` }, pocket ?? "–");
}

/** Past numbers, the newest first. @param {string} label @param {string[]} numbers @param {Colours} colours */
export const pocketTiles = (label, numbers, colours) =>
  h("ol", { class: "tiles", "aria-label": label }, numbers.map((pocket) => h("li", null, pocketTile(pocket, colours))));

// The number pad: every number of a wheel in felt order, one of which is chosen.

/**
 * Felt coordinates are quarters of a cell. The felt is three cells wide, and a double zero takes half cells. A double
 * zero beyond the zero takes a column of its own.
 */
const WIDE = 12;
const CELL = 4;
const HALF = 2;

let pads = 0;

/**
 * @param {{label: string, pick: (pocket: string) => void}} wanted
 * @returns {{node: HTMLElement, update: (felt: import("./felt_cache.js").Felt | null, chosen: string | null,
 *   shut?: string | boolean | null, dolly?: string | null) => void}} `shut` is a number that cannot be chosen, or true
 *   where none can; `dolly` is the number with the marker
 */
export function numberPad({ label, pick }) {
  const name = `pad-${(pads += 1)}`;
  const node = el("div", { class: "pad", role: "radiogroup", "aria-label": label });
  /** @param {import("./types/wire.js").PrintedCell} cell @param {number} first where the felt begins */
  const key = ({ pocket, colour, along, across }, first) => {
    const says = `${pocket} ${colour}`;
    const radio = el("input", { type: "radio", name, value: pocket, "aria-label": says, change: () => pick(pocket) });
    const made = el("label", { "data-colour": colour }, radio, el("span", { "aria-hidden": "true" }, pocket));
    made.style.setProperty("--column", `${(along[0] - first) / CELL + 1} / ${(along[1] - first) / CELL + 1}`);
    // Upright, as a phone shows it, a column of the felt is a row.
    made.style.setProperty("--upright", `${across[0] / HALF + 1} / ${across[1] / HALF + 1}`);
    made.style.setProperty("--row", `${(WIDE - across[1]) / HALF + 1} / ${(WIDE - across[0]) / HALF + 1}`);
    return made;
  };
  return {
    node,
    update: (felt, chosen, shut = null, dolly = null) => {
      const cells = felt?.cells ?? [];
      const first = Math.min(...cells.map(({ along }) => along[0]));
      each(
        node,
        cells,
        ({ pocket }) => `${felt?.hash}:${pocket}`,
        (cell) => key(cell, first),
        (made, { pocket }) => {
          const radio = /** @type {HTMLInputElement} */ (made.firstElementChild);
          radio.checked = pocket === chosen;
          radio.disabled = shut === true || pocket === shut;
          made.toggleAttribute("data-dolly", pocket === dolly);
        },
      );
    },
  };
}
