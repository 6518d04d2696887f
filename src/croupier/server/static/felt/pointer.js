// Mouse and touch on the felt, and dragging chips.

import { isModalOpen } from "../shared/dialog.js";
import { el, marked } from "../shared/dom.js";
import { render } from "../shared/render.js";
import { face } from "./chips.js";

/** @typedef {import("./geometry.js").Place} Place */

/**
 * @typedef {object} PointerHost the part of the felt that the pointer needs
 * @property {HTMLElement} node
 * @property {(x: number, y: number) => Place | null} hit the spot at a screen position
 * @property {(x: number, y: number) => string | null} stackAt the spot of the stack at a screen position
 * @property {(place: Place | null, event?: PointerEvent) => void} point
 * @property {(place: Place) => void} act applies the chosen chip to a spot
 * @property {(spot: string) => Omit<DragLoad, "event">} lift picks up a stack
 * @property {() => boolean} isTight whether cells are too small to hit without sliding
 *
 * @typedef {{id: number, x: number, y: number, touch: boolean, stack: string | null, since: number}} Press
 */

/** A press on a stack becomes a drag after this many pixels. */
const DRAG_FROM_PX = 8;
/** Where fingers slide to aim, a stack must be held this long before it is dragged. */
const HOLD_MS = 350;

export class Pointer {
  /** @param {PointerHost} felt */
  constructor(felt) {
    this.felt = felt;
    /** @type {Press | null} */
    this.press = null;
    this.ways = new AbortController();
    const { node } = felt;
    const on = (/** @type {string} */ name, /** @type {(event: any) => void} */ action) =>
      node.addEventListener(name, action, { signal: this.ways.signal });
    on("pointerdown", (event) => this.#down(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#up(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => !this.press && felt.point(null));
    on("contextmenu", (event) => event.preventDefault());
  }

  /** Cancel the press. */
  cancel() {
    if (!this.press) return;
    this.press = null;
    this.felt.point(null);
  }

  destroy() {
    this.cancel();
    this.ways.abort();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (this.press || !event.isPrimary) return this.cancel();
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
    this.cancel();
    startDrag({ ...this.felt.lift(stack), event });
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
 * @typedef {object} DropTarget a felt on the screen
 * @property {(x: number, y: number) => Place | null} hit
 * @property {(place: Place | null) => void} point
 * @property {(spot: string, cents: number) => void} drop
 * @typedef {{ground: DropTarget, place: Place} | null} Below
 * @typedef {object} DragLoad
 * @property {number} cents
 * @property {string} figures the amount on the chip
 * @property {PointerEvent} event
 * @property {(below: Below) => void} put called with where it is dropped; null outside every felt
 * @property {() => void} [ended] called when dragging ends, dropped or not
 * @property {DropTarget} [home] the felt that it came from; dropping it outside removes it
 */

/** A finger hides what is below it, so the chip is drawn above it. */
const LIFT_PX = 44;

/** @type {Set<DropTarget>} */
const dropTargets = new Set();
/**
 * The current drag, at most one: its origin, and how to end it.
 * @type {{home: DropTarget | undefined, stop: () => void} | null}
 */
let currentDrag = null;

/** @param {DropTarget} dropTarget */
export const addDropTarget = (dropTarget) => dropTargets.add(dropTarget);
/** @param {DropTarget} dropTarget */
export const removeDropTarget = (dropTarget) => dropTargets.delete(dropTarget);

/** Cancel the drag. */
export const cancelDrag = () => currentDrag?.stop();

/** Cancel a drag that began on a felt; a chip from the tray may still go to another. @param {DropTarget} dropTarget */
export const cancelDragFrom = (dropTarget) => currentDrag?.home === dropTarget && currentDrag.stop();

/** Start dragging. @param {DragLoad} load */
export function startDrag({ cents, figures, event, put, ended = () => {}, home }) {
  cancelDrag();
  const node = el("div", { class: "carried", "aria-hidden": "true" });
  render(node, face(cents, figures));
  document.body.append(node);
  /** @type {Below} */
  let below = null;
  const ways = new AbortController();
  const listen = { signal: ways.signal, capture: true };
  // A dialog that opened meanwhile cancels the drag.
  const own = (/** @type {(event: PointerEvent) => void} */ action) => (/** @type {PointerEvent} */ moved) =>
    moved.pointerId === event.pointerId && (isModalOpen() ? stop() : action(moved));

  const move = (/** @type {PointerEvent} */ event) => {
    const [x, y] = [event.clientX, event.clientY - (event.pointerType === "touch" ? LIFT_PX : 0)];
    node.style.setProperty("translate", `${x}px ${y}px`);
    const before = below;
    below = dropTargetAt(x, y);
    if (before && before.ground !== below?.ground) before.ground.point(null);
    below?.ground.point(below.place);
    marked(node, "data-off", home && !below);
  };
  const drop = (/** @type {PointerEvent} */ event) => {
    move(event);
    const last = below;
    stop();
    put(last);
  };
  const stop = () => {
    ways.abort();
    node.remove();
    below?.ground.point(null);
    currentDrag = null;
    ended();
  };
  currentDrag = { home, stop };
  addEventListener("pointermove", own(move), listen);
  addEventListener("pointerup", own(drop), listen);
  addEventListener("pointercancel", own(stop), listen);
  // A second finger, or Escape, cancels.
  addEventListener("pointerdown", stop, listen);
  addEventListener("keydown", (key) => key.key === "Escape" && stop(), listen);
  move(event);
}

/** @param {number} x @param {number} y @returns {Below} */
function dropTargetAt(x, y) {
  for (const dropTarget of dropTargets) {
    const place = dropTarget.hit(x, y);
    if (place) return { ground: dropTarget, place };
  }
  return null;
}
