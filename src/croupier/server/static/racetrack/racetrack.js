// The public interface of the racetrack.

import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { marked } from "../shared/dom.js";
import { betOf, covered, isPlain, offerOf, reachNear, TrackField } from "./field.js";
import { handlePointer, list } from "./input.js";
import { Scene } from "./scene.js";

/**
 * @typedef {import("./field.js").Call} Call
 * @typedef {import("./field.js").Felt} Felt
 * @typedef {import("./scene.js").Target} Target
 * @typedef {import("./field.js").Way} Way
 */

/**
 * @typedef {(id: string, facts?: Record<string, string | number>) => string} Say
 * @typedef {{chips: number, words: string, price: string}} Aim the name and the price of the bet
 *
 * @typedef {Partial<import("../felt/stacks.js").FeltState> & {reach?: number}} Look the felt state, and how many
 *   neighbours on each side the player has chosen; only straight-up stakes are drawn here
 *
 * @typedef {object} RacetrackHandlers what the racetrack requests; it decides nothing
 * @property {(pocket: string) => void} number place a chip straight up
 * @property {(pocket: string) => void} take remove the straight-up stake
 * @property {(way: Way) => void} call place a call bet
 * @property {(call: Call) => void} pick a call that still needs a number or a digit
 * @property {(pieces: [string, number][] | null, aim: Aim | null) => void} [aim] the bet that a press would place now
 * @property {(reach: number) => void} [reach] a new reach
 */

/** The default reach on each side. */
const REACH = 2;

export class Racetrack {
  /** @type {HTMLElement} */ #host;
  /** @type {Map<string, string>} */ #colours;
  /** @type {Say} */ #say;
  /** @type {() => import("../shared/money.js").MoneyFormat} */ #money;
  /** @type {RacetrackHandlers} */ #on;
  /** @type {import("./field.js").Offer} */ #offer;
  #look = { ...EMPTY_LAYOUT, reach: REACH };
  /** @type {{target: Target, touch: boolean} | null} */ #aimed = null;
  /** The aim reported last. */ #reportedAim = "";
  #scene;
  #field;
  #list;
  #pointer;
  #watch;

  /**
   * @param {HTMLElement} host an element with its own size, which the track fills
   * @param {{data: Felt, shape: "strip" | "view", money: () => import("../shared/money.js").MoneyFormat, say: Say, on: RacetrackHandlers}} given
   */
  constructor(host, { data, shape, money, say, on }) {
    this.#host = host;
    this.#colours = new Map(data.wheel.map(({ pocket, colour }) => [pocket, colour]));
    this.#say = say;
    this.#money = money;
    this.#on = on;
    this.#offer = offerOf(data);
    this.#scene = new Scene(host, { pockets: data.wheel, offer: this.#offer, shape, money });
    this.#field = new TrackField(this.#offer, shape, say, (reach) => on.reach?.(reach));
    this.#list = list(this.#offer.order, {
      walk: (pocket) => this.#aim(pocket === null ? null : { pocket }, false),
      place: (pocket) => this.#press({ pocket }),
      take: (pocket) => this.#take(pocket),
      step: (by) => this.#step(by),
    });
    host.classList.add("track");
    marked(host, "data-shape", shape);
    host.replaceChildren(...this.#scene.layers(this.#list.node, this.#field.node));
    this.#pointer = handlePointer(host, {
      find: (event) => this.#scene.find(event),
      meant: (pressed) => this.#callOf(pressed.dataset.call),
      aim: (target, touch) => this.#aim(target, touch),
      press: (target) => this.#press(target),
    });
    this.#watch = new ResizeObserver(() => this.#lay());
    this.#watch.observe(host);
  }

  /** The place of the wheel in the middle; its owner puts it there. */
  get well() {
    return this.#field.well;
  }

  /** Draw a state. @param {Look} look */
  set(look) {
    const wasOpen = this.#look.open;
    this.#look = { ...EMPTY_LAYOUT, reach: REACH, ...look };
    if (wasOpen && !look.open) this.#pointer.abandon();
    this.#draw();
  }

  /** The screen position of a pocket; null before it is drawn. @param {string} pocket */
  anchor(pocket) {
    const middle = this.#scene.middles()[this.#offer.order.indexOf(pocket)];
    const { left, top } = this.#host.getBoundingClientRect();
    return middle ? { x: left + middle[0], y: top + middle[1] } : null;
  }

  destroy() {
    this.#watch.disconnect();
    this.#pointer.abandon();
    this.#pointer.end();
    this.#host.replaceChildren();
    this.#host.classList.remove("track", "is-drawn");
    for (const name of ["data-shape", "data-open", "data-assist"]) marked(this.#host, name, null);
  }

  #lay() {
    const changed = this.#scene.lay();
    const { track } = this.#scene;
    if (!changed || !track) return;
    // Squares of this size do not overlap in the bends.
    this.#list.lay(this.#scene.middles(), 0.7 * Math.min(track.band, track.step));
    this.#field.lay(track);
    this.#draw();
  }

  #draw() {
    const look = this.#look;
    marked(this.#host, "data-open", look.open ? "" : null);
    marked(this.#host, "data-assist", look.assist ? "" : null);
    this.#field.draw(look);
    this.#list.name(this.#say("race.track"), (pocket) => this.#nameOf(pocket));
    this.#scene.draw(look);
    this.#mark();
  }

  /** @param {Target | null} target @param {boolean} touch */
  #aim(target, touch) {
    this.#aimed = target && { target, touch };
    this.#mark();
  }

  #mark() {
    const aimed = this.#look.open ? this.#aimed : null;
    const way = aimed && this.#betOf(aimed.target);
    this.#scene.mark(this.#look, aimed && { target: aimed.target, under: covered(this.#offer, way?.pieces ?? []) });
    const aim = way && this.#aimOf(way);
    if (aimed && aim) this.#scene.showLabel(aimed.target, aim, aimed.touch);
    else this.#scene.hideLabel();
    const reported = way && aim ? `${way.said} ${aim.price}` : "";
    if (reported !== this.#reportedAim) this.#on.aim?.(way?.pieces ?? null, aim);
    this.#reportedAim = reported;
  }

  /**
   * The bet of a press; null for the eraser, or where a choice comes first.
   * @param {Target} target @returns {Way | null}
   */
  #betOf(target) {
    if (this.#look.chip === "eraser") return null;
    if ("pocket" in target) return betOf(this.#offer, target.pocket, this.#reach());
    return isPlain(target.call) ? target.call.ways[0] : null;
  }

  /** @param {Way} way @returns {Aim} */
  #aimOf({ said, of, reach, chips }) {
    const { chip } = this.#look;
    const price = this.#money().amount(chip === "eraser" ? 0 : chips * chip);
    const words = this.#offer.calls.find(({ name }) => name === said)?.label ?? this.#pressName(of, reach ?? 0);
    return { chips, words, price: this.#say("race.price", { chips, price }) };
  }

  /** The name of a press on a pocket. @param {string} pocket @param {number} reach */
  #pressName(pocket, reach) {
    return reach > 0 ? this.#say("race.with", { pocket, reach }) : this.#say("race.only", { pocket });
  }

  /** @param {Target} target */
  #press(target) {
    if (!this.#look.open) return;
    if (this.#look.chip === "eraser") return "pocket" in target ? this.#take(target.pocket) : undefined;
    const way = this.#betOf(target);
    if ("call" in target) return way ? this.#on.call(way) : this.#on.pick(target.call);
    if (way?.reach) this.#on.call(way);
    else this.#on.number(target.pocket);
  }

  /** @param {string} pocket */
  #take(pocket) {
    if (this.#look.open && this.#look.stakes[pocket]) this.#on.take(pocket);
  }

  /** @param {number} by */
  #step(by) {
    const { reaches } = this.#offer;
    const wanted = reaches[reaches.indexOf(this.#reach()) + by];
    if (wanted !== undefined) this.#on.reach?.(wanted);
  }

  #reach() {
    return reachNear(this.#offer, this.#look.reach);
  }

  /** @param {string | undefined} name @returns {Target | null} */
  #callOf(name) {
    const call = this.#offer.calls.find((one) => one.name === name);
    return call ? { call } : null;
  }

  /** @param {string} pocket */
  #nameOf(pocket) {
    const { stakes } = this.#look;
    const colour = this.#say(`colour.${this.#colours.get(pocket)}`);
    const name = this.#say("race.option", { pocket, colour, words: this.#pressName(pocket, this.#reach()) });
    return stakes[pocket] ? this.#say("race.yours", { name, price: this.#money().amount(stakes[pocket]) }) : name;
  }
}
