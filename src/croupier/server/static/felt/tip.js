// Tips: the name of what is aimed at, beside it, and why something was refused, at the spot that was touched.

import { el, shown } from "../kit/dom.js";

/** @typedef {import("./geometry.js").Point} Point */

/** So long a refusal is to be read. */
const BUBBLE_MS = 2500;
/** Between a tip and what it names. */
const GAP_PX = 10;

export class Tips {
  /** @param {HTMLElement} root the room that tips stay inside */
  constructor(root) {
    this.root = root;
    this.tip = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
    // Tips are read in the player's own direction, whichever way the felt is drawn.
    this.words = el("b", { dir: "auto" });
    this.notes = el("span", { class: "notes" });
    this.tip.append(this.words, this.notes);
    this.bubble = el("div", { class: "bubble", "aria-hidden": "true", hidden: true });
    root.append(this.tip, this.bubble);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Name what is aimed at.
   * @param {Point & {reach: number}} at @param {string} words @param {{name: string, words: string}[]} notes */
  name(at, words, notes) {
    // "Split 17 / 20 · 17 to 1": what it is, and what it pays.
    const [name, ...rest] = words.split(" · ");
    const pays = rest.length > 0 ? [" · ", el("em", {}, rest.join(" · "))] : [];
    this.words.replaceChildren(name, ...pays);
    this.notes.replaceChildren(...notes.map((note) => el("span", { class: note.name, dir: "auto" }, note.words)));
    shown(this.tip, true);
    this.#put(this.tip, at);
  }

  hide() {
    shown(this.tip, false);
  }

  /** Say at a spot why not. @param {Point & {reach: number}} at @param {string} words @param {string | null} clause */
  refuse(at, words, clause) {
    clearTimeout(this.timer);
    this.bubble.replaceChildren(
      el("b", { dir: "auto" }, words),
      ...(clause ? [el("small", { dir: "auto" }, clause)] : []),
    );
    shown(this.bubble, true);
    this.#put(this.bubble, at);
    this.timer = setTimeout(() => this.hush(), BUBBLE_MS);
  }

  hush() {
    clearTimeout(this.timer);
    shown(this.bubble, false);
  }

  /** Above the point, or below where there is no room; never out of the felt.
   * @param {HTMLElement} node @param {Point & {reach: number}} at */
  #put(node, { x, y, reach }) {
    const room = { width: this.root.clientWidth, height: this.root.clientHeight };
    const { offsetWidth: wide, offsetHeight: high } = node;
    const left = Math.min(Math.max(x - wide / 2, 4), room.width - wide - 4);
    const above = y - reach - GAP_PX - high;
    const top = above >= 2 ? above : Math.min(y + reach + GAP_PX, room.height - high - 2);
    node.dataset.side = above >= 2 ? "above" : "below";
    node.style.setProperty("translate", `${Math.max(left, 4).toFixed(0)}px ${top.toFixed(0)}px`);
    node.style.setProperty("--tail", `${Math.min(Math.max(x - left, 16), wide - 16).toFixed(0)}px`);
  }
}
