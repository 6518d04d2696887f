// Aiming at a spot: hover, tooltip and magnifier.

import { button, el, shown, svg, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { limitLines } from "./overlay.js";

/**
 * @typedef {import("./geometry.js").Place} Place
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./stacks.js").Stacks} Stacks
 */

/**
 * @typedef {object} AimHost the part of the felt that aiming needs
 * @property {import("./scene.js").Scene} scene
 * @property {() => import("./stacks.js").FeltState} look
 * @property {() => boolean} hasLens
 * @property {(spot: string) => string} label
 * @property {(spot: string) => string | null} note
 * @property {boolean} own whether the stakes are those of the person at this screen
 * @property {() => import("../shared/money.js").MoneyFormat} money
 */

/** A finger hides this much around it: a tooltip keeps clear of it. */
const FINGER_PX = 28;

export class Aim {
  /** @param {AimHost} felt */
  constructor(felt) {
    this.felt = felt;
    this.scene = felt.scene;
    /** What the tooltip names, and its distance. @type {{place: Place, away: number} | null} */
    this.named = null;
    const { root, id, stacks } = felt.scene;
    this.tips = new Tooltips(root);
    this.lens = new Magnifier(root, id, stacks);
  }

  /** @param {Place | null} place
   * @param {PointerEvent} [event] the pointer event; none while a chip is dragged */
  point(place, event) {
    const { scene } = this;
    if (!place) return this.clear();
    this.#light(place, this.felt.look().chip === "eraser" ? "erase" : "point");
    if (event?.pointerType !== "touch") return this.#name(place);
    if (!this.felt.hasLens()) return this.#name(place, FINGER_PX);
    this.#clearTooltip();
    const { left, top } = scene.root.getBoundingClientRect();
    const finger = { x: event.clientX - left, y: event.clientY - top };
    const { x, y } = scene.corner();
    const words = [this.felt.label(place.spot), ...this.#notes(place.spot).map((note) => note.words)];
    this.lens.show({ at: { x: finger.x - x, y: finger.y - y }, finger, words: words.join(" · ") });
  }

  /** Show where the keyboard focus is. @param {Place | null} place */
  showFocus(place) {
    if (!place) return this.clear();
    this.#light(place, "key");
    this.#name(place);
  }

  /**
   * Show a refusal at a spot; without a spot, in the middle.
   * @param {Place | null} place @param {string} words @param {string | null} clause @param {Remedy | null} [remedy]
   */
  refuse(place, words, clause, remedy = null) {
    const { clientWidth, clientHeight } = this.scene.root;
    const at = place ? this.#beside(place, 0) : { x: clientWidth / 2, y: clientHeight / 2, reach: 0 };
    this.tips.refuse(at, words, clause, remedy);
  }

  clear() {
    this.scene.overlay.aim(null, null);
    this.#clearTooltip();
    this.lens.hide();
  }

  /** Update the tooltip: something may have changed there. */
  refresh() {
    if (this.named) this.#name(this.named.place, this.named.away);
  }

  destroy() {
    this.tips.hideRefusal();
  }

  #clearTooltip() {
    this.named = null;
    this.tips.hide();
  }

  /** @param {Place} place @param {"point" | "key" | "erase"} by */
  #light(place, by) {
    this.scene.overlay.aim(this.scene.spots.get(place.spot) ?? null, place, by);
  }

  /** @param {Place} place @param {number} [away] */
  #name(place, away = 0) {
    this.named = { place, away };
    this.lens.hide();
    this.tips.name(this.#beside(place, away), this.felt.label(place.spot), this.#notes(place.spot));
  }

  /** @param {Place} place @param {number} away */
  #beside(place, away) {
    const { x, y } = this.scene.corner();
    return { x: place.x + x, y: place.y + y, reach: this.scene.stacks.radius * 1.2 + away };
  }

  /** @param {string} spot */
  #notes(spot) {
    const { limits, stakes, red } = this.felt.look();
    const amount = (/** @type {number} */ cents) => this.felt.money().amount(cents);
    if (limits?.[spot]) return limitLines(limits[spot], amount);
    const more = this.felt.note(spot);
    return [
      ...(this.felt.own && stakes[spot] > 0
        ? [{ name: "staked", words: say("felt.stake", { amount: amount(stakes[spot]) }) }]
        : []),
      ...(more ? [{ name: red.includes(spot) ? "under" : "more", words: more }] : []),
    ];
  }
}

// The magnifier: what lies under a finger, at twice the size beside it. It shows the live drawing.

const LENS_PX = 150;
const ZOOM = 2;
/** Distance of its centre from the finger, which must not hide it. */
const AWAY_PX = 118;

class Magnifier {
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

  /** @param {{at: Point, finger: Point, words: string}} seen a point on the print, and the finger in felt coordinates */
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

  /**
   * Above the finger; near the upper edge beside it, on the side with more space.
   * @param {Point} finger @returns {Point}
   */
  #beside({ x, y }) {
    const half = LENS_PX / 2;
    const [wide, high] = [this.root.clientWidth, this.root.clientHeight];
    const inside = (/** @type {number} */ at, /** @type {number} */ most) =>
      Math.min(Math.max(at - half, 0), Math.max(0, most - LENS_PX));
    if (y - AWAY_PX - half >= 0) return { x: inside(x, wide), y: y - AWAY_PX - half };
    return { x: inside(x < wide / 2 ? x + AWAY_PX : x - AWAY_PX, wide), y: inside(y - half, high) };
  }
}

// Tooltips: the name of the spot aimed at, and refusals at the spot that was pressed.

/** How long a refusal is shown, and one with buttons. */
const BUBBLE_MS = 2500;
const REMEDY_MS = 9000;
/** The gap between a tooltip and its spot. */
const GAP_PX = 10;

/**
 * @typedef {object} Remedy what a player can do about a refusal
 * @property {string} about a second line
 * @property {string} words on its button
 * @property {(() => void) | null} act
 */

export class Tooltips {
  /** @param {HTMLElement} root the element that tooltips stay inside */
  constructor(root) {
    this.root = root;
    this.tip = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
    // Tooltips follow the text direction of the player, whichever way the felt is drawn.
    this.words = el("b", { dir: "auto" });
    this.notes = el("span", { class: "notes" });
    this.tip.append(this.words, this.notes);
    this.bubble = el("div", { class: "bubble", "aria-hidden": "true", hidden: true });
    root.append(this.tip, this.bubble);
    /** What the tooltip says, and where. */
    this.named = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * Name the spot aimed at.
   * @param {Point & {reach: number}} at @param {string} words @param {{name: string, words: string}[]} notes
   */
  name(at, words, notes) {
    const wanted = JSON.stringify([at, words, notes]);
    if (wanted === this.named && !this.tip.hidden) return;
    this.named = wanted;
    // "Split 17 / 20 · 17 to 1": name and odds.
    const [name, ...rest] = words.split(" · ");
    const pays = rest.length > 0 ? [" · ", el("em", {}, rest.join(" · "))] : [];
    this.words.replaceChildren(name, ...pays);
    this.notes.replaceChildren(...notes.map((note) => el("span", { class: note.name, dir: "auto" }, note.words)));
    shown(this.tip, true);
    this.#position(this.tip, at);
  }

  hide() {
    shown(this.tip, false);
  }

  /**
   * Show a refusal, and what the player can do about it.
   * @param {Point & {reach: number}} at @param {string} words @param {string | null} clause @param {Remedy | null} [remedy]
   */
  refuse(at, words, clause, remedy = null) {
    clearTimeout(this.timer);
    this.bubble.replaceChildren(
      el("b", { dir: "auto" }, words),
      ...(remedy?.about ? [el("span", { dir: "auto" }, remedy.about)] : []),
      ...(clause ? [el("small", { dir: "auto" }, clause)] : []),
      ...(remedy?.act ? [this.#ways(remedy)] : []),
    );
    this.bubble.toggleAttribute("data-remedy", Boolean(remedy?.act));
    // The text was announced; the buttons are for everybody.
    this.bubble.toggleAttribute("aria-hidden", !remedy?.act);
    shown(this.bubble, true);
    this.#position(this.bubble, at);
    this.timer = setTimeout(() => this.hideRefusal(), remedy?.act ? REMEDY_MS : BUBBLE_MS);
  }

  /** @param {Remedy} remedy */
  #ways({ words, act }) {
    const done = (/** @type {() => void} */ then) => () => {
      this.hideRefusal();
      then();
    };
    return el(
      "span",
      { class: "ways" },
      button(words, done(act ?? (() => {})), { class: "main" }),
      button(
        say("remedy.not-now"),
        done(() => {}),
      ),
    );
  }

  hideRefusal() {
    clearTimeout(this.timer);
    shown(this.bubble, false);
  }

  /**
   * Above the point, or below it where there is no space; always inside the felt.
   * @param {HTMLElement} node @param {Point & {reach: number}} at
   */
  #position(node, { x, y, reach }) {
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
