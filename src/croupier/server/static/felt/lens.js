// The lens: what lies under a finger, twice as large beside it. It shows the live drawing, not a copy.

import { el, shown, text } from "../kit/dom.js";
import { svg } from "../kit/svg.js";

/**
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./stacks.js").Stacks} Stacks
 */

export const LENS_PX = 150;
const ZOOM = 2;
/** So far from the finger its middle is: the finger hides nothing of it. */
const AWAY_PX = 118;

export class Lens {
  /** @param {HTMLElement} root @param {string} id of the felt whose groups it shows @param {Stacks} stacks */
  constructor(root, id, stacks) {
    this.root = root;
    this.stacks = stacks;
    this.print = svg("svg", {}, svg("use", { href: `#${id}-print` }), svg("use", { href: `#${id}-over` }));
    this.chips = el("div", { class: "stacks" });
    this.glass = el("div", { class: "glass" }, this.print, this.chips);
    this.node = el("div", { class: "lens", "aria-hidden": "true", hidden: true }, this.glass);
    this.words = el("div", { class: "caption", "aria-hidden": "true", dir: "auto", hidden: true });
    root.append(this.node, this.words);
  }

  /** @param {{at: Point, finger: Point, words: string}} seen a point of the print, and the finger in the felt's room */
  show({ at, finger, words }) {
    const reach = LENS_PX / 2 / ZOOM;
    this.chips.style.setProperty("--r", `${this.stacks.radius}px`);
    this.chips.replaceChildren(...this.stacks.near(at, reach + this.stacks.radius * 2));
    const shift = `translate(${(LENS_PX / 2 - at.x * ZOOM).toFixed(1)}px, ${(LENS_PX / 2 - at.y * ZOOM).toFixed(1)}px)`;
    this.glass.style.setProperty("transform", `${shift} scale(${ZOOM})`);
    text(this.words, words);
    shown(this.node, true);
    shown(this.words, true);
    const { x, y } = this.#beside(finger);
    this.node.style.setProperty("translate", `${x.toFixed(0)}px ${y.toFixed(0)}px`);
    const { offsetWidth: wide, offsetHeight: high } = this.words;
    const left = Math.max(0, Math.min(x + (LENS_PX - wide) / 2, this.root.clientWidth - wide));
    this.words.style.setProperty("translate", `${left.toFixed(0)}px ${(y + LENS_PX - high * 0.7).toFixed(0)}px`);
  }

  hide() {
    shown(this.node, false);
    shown(this.words, false);
  }

  /** Above the finger; near the upper edge beside it, on the side with more room.
   * @param {Point} finger @returns {Point} */
  #beside({ x, y }) {
    const half = LENS_PX / 2;
    const [wide, high] = [this.root.clientWidth, this.root.clientHeight];
    const inside = (/** @type {number} */ at, /** @type {number} */ most) =>
      Math.min(Math.max(at - half, 0), Math.max(0, most - LENS_PX));
    if (y - AWAY_PX - half >= 0) return { x: inside(x, wide), y: y - AWAY_PX - half };
    return { x: inside(x < wide / 2 ? x + AWAY_PX : x - AWAY_PX, wide), y: inside(y - half, high) };
  }
}
