// Pieces: chips of a player's colour, value chips, and stacks of either from the side.

import { h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { face } from "./chips.js";

/** Pieces in a stack. */
export const STACK = 20;

const VALUE_CHIP = /^v([1-9][0-9]*)$/;

/** The value of a value chip in cents; null for a colour. @param {string} chip */
export function valueOf(chip) {
  const match = VALUE_CHIP.exec(chip);
  return match ? Number(match[1]) : null;
}

/** The name of a value chip. @param {number} cents */
export const valueChip = (cents) => `v${cents}`;

/** The colour of a chip without its design: "blue/anchor" is blue. @param {string} colour */
export const hueOf = (colour) => colour.split("/")[0];

/** The name of a player's colour; one that a venue has added is called as the venue calls it. @param {string} colour */
export function colourName(colour) {
  const [id, known] = [`chip.${hueOf(colour)}`, say(`chip.${hueOf(colour)}`)];
  return known === id ? colour.charAt(0).toUpperCase() + colour.slice(1) : known + colour.slice(hueOf(colour).length);
}

/** What the face of a value chip says: its value without the sign of the currency. @param {number} cents */
export const figuresOf = (cents) => (cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2));

/**
 * A chip with a text on it: of a player's colour, or a value chip.
 * @param {string} chip @param {string | number} text @param {Record<string, any>} [attributes]
 */
export function chipOf(chip, text, attributes) {
  const cents = valueOf(chip);
  if (cents === null) {
    return h("span", { class: "chip", "data-chip": hueOf(chip), ...attributes }, h("b", null, String(text)));
  }
  return h("span", { class: "chip value", ...attributes }, face(cents, String(text)));
}

/** The piles of so many pieces: stacks of twenty, and the rest. @param {number} pieces */
function pilesOf(pieces) {
  const full = Math.floor(pieces / STACK);
  return [...Array(full).fill(STACK), ...(pieces % STACK ? [pieces % STACK] : [])];
}

/**
 * Stacks from the side, as they stand when they are cut for a payment. Beyond so many piles only the number is shown.
 * @param {string} chip @param {number} pieces @param {number} [most]
 */
export const stacksOf = (chip, pieces, most = 12) =>
  h(
    "div",
    { class: "piles", "data-chip": hueOf(chip), "aria-hidden": "true" },
    pilesOf(pieces)
      .slice(-most)
      .map((count) =>
        h(
          "span",
          { class: "column" },
          h("span", { class: "pile", style: { "--count": String(count) } }),
          h("small", null, String(count)),
        )
      ),
  );
