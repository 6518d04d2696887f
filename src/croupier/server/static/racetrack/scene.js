// The scene of a racetrack: its layers for the room that there is, drawn anew with the room and marked in between.

import { pilesOf } from "../felt/piles.js";
import { Stacks } from "../felt/stacks.js";
import { el, marked, shown, text } from "../kit/dom.js";
import { marks, placesIn, printed, put } from "./draw.js";
import { at, isInside, parcel, pocketAt, track } from "./geometry.js";
import { GAP } from "./middle.js";

/**
 * @typedef {import("../felt/piles.js").Look} Look
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./geometry.js").Track} Track
 * @typedef {import("./offer.js").Call} Call
 * @typedef {import("./offer.js").Offer} Offer
 * @typedef {{pocket: string, colour: string}[]} Pockets
 * @typedef {{pocket: string} | {call: Call}} Target what a touch may mean
 * @typedef {{target: Target, under: Set<string>}} Aimed and the pockets that it covers
 */

/** Beside the band a finger still means the pocket. */
const SLACK = 3;
/** How far above a finger it is said what it would lay, and above a button. */
const ABOVE = { finger: 44, button: 4 };

export class Scene {
  /** @type {HTMLElement} */ #host;
  /** @type {Offer} */ #offer;
  /** @type {Pockets} */ #pockets;
  /** @type {"strip" | "view"} */ #shape;
  /** Nothing is drawn before there is room for it. @type {Track | null} */ track = null;
  /** @type {import("./draw.js").Places[]} */ #places = [];
  /** @type {SVGTextElement[]} */ #numbers = [];
  /** @type {ReturnType<typeof marks> | null} */ #marks = null;
  #print = el("div", { class: "track-layer" });
  #over = el("div", { class: "track-layer" });
  #words = el("b", {});
  #price = el("span", {});
  #label = el("div", { class: "track-aim", hidden: true, "aria-hidden": "true" }, this.#words, this.#price);
  #stacks;

  /**
   * @param {HTMLElement} host
   * @param {{pockets: Pockets, offer: Offer, shape: "strip" | "view", amount: (cents: number) => string}} given
   */
  constructor(host, { pockets, offer, shape, amount }) {
    this.#host = host;
    this.#pockets = pockets;
    this.#offer = offer;
    this.#shape = shape;
    this.#stacks = new Stacks(amount);
  }

  /** From the bottom to the top; what is put between lies under the words of an aim. @param {...Node} between */
  layers(...between) {
    return [this.#print, this.#over, this.#stacks.node, ...between, this.#label];
  }

  /** Draw for the room that there is now; tells whether it has changed. */
  lay() {
    const { clientWidth: width, clientHeight: height } = this.#host;
    // What is hidden keeps what it has.
    if (width === 0 || height === 0) return false;
    if (this.track?.width === width && this.track.height === height) return false;
    const made = track({ count: this.#pockets.length, width, height, shape: this.#shape });
    this.track = made;
    this.#host.classList.toggle("is-drawn", made !== null);
    if (!made) return false;
    const sectors = this.#sectors();
    const { sheet, numbers } = printed(made, this.#pockets, sectors);
    this.#places = this.#pockets.map((_, index) => placesIn(made, index));
    this.#numbers = numbers;
    this.#marks = marks(made, sectors);
    this.#print.replaceChildren(sheet);
    this.#over.replaceChildren(this.#marks.sheet);
    this.#stacks.lay((pocket) => this.#chipAt(pocket), this.#places[0].chip.size / 2);
    return true;
  }

  /** The wheel lies where the sectors would meet: the view has none. */
  #sectors() {
    return this.#shape === "strip" ? this.#offer.sectors.filter(({ within }) => !within) : [];
  }

  /** The middle of every pocket. */
  middles() {
    return this.#places.map(({ number }) => number.at);
  }

  /** @param {Look} look */
  draw(look) {
    if (!this.track) return;
    const { order } = this.#offer;
    // Only what lies straight up has a place here.
    const piles = [...pilesOf(look, (spot) => [spot])].filter(([, { spot }]) => order.includes(spot));
    const lying = new Set(piles.map(([, { spot }]) => spot));
    this.#stacks.set(new Map(piles));
    order.forEach((pocket, index) => {
      const { tucked, number } = this.#places[index];
      put(this.#numbers[index], lying.has(pocket) ? tucked : number);
    });
  }

  /** @param {string} pocket */
  #chipAt(pocket) {
    const [x, y] = this.#places[this.#offer.order.indexOf(pocket)].chip.at;
    return { x, y };
  }

  /** Mark what is aimed at, what is ringed and what has won. @param {Look} look @param {Aimed | null} aimed */
  mark({ ringed, winning }, aimed) {
    const target = aimed?.target;
    this.#marks?.pockets.forEach((mark, index) => {
      const pocket = this.#offer.order[index];
      const isMiddle = target && "pocket" in target && target.pocket === pocket;
      marked(mark, "data-aim", isMiddle ? "middle" : aimed?.under.has(pocket) ? "under" : null);
      marked(mark, "data-ringed", ringed.includes(pocket) ? "" : null);
      marked(mark, "data-won", winning === pocket ? "" : null);
    });
    for (const [name, part] of this.#marks?.parts ?? []) {
      marked(part, "data-aim", target && "call" in target && target.call.name === name ? "under" : null);
    }
  }

  /** What lies under a point. @param {{clientX: number, clientY: number}} point @returns {Target | null} */
  find({ clientX, clientY }) {
    const { left, top } = this.#host.getBoundingClientRect();
    /** @type {Point} */
    const point = [clientX - left, clientY - top];
    const made = this.track;
    if (!made) return null;
    const index = pocketAt(made, point, SLACK);
    if (index !== null) return { pocket: this.#offer.order[index] };
    const sector = this.#sectors().find(({ arcs }) => isInside(parcel(made, arcs, GAP), point));
    return sector ? { call: sector.call } : null;
  }

  /**
   * Say beside it what is aimed at.
   * @param {Target} target
   * @param {{words: string, price: string}} said
   * @param {boolean} touch
   */
  tell(target, { words, price }, touch) {
    if (!this.track) return;
    text(this.#words, words);
    text(this.#price, price);
    shown(this.#label, true);
    marked(this.#label, "data-above", touch || "call" in target ? "" : null);
    const [x, y] = this.#beside(this.track, target, touch);
    const half = this.#label.offsetWidth / 2;
    const middle = Math.min(Math.max(x, half), this.track.width - half);
    this.#label.style.setProperty("left", `${middle.toFixed(1)}px`);
    this.#label.style.setProperty("top", `${y.toFixed(1)}px`);
  }

  hush() {
    shown(this.#label, false);
  }

  /**
   * For a mouse inside the band, for a finger above it, and above a button.
   * @type {(made: Track, target: Target, touch: boolean) => Point}
   */
  #beside(made, target, touch) {
    const above = touch ? ABOVE.finger : ABOVE.button;
    if ("call" in target) {
      const node = this.#host.querySelector(`[data-call="${target.call.name}"]`);
      const [over, { left, top }] = [node ?? this.#host, this.#host].map((one) => one.getBoundingClientRect());
      return [over.left + over.width / 2 - left, over.top - top - above];
    }
    const index = this.#offer.order.indexOf(target.pocket);
    const [x, y] = this.#places[index].number.at;
    return touch ? [x, y - above] : at(made, index * made.step, -made.band / 2 - 24);
  }
}
