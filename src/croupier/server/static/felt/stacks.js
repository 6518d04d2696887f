// Stacks: the chips on a felt, one element for each pile, kept by its key and changed only where it differs.

import { el, marked, text } from "../kit/dom.js";
import { colourOf, faceUrl, figuresSize, inkOf, rimsOf } from "./chips.js";

/**
 * @typedef {import("./piles.js").Pile} Pile
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {{node: HTMLElement, figures: HTMLElement, pile: Pile, words: string}} Stack with what is written on it
 */

const DROP_MS = 180;

export class Stacks {
  /** @param {(cents: number) => string} amount writes on a chip */
  constructor(amount) {
    this.amount = amount;
    this.node = el("div", { class: "layer stacks", "aria-hidden": "true" });
    /** @type {Map<string, Stack>} */
    this.stacks = new Map();
    /** @type {(spot: string) => Point | null} */
    this.place = () => null;
    this.radius = 0;
    /** Whether chips that come now fall into place: those of the first moment just lie there. */
    this.fresh = true;
  }

  /** Where chips lie, and how large they are. @param {(spot: string) => Point | null} place @param {number} radius */
  lay(place, radius) {
    this.place = place;
    this.radius = radius;
    this.node.style.setProperty("--r", `${radius}px`);
    for (const stack of this.stacks.values()) this.#put(stack);
  }

  /** @param {Map<string, Pile>} piles */
  set(piles) {
    for (const [key, { node }] of this.stacks) {
      if (!piles.has(key)) {
        node.remove();
        this.stacks.delete(key);
      }
    }
    for (const [key, pile] of piles) {
      const stack = this.stacks.get(key);
      if (stack) this.#change(stack, pile);
      else this.#add(key, pile);
    }
    this.fresh = false;
  }

  /** Show that a pile is on its way elsewhere. @param {string | null} spot */
  lift(spot) {
    for (const [key, { node }] of this.stacks) marked(node, "data-lifted", key === spot);
  }

  /** The piles that lie near a point, as they look now. @param {Point} at @param {number} reach */
  near(at, reach) {
    return [...this.stacks.values()]
      .filter(({ pile }) => {
        const place = this.place(pile.spot);
        return place && Math.abs(place.x - at.x) < reach && Math.abs(place.y - at.y) < reach;
      })
      .map(({ node }) => /** @type {HTMLElement} */ (node.cloneNode(true)));
  }

  /** @param {string} key @param {Pile} pile */
  #add(key, pile) {
    const figures = el("b");
    const node = el("div", { class: "stack", "data-spot": pile.spot }, figures);
    const stack = { node, figures, pile, words: this.amount(pile.cents) };
    this.stacks.set(key, stack);
    this.#put(stack);
    this.#dress(stack);
    this.node.append(node);
    if (!this.fresh) this.#drop(node, 0.7);
  }

  /** @param {Stack} stack @param {Pile} pile */
  #change(stack, pile) {
    const before = stack.pile;
    const words = this.amount(pile.cents);
    // The same stake is written otherwise when it is no longer counted in credits, or they are worth something else.
    if (isSame(before, pile) && words === stack.words) return;
    [stack.pile, stack.words] = [pile, words];
    this.#dress(stack);
    if (before.raised !== pile.raised) this.#put(stack);
    if (pile.cents > before.cents) this.#drop(stack.node, 0.3);
  }

  /** Let a chip fall into place, from a part of its radius above. @param {HTMLElement} node @param {number} high */
  #drop(node, high) {
    // A move of its own box repaints the chip alone; a scale or a fade would make it a layer, and part all others.
    if (!isStill()) node.animate({ top: [`${-high * this.radius}px`, "0"] }, { duration: DROP_MS, easing: "ease-in" });
  }

  /** @param {Stack} stack */
  #put({ node, pile }) {
    const at = this.place(pile.spot);
    if (!at) return;
    const aside = pile.raised ? this.radius * 0.62 : 0;
    node.style.setProperty("translate", `${(at.x + aside).toFixed(1)}px ${(at.y - aside).toFixed(1)}px`);
  }

  /** @param {Stack} stack */
  #dress({ node, figures, pile, words }) {
    const colour = pile.way === "under" ? "red" : pile.way === "ghost" ? "grey" : colourOf(pile.cents);
    marked(node, "data-way", pile.way);
    marked(node, "data-rims", pile.way === "ghost" ? 1 : rimsOf(pile.cents));
    marked(node, "data-live", pile.live);
    node.style.setProperty("--face", `url("${faceUrl(colour)}")`);
    node.style.setProperty("--ink", inkOf(colour));
    node.style.setProperty("--size", String(figuresSize(words)));
    text(figures, words);
  }
}

/** @param {Pile} one @param {Pile} other */
const isSame = (one, other) =>
  one.cents === other.cents && one.way === other.way && one.live === other.live && one.raised === other.raised;

const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const isStill = () => stillness.matches;
