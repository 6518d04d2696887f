// Pointing: a press aims and its release lays a chip; sliding off the print, a second finger or the close abandons it.

import { carry } from "./carry.js";

/**
 * @typedef {import("./geometry.js").Place} Place
 * @typedef {object} Touched the felt as a pointer sees it
 * @property {HTMLElement} node
 * @property {(x: number, y: number) => Place | null} hit what a press at a point of the screen means
 * @property {(x: number, y: number) => string | null} stackAt the spot of the stack that a point of the screen is on
 * @property {(place: Place | null, event?: PointerEvent) => void} point
 * @property {(place: Place) => void} act does with a spot what the chosen chip does
 * @property {(spot: string) => Omit<import("./carry.js").Load, "event">} lift takes a stack up
 * @property {() => boolean} isTight whether cells are too small to aim at without sliding
 *
 * @typedef {{id: number, x: number, y: number, touch: boolean, stack: string | null, since: number}} Press
 */

/** A stack is dragged, and not just touched, from so many pixels on. */
const DRAG_FROM_PX = 8;
/** Where fingers slide to aim, a stack is held so long before it comes along. */
const HOLD_MS = 350;

export class Pointer {
  /** @param {Touched} felt */
  constructor(felt) {
    this.felt = felt;
    /** @type {Press | null} */
    this.press = null;
    this.ways = new AbortController();
    const { node } = felt;
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ deed) =>
      node.addEventListener(name, deed, { signal: this.ways.signal });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", () => this.abandon());
    on("pointerleave", () => !this.press && felt.point(null));
    on("contextmenu", (event) => event.preventDefault());
  }

  /** Whatever was pressed was not meant. */
  abandon() {
    if (!this.press) return;
    this.press = null;
    this.felt.point(null);
  }

  destroy() {
    this.abandon();
    this.ways.abort();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (this.press || !event.isPrimary) return this.abandon();
    if (event.button !== 0) return;
    const { pointerId: id, clientX: x, clientY: y } = event;
    const stack = this.felt.stackAt(x, y);
    this.press = { id, x, y, touch: event.pointerType === "touch", stack, since: event.timeStamp };
    this.felt.node.setPointerCapture(id);
    this.felt.point(this.felt.hit(x, y), event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { press, felt } = this;
    if (press && press.id !== event.pointerId) return;
    if (!press && event.pointerType !== "mouse") return;
    if (press && this.#lifts(press, event)) return;
    felt.point(felt.hit(event.clientX, event.clientY), event);
  }

  /** @param {Press} press @param {PointerEvent} event whether the stack comes along from now on */
  #lifts(press, event) {
    if (press.stack === null) return false;
    if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG_FROM_PX) return true;
    const held = event.timeStamp - press.since >= HOLD_MS;
    const { stack } = press;
    press.stack = null;
    if (press.touch && this.felt.isTight() && !held) return false;
    this.felt.node.releasePointerCapture(press.id);
    this.abandon();
    carry({ ...this.felt.lift(stack), event });
    return true;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { press, felt } = this;
    if (!press || press.id !== event.pointerId) return;
    this.press = null;
    const place = felt.hit(event.clientX, event.clientY);
    felt.point(press.touch ? null : place, event);
    if (place) felt.act(place);
  }
}
