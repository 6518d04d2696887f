// A number in its colour, and the number pad: the one home of number colours.

import { h } from "./render.js";

/** The colours of numbers; theme/numbers.css says how each looks. */
export const COLOURS = ["red", "black", "green"];

/** @typedef {Map<string, string> | undefined} Colours by pocket */

/** A number in its colour. @param {string | null | undefined} pocket @param {Colours} colours @param {string} [look] its class */
export function pocketTile(pocket, colours, look = "tile") {
  const colour = (pocket && colours?.get(pocket)) || null;
  return h("span", { class: look, "data-colour": colour, title: colour && `${pocket} ${colour}` }, pocket ?? "–");
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

/**
 * @typedef {object} Pad
 * @property {string} name of its radio buttons
 * @property {string} label
 * @property {import("./felt_cache.js").Felt | null} felt
 * @property {string | null} chosen
 * @property {(pocket: string) => void} pick
 * @property {boolean} [isShut] whether none can be chosen
 * @property {string | null} [shut] a number that cannot be chosen
 * @property {boolean} [isLive] whether a number is asked for
 * @property {string | null} [dolly] the number with the marker
 */

/** @param {Pad} pad */
export function numberPad({ name, label, felt, chosen, pick, isShut = false, shut, isLive = false, dolly }) {
  const cells = felt?.cells ?? [];
  const first = Math.min(...cells.map(({ along }) => along[0]));
  const key = (/** @type {import("./types/wire.js").PrintedCell} */ { pocket, colour, along, across }) =>
    h(
      "label",
      {
        key: `${felt?.hash}:${pocket}`,
        "data-colour": colour,
        "data-dolly": pocket === dolly,
        style: {
          "--column": `${(along[0] - first) / CELL + 1} / ${(along[1] - first) / CELL + 1}`,
          // Upright, as a phone shows it, a column of the felt is a row.
          "--upright": `${across[0] / HALF + 1} / ${across[1] / HALF + 1}`,
          "--row": `${(WIDE - across[1]) / HALF + 1} / ${(WIDE - across[0]) / HALF + 1}`,
        },
      },
      h("input", {
        type: "radio",
        name,
        value: pocket,
        "aria-label": `${pocket} ${colour}`,
        change: () => pick(pocket),
        checked: pocket === chosen,
        disabled: isShut || pocket === shut,
      }),
      h("span", { "aria-hidden": "true" }, pocket),
    );
  return h("div", { class: "pad", role: "radiogroup", "aria-label": label, "data-live": isLive }, cells.map(key));
}
