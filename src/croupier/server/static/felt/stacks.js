// The chip stacks on the felt.

import { el, isMotionReduced, marked, text } from "../shared/dom.js";
import { colourOf, faceUrl, figuresSize, inkOf, rimsOf } from "./chips.js";

/** @typedef {import("./geometry.js").Point} Point */

/**
 * @typedef {{node: HTMLElement, figures: HTMLElement, pile: Pile, words: string}} Stack with its text
 */

const DROP_MS = 180;

export class Stacks {
  /** @param {(cents: number) => string} amount formats the amount on a chip */
  constructor(amount) {
    this.amount = amount;
    this.node = el("div", { class: "layer stacks", "aria-hidden": "true" });
    /** @type {Map<string, Stack>} */
    this.stacks = new Map();
    /** @type {(spot: string) => Point | null} */
    this.place = () => null;
    this.radius = 0;
    /** Whether new chips appear without the drop animation: those of the first draw do. */
    this.fresh = true;
  }

  /**
   * Set the position of each spot and the chip radius.
   * @param {(spot: string) => Point | null} place @param {number} radius
   */
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

  /** Mark a stack as being dragged. @param {string | null} spot */
  lift(spot) {
    for (const [key, { node }] of this.stacks) marked(node, "data-lifted", key === spot);
  }

  /** Copies of the stacks near a point. @param {Point} at @param {number} reach */
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
    // The text of the same stake changes with the unit or the denomination.
    if (isSame(before, pile) && words === stack.words) return;
    [stack.pile, stack.words] = [pile, words];
    this.#dress(stack);
    if (before.raised !== pile.raised) this.#put(stack);
    if (pile.cents > before.cents) this.#drop(stack.node, 0.3);
  }

  /** Drop a chip into place from above. @param {HTMLElement} node @param {number} high */
  #drop(node, high) {
    // Animating `top` repaints the chip alone; a transform or opacity would create a compositing layer.
    if (!isMotionReduced())
      node.animate({ top: [`${-high * this.radius}px`, "0"] }, { duration: DROP_MS, easing: "ease-in" });
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

// Stack states: which stacks are visible, and how each looks.

/**
 * @typedef {object} Look what a felt draws
 * @property {Record<string, number>} stakes stake by spot, in cents
 * @property {Record<string, boolean>} guessed spots whose stake the server has not confirmed
 * @property {string[]} red spots below their minimum
 * @property {Record<string, number>} ghosts previewed stakes
 * @property {string[]} ringed the spots of the neighbours set, its number first
 * @property {string | null} winning the winning pocket
 * @property {{stakes: Record<string, number>} | null} last the stakes of the round just settled
 * @property {string | null} dolly the marked pocket
 * @property {boolean} open whether bets may be placed
 * @property {number | "eraser"} chip the value of the chosen chip in cents, or the eraser
 * @property {Record<string, [number | null, number | null, number | null]> | null} limits minimum, maximum and maximum
 *   win
 * @property {Record<string, number> | null} heat how often each pocket came up, from 0 to 1
 * @property {boolean} assist whether red is hatched
 * @property {string[]} live spots whose stake stays for the next spin
 * @property {boolean} sealed whether the bets are sealed
 *
 * @typedef {"lies" | "guessed" | "under" | "ghost" | "won" | "lost"} Way
 * @typedef {{spot: string, cents: number, way: Way, live: boolean, raised: boolean}} Pile
 */

/** The state of an empty felt. @type {Look} */
export const EMPTY_LAYOUT = {
  stakes: {},
  guessed: {},
  red: [],
  ghosts: {},
  ringed: [],
  winning: null,
  last: null,
  dolly: null,
  open: false,
  chip: 0,
  limits: null,
  heat: null,
  assist: false,
  live: [],
  sealed: false,
};

/**
 * Every stack by key; a previewed stack may stand beside a placed one.
 * @param {Look} look @param {(spot: string) => string[]} covers @returns {Map<string, Pile>}
 */
export function pilesOf(look, covers) {
  const red = new Set(look.red);
  const live = new Set(look.live);
  /** @type {Map<string, Pile>} */
  const piles = new Map();
  /** @param {string} spot */
  const isWon = (spot) => look.last !== null && look.winning !== null && covers(spot).includes(look.winning);
  for (const [spot, cents] of Object.entries({ ...look.last?.stakes, ...look.stakes })) {
    if (!(cents > 0)) continue;
    const lies = look.stakes[spot] > 0;
    /** @type {Way} */
    const way = isWon(spot)
      ? "won"
      : !lies
        ? "lost"
        : look.guessed[spot]
          ? "guessed"
          : red.has(spot)
            ? "under"
            : "lies";
    piles.set(spot, { spot, cents, way, live: lies && live.has(spot), raised: false });
  }
  for (const [spot, cents] of Object.entries(look.ghosts)) {
    if (cents > 0) {
      piles.set(`ghost ${spot}`, { spot, cents, way: "ghost", live: false, raised: piles.has(spot) });
    }
  }
  return piles;
}

/** The spots whose stacks changed. @param {Map<string, Pile>} before @param {Map<string, Pile>} after */
export function changed(before, after) {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const isOther = (/** @type {string} */ key) => {
    const [one, other] = [before.get(key), after.get(key)];
    return one?.cents !== other?.cents || one?.way !== other?.way;
  };
  return keys.filter(isOther).map((key) => key.replace(/^ghost /, ""));
}
