// Pieces: chips of a player's colour, value chips, and stacks of either from the side.

import { el } from "../shared/dom.js";
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

/**
 * A chip with a text on it: of a player's colour, or a value chip.
 * @param {string} chip @param {string | number} words
 */
export function chipOf(chip, words) {
  const cents = valueOf(chip);
  if (cents === null) return el("span", { class: "chip", "data-chip": hueOf(chip) }, el("b", {}, String(words)));
  const node = el("span", { class: "chip value" });
  node.append(face(cents, String(words)));
  return node;
}

/** The piles of so many pieces: stacks of twenty, and the rest. @param {number} pieces */
export function pilesOf(pieces) {
  const full = Math.floor(pieces / STACK);
  return [...Array(full).fill(STACK), ...(pieces % STACK ? [pieces % STACK] : [])];
}

/**
 * Stacks from the side, as they stand when they are cut for a payment. Beyond so many piles only the number is shown.
 * @param {string} chip @param {number} pieces @param {number} [most]
 */
export function stacksOf(chip, pieces, most = 12) {
  const piles = pilesOf(pieces);
  const drawn = piles.length <= most ? piles : piles.slice(-most);
  const node = el("div", { class: "piles", "data-chip": hueOf(chip), "aria-hidden": "true" });
  node.append(...drawn.map(pileOf));
  return node;
}

/** @param {number} count */
function pileOf(count) {
  const pile = el("span", { class: "pile" });
  pile.style.setProperty("--count", String(count));
  return el("span", { class: "column" }, pile, el("small", {}, String(count)));
}
