// Mouse and touch on the felt, and dragging chips.

import { isCovered } from "../shared/dialog.js";
import { el, marked } from "../shared/dom.js";
import { face } from "./chips.js";

/** @typedef {import("./geometry.js").Place} Place */

/**
 * @typedef {object} Touched the part of the felt that the pointer needs
 * @property {HTMLElement} node
 * @property {(x: number, y: number) => Place | null} hit the spot at a screen position
 * @property {(x: number, y: number) => string | null} stackAt the spot of the stack at a screen position
 * @property {(place: Place | null, event?: PointerEvent) => void} point
 * @property {(place: Place) => void} act applies the chosen chip to a spot
 * @property {(spot: string) => Omit<Load, "event">} lift picks up a stack
 * @property {() => boolean} isTight whether cells are too small to hit without sliding
 *
 * @typedef {{id: number, x: number, y: number, touch: boolean, stack: string | null, since: number}} Press
 */

/** A press on a stack becomes a drag after this many pixels. */
const DRAG_FROM_PX = 8;
/** Where fingers slide to aim, a stack must be held this long before it is dragged. */
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

  /** Cancel the press. */
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

  /** @param {Press} press @param {PointerEvent} event @returns {boolean} whether the stack is dragged from now on */
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

// Dragging: a chip from the tray, or a stack, over any felt on the screen.

/**
 * @typedef {object} Ground a felt on the screen
 * @property {(x: number, y: number) => Place | null} hit
 * @property {(place: Place | null) => void} point
 * @property {(spot: string, cents: number) => void} drop
 * @typedef {{ground: Ground, place: Place} | null} Below
 * @typedef {object} Load
 * @property {number} cents
 * @property {PointerEvent} event
 * @property {(below: Below) => void} put called with where it is dropped; null outside every felt
 * @property {() => void} [ended] called when dragging ends, dropped or not
 * @property {Ground} [home] the felt that it came from; dropping it outside removes it
 */

/** A finger hides what is below it, so the chip is drawn above it. */
const LIFT_PX = 44;

/** @type {Set<Ground>} */
const grounds = new Set();
/**
 * The current drag, at most one: its origin, and how to end it.
 * @type {{home: Ground | undefined, stop: () => void} | null}
 */
let carried = null;

/** @param {Ground} ground */
export const join = (ground) => grounds.add(ground);
/** @param {Ground} ground */
export const leave = (ground) => grounds.delete(ground);

/** Cancel the drag. */
export const abandon = () => carried?.stop();

/** Cancel a drag that began on a felt; a chip from the tray may still go to another. @param {Ground} ground */
export const abandonFrom = (ground) => carried?.home === ground && carried.stop();

/** Start dragging. @param {Load} load */
export function carry({ cents, event, put, ended = () => {}, home }) {
  abandon();
  const node = el("div", { class: "carried", "aria-hidden": "true" });
  node.append(face(cents));
  document.body.append(node);
  /** @type {Below} */
  let below = null;
  const ways = new AbortController();
  const listen = { signal: ways.signal, capture: true };
  // A dialog that opened meanwhile cancels the drag.
  const own = (/** @type {(event: PointerEvent) => void} */ deed) => (/** @type {PointerEvent} */ told) =>
    told.pointerId === event.pointerId && (isCovered() ? stop() : deed(told));

  const move = (/** @type {PointerEvent} */ told) => {
    const [x, y] = [told.clientX, told.clientY - (told.pointerType === "touch" ? LIFT_PX : 0)];
    node.style.setProperty("translate", `${x}px ${y}px`);
    const before = below;
    below = under(x, y);
    if (before && before.ground !== below?.ground) before.ground.point(null);
    below?.ground.point(below.place);
    marked(node, "data-off", home && !below);
  };
  const drop = (/** @type {PointerEvent} */ told) => {
    move(told);
    const last = below;
    stop();
    put(last);
  };
  const stop = () => {
    ways.abort();
    node.remove();
    below?.ground.point(null);
    carried = null;
    ended();
  };
  carried = { home, stop };
  addEventListener("pointermove", own(move), listen);
  addEventListener("pointerup", own(drop), listen);
  addEventListener("pointercancel", own(stop), listen);
  // A second finger, or Escape, cancels.
  addEventListener("pointerdown", stop, listen);
  addEventListener("keydown", (key) => key.key === "Escape" && stop(), listen);
  move(event);
}

/** @param {number} x @param {number} y @returns {Below} */
function under(x, y) {
  for (const ground of grounds) {
    const place = ground.hit(x, y);
    if (place) return { ground, place };
  }
  return null;
}
