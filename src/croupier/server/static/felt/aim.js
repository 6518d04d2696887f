// Aiming: what is pointed at is lit up and named, beside a mouse by a tip, above a finger by a lens.

import { amount } from "../kit/money.js";
import { say } from "../kit/words.js";
import { lines } from "./bounds.js";
import { Lens } from "./lens.js";
import { Tips } from "./tip.js";

/**
 * @typedef {import("./geometry.js").Place} Place
 *
 * @typedef {object} Aimed the felt as an aim sees it
 * @property {import("./scene.js").Scene} scene
 * @property {() => import("./piles.js").Look} look
 * @property {() => boolean} hasLens
 * @property {(spot: string) => string} label
 * @property {(spot: string) => string | null} note
 */

/** A finger hides so much around it: a tip for one keeps clear of it. */
const FINGER_PX = 28;

export class Aim {
  /** @param {Aimed} felt */
  constructor(felt) {
    this.felt = felt;
    this.scene = felt.scene;
    /** What the tip names, and how far from it. @type {{place: Place, away: number} | null} */
    this.named = null;
    const { root, id, stacks } = felt.scene;
    this.tips = new Tips(root);
    this.lens = new Lens(root, id, stacks);
  }

  /** @param {Place | null} place
   * @param {PointerEvent} [event] the pointer that it comes from; none when a chip is carried */
  point(place, event) {
    const { scene } = this;
    if (!place) return this.clear();
    this.#light(place, this.felt.look().chip === "eraser" ? "erase" : "point");
    if (event?.pointerType !== "touch") return this.#name(place);
    if (!this.felt.hasLens()) return this.#name(place, FINGER_PX);
    this.#forget();
    const { left, top } = scene.root.getBoundingClientRect();
    const finger = { x: event.clientX - left, y: event.clientY - top };
    const { x, y } = scene.corner();
    const words = [this.felt.label(place.spot), ...this.#notes(place.spot).map((note) => note.words)];
    this.lens.show({ at: { x: finger.x - x, y: finger.y - y }, finger, words: words.join(" · ") });
  }

  /** Show where the keyboard is. @param {Place | null} place */
  stand(place) {
    if (!place) return this.clear();
    this.#light(place, "key");
    this.#name(place);
  }

  /** Say at a spot why not; without a spot, over the middle.
   * @param {Place | null} place @param {string} words @param {string | null} clause */
  refuse(place, words, clause) {
    const { clientWidth, clientHeight } = this.scene.root;
    const at = place ? this.#beside(place, 0) : { x: clientWidth / 2, y: clientHeight / 2, reach: 0 };
    this.tips.refuse(at, words, clause);
  }

  clear() {
    this.scene.over.aim(null, null);
    this.#forget();
    this.lens.hide();
  }

  /** Say again what is aimed at: something may have changed there. */
  refresh() {
    if (this.named) this.#name(this.named.place, this.named.away);
  }

  destroy() {
    this.tips.hush();
  }

  #forget() {
    this.named = null;
    this.tips.hide();
  }

  /** @param {Place} place @param {"point" | "key" | "erase"} by */
  #light(place, by) {
    this.scene.over.aim(this.scene.spots.get(place.spot) ?? null, place, by);
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
    if (limits?.[spot]) return lines(limits[spot], amount);
    const more = this.felt.note(spot);
    return [
      ...(stakes[spot] > 0 ? [{ name: "staked", words: say("felt.stake", { amount: amount(stakes[spot]) }) }] : []),
      ...(more ? [{ name: red.includes(spot) ? "under" : "more", words: more }] : []),
    ];
  }
}
