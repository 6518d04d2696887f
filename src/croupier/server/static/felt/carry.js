// Carrying: a chip on its way from the tray, or a stack on its way elsewhere, over whichever felt lies below it.

import { el, marked } from "../kit/dom.js";
import { isCovered } from "../kit/sheet.js";
import { face } from "./chips.js";

/**
 * @typedef {import("./geometry.js").Place} Place
 * @typedef {object} Ground a felt on the screen
 * @property {(x: number, y: number) => Place | null} hit
 * @property {(place: Place | null) => void} point
 * @property {(spot: string, cents: number) => void} drop
 * @typedef {{ground: Ground, place: Place} | null} Below
 * @typedef {object} Load
 * @property {number} cents
 * @property {PointerEvent} event
 * @property {(below: Below) => void} put told where it is put down; nowhere, beside every felt
 * @property {() => void} [ended] told when it is no longer carried, put down or not
 * @property {Ground} [home] the felt that it was taken up from, where putting it down nowhere takes it off
 */

/** A finger hides what is below it, so the chip is carried above. */
const LIFT_PX = 44;

/** @type {Set<Ground>} */
const grounds = new Set();
/** What is carried now, never more than one thing: from where, and what ends it.
 * @type {{home: Ground | undefined, stop: () => void} | null} */
let carried = null;

/** @param {Ground} ground */
export const join = (ground) => grounds.add(ground);
/** @param {Ground} ground */
export const leave = (ground) => grounds.delete(ground);

/** Put back whatever is carried. */
export const abandon = () => carried?.stop();

/** Put back what was taken up from a felt; a chip of the tray may still go to another. @param {Ground} ground */
export const abandonFrom = (ground) => carried?.home === ground && carried.stop();

/** Carry a chip from now on. @param {Load} load */
export function carry({ cents, event, put, ended = () => {}, home }) {
  abandon();
  const node = el("div", { class: "carried", "aria-hidden": "true" });
  node.append(face(cents));
  document.body.append(node);
  /** @type {Below} */
  let below = null;
  const ways = new AbortController();
  const listen = { signal: ways.signal, capture: true };
  // Under a sheet that has come up meanwhile nothing is laid, and nothing taken off.
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
  // A second finger, or Escape: nothing was meant.
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
