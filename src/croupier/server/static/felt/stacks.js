// The chip stacks on the felt.

import { el, isMotionReduced, marked, text } from "../shared/dom.js";
import { signed } from "../shared/money.js";
import { colourOf, faceUrl, figuresSize, inkOf, rimsOf } from "./chips.js";

/** @typedef {import("./geometry.js").Point} Point */

/**
 * @typedef {{node: HTMLElement, figures: HTMLElement, label: HTMLElement | null, state: StackState, words: string}} Stack
 *   with its text; winnings have a label
 * @typedef {{x: number, y: number, width: number, height: number}} Box from its upper left corner
 */

const DROP_MS = 180;
/** How long winnings take from the house to their stake. */
const PAY_MS = 620;
/** How far beside its stake winnings stand, in chip radii, and how far their labels are apart. */
const PAID_BESIDE = 1.9;
const LABEL_GAP = 2;

export class Stacks {
  /** @param {() => import("../shared/money.js").MoneyFormat} money */
  constructor(money) {
    this.money = money;
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
    for (const stack of this.stacks.values()) this.#position(stack);
    this.#spreadLabels();
  }

  /** @param {Map<string, StackState>} states */
  set(states) {
    for (const [key, { node }] of this.stacks) {
      if (!states.has(key)) {
        node.remove();
        this.stacks.delete(key);
      }
    }
    let isPaid = false;
    for (const [key, state] of states) {
      const stack = this.stacks.get(key);
      if (stack) this.#change(stack, state);
      else this.#add(key, state);
      isPaid ||= !stack && state.way === "paid";
    }
    if (isPaid) this.#spreadLabels();
    this.fresh = false;
  }

  /** Mark a stack as being dragged. @param {string | null} spot */
  lift(spot) {
    for (const [key, { node }] of this.stacks) marked(node, "data-lifted", key === spot);
  }

  /** Copies of the stacks near a point. @param {Point} at @param {number} reach */
  near(at, reach) {
    return [...this.stacks.values()]
      .filter(({ state }) => {
        const place = this.place(state.spot);
        return place && Math.abs(place.x - at.x) < reach && Math.abs(place.y - at.y) < reach;
      })
      .map(({ node }) => /** @type {HTMLElement} */ (node.cloneNode(true)));
  }

  /** @param {string} key @param {StackState} state */
  #add(key, state) {
    const figures = el("b");
    const node = el("div", { class: "stack", "data-spot": state.spot }, figures);
    const label = state.way === "paid" ? el("i", { class: "paid-label" }) : null;
    if (label) node.append(label);
    const stack = { node, figures, label, state, words: this.money().chip(state.cents) };
    this.stacks.set(key, stack);
    this.#position(stack);
    this.#paint(stack);
    this.node.append(node);
    if (state.way === "paid") this.#pay(node);
    else if (!this.fresh) this.#drop(node, 0.7);
  }

  /** Push winnings to their stake from the house's side. @param {HTMLElement} node */
  #pay(node) {
    if (isMotionReduced()) return;
    node.animate(
      { top: [`${-9 * this.radius}px`, "0"], left: [`${3 * this.radius}px`, "0"], opacity: [0, 1, 1] },
      { duration: PAY_MS, easing: "cubic-bezier(0.2, 0.7, 0.2, 1)" },
    );
  }

  /** @param {Stack} stack @param {StackState} state */
  #change(stack, state) {
    const before = stack.state;
    const words = this.money().chip(state.cents);
    // The text of the same stake changes with the unit or the denomination.
    if (isSame(before, state) && words === stack.words) return;
    [stack.state, stack.words] = [state, words];
    this.#paint(stack);
    if (before.raised !== state.raised) this.#position(stack);
    if (state.cents > before.cents) this.#drop(stack.node, 0.3);
  }

  /** Drop a chip into place from above. @param {HTMLElement} node @param {number} high */
  #drop(node, high) {
    // Animating `top` repaints the chip alone; a transform or opacity would create a compositing layer.
    if (!isMotionReduced()) {
      node.animate({ top: [`${-high * this.radius}px`, "0"] }, { duration: DROP_MS, easing: "ease-in" });
    }
  }

  /** @param {Stack} stack */
  #position({ node, state }) {
    const at = this.place(state.spot);
    if (!at) return;
    const aside = state.raised ? this.radius * 0.62 : 0;
    const beside = state.way === "paid" ? this.radius * PAID_BESIDE : 0;
    node.style.setProperty("translate", `${(at.x + aside + beside).toFixed(1)}px ${(at.y - aside).toFixed(1)}px`);
  }

  /** Move the labels of winnings apart, so that each can be read. */
  #spreadLabels() {
    const labels = [...this.stacks.values()].flatMap(({ label, state }) => {
      const at = this.place(state.spot);
      if (!label || !at) return [];
      const { offsetWidth: width, offsetHeight: height } = label;
      return [{ label, box: { x: at.x + this.radius * PAID_BESIDE - width / 2, y: at.y, width, height } }];
    });
    const shifts = labelShifts(labels.map(({ box }) => box));
    labels.forEach(({ label }, place) => label.style.setProperty("--shift", `${shifts[place].toFixed(1)}px`));
  }

  /** @param {Stack} stack */
  #paint({ node, figures, label, state, words }) {
    const colour = state.way === "under" ? "red" : state.way === "ghost" ? "grey" : colourOf(state.cents);
    marked(node, "data-way", state.way);
    marked(node, "data-rims", state.way === "ghost" ? 1 : rimsOf(state.cents));
    marked(node, "data-live", state.live);
    if (label) marked(label, "data-paid", signed(this.money().amount(state.cents)));
    node.style.setProperty("--face", `url("${faceUrl(colour)}")`);
    node.style.setProperty("--ink", inkOf(colour));
    node.style.setProperty("--size", String(figuresSize(words)));
    text(figures, words);
  }
}

/** @param {StackState} one @param {StackState} other */
const isSame = (one, other) =>
  one.cents === other.cents && one.way === other.way && one.live === other.live && one.raised === other.raised;

/**
 * How far each label moves up or down, so that no two overlap: as little as possible, from the top to the bottom.
 * @param {Box[]} boxes where the labels would be @returns {number[]}
 */
export function labelShifts(boxes) {
  const order = boxes.map((_, place) => place).sort((one, other) => boxes[one].y - boxes[other].y || one - other);
  /** @type {Box[]} */
  const placed = [];
  const shifts = boxes.map(() => 0);
  for (const place of order) {
    const box = boxes[place];
    const beside = placed.filter(({ x, width }) => x < box.x + box.width && box.x < x + width);
    const ways = beside.flatMap((
      { y, height },
    ) => [y + height + LABEL_GAP - box.y, y - box.height - LABEL_GAP - box.y]);
    const isFree = (/** @type {number} */ shift) =>
      beside.every(({ y, height }) => box.y + shift >= y + height || box.y + shift + box.height <= y);
    shifts[place] = [0, ...ways].sort((one, other) => Math.abs(one) - Math.abs(other)).find(isFree) ?? 0;
    placed.push({ ...box, y: box.y + shifts[place] });
  }
  return shifts;
}

// Stack states: which stacks are visible, and how each looks.

/**
 * @typedef {object} FeltState what a felt draws
 * @property {Record<string, number>} stakes stake by spot, in cents
 * @property {Record<string, boolean>} guessed spots whose stake the server has not confirmed
 * @property {string[]} red spots below their minimum
 * @property {Record<string, number>} ghosts previewed stakes
 * @property {string[]} ringed the spots of the neighbours set, its number first
 * @property {string | null} winning the winning pocket
 * @property {{stakes: Record<string, number>} | null} last the stakes of the round just settled
 * @property {Record<string, number>} [paid] winnings by spot, which stand beside the winning stakes
 * @property {string | null} dolly the marked pocket
 * @property {Record<string, number>} [pots] what progressive bets win, by spot
 * @property {Record<string, number>} [multiples] the numbers that were drawn before the spin, with what they pay
 * @property {boolean} open whether bets may be placed
 * @property {number | "eraser"} chip the value of the chosen chip in cents, or the eraser
 * @property {Record<string, [number | null, number | null, number | null]> | null} limits minimum, maximum and maximum
 *   win
 * @property {Record<string, number> | null} heat how often each pocket came up, from 0 to 1
 * @property {boolean} assist whether red is hatched
 * @property {string[]} live spots whose stake stays for the next spin
 * @property {boolean} sealed whether the bets are sealed
 *
 * @typedef {"lies" | "guessed" | "under" | "ghost" | "won" | "lost" | "paid"} StackLook
 * @typedef {{spot: string, cents: number, way: StackLook, live: boolean, raised: boolean}} StackState
 */

/** The state of an empty felt. @type {FeltState} */
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
 * @param {FeltState} look @param {(spot: string) => string[]} covers @returns {Map<string, StackState>}
 */
export function stackStates(look, covers) {
  const red = new Set(look.red);
  const live = new Set(look.live);
  /** @type {Map<string, StackState>} */
  const states = new Map();
  /** @param {string} spot */
  const isWon = (spot) => look.last !== null && look.winning !== null && covers(spot).includes(look.winning);
  for (const [spot, cents] of Object.entries({ ...look.last?.stakes, ...look.stakes })) {
    if (!(cents > 0)) continue;
    const placed = look.stakes[spot] > 0;
    /** @type {StackLook} */
    const way = isWon(spot)
      ? "won"
      : !placed
      ? "lost"
      : look.guessed[spot]
      ? "guessed"
      : red.has(spot)
      ? "under"
      : "lies";
    states.set(spot, { spot, cents, way, live: placed && live.has(spot), raised: false });
  }
  for (const [spot, cents] of Object.entries(look.paid ?? {})) {
    if (cents > 0) states.set(`paid ${spot}`, { spot, cents, way: "paid", live: false, raised: false });
  }
  for (const [spot, cents] of Object.entries(look.ghosts)) {
    if (cents > 0) {
      states.set(`ghost ${spot}`, { spot, cents, way: "ghost", live: false, raised: states.has(spot) });
    }
  }
  return states;
}

/** The spots whose stacks changed. @param {Map<string, StackState>} before @param {Map<string, StackState>} after */
export function changed(before, after) {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const isOther = (/** @type {string} */ key) => {
    const [one, other] = [before.get(key), after.get(key)];
    return one?.cents !== other?.cents || one?.way !== other?.way;
  };
  return keys.filter(isOther).map((key) => key.replace(/^ghost /, ""));
}
