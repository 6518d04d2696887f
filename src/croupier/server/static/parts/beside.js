// Beside the felt: why something was refused, told at the number of the racetrack that was touched.

import { el } from "../kit/dom.js";
import { Tips } from "../felt/tip.js";

/** How far from a number its words stand. */
const REACH_PX = 20;

/** @param {HTMLElement} room over which it is told */
export function beside(room) {
  const root = el("div", { class: "beside" });
  const tips = new Tips(root);
  room.append(root);
  /** @param {{x: number, y: number} | null} at on the screen; nowhere in particular, in the middle
   * @param {string} words @param {string | null} clause */
  const refuse = (at, words, clause) => {
    const { left, top, width, height } = root.getBoundingClientRect();
    const point = at ? { x: at.x - left, y: at.y - top } : { x: width / 2, y: height / 2 };
    tips.refuse({ ...point, reach: at ? REACH_PX : 0 }, words, clause);
  };
  return { refuse };
}
