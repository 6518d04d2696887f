// The timer: a ring and whole seconds until betting closes. Both say the same, and so does the message beside it.

import { el, marked, text } from "../kit/dom.js";
import { svg } from "../kit/svg.js";
import { say } from "../kit/words.js";

const RADIUS = 25;
const ROUND = 2 * Math.PI * RADIUS;
const CIRCLE = { cx: 28, cy: 28, r: RADIUS };

/** @typedef {import("../kit/moment.js").Moment} Moment */

export function timer() {
  const digits = el("b", {});
  const left = svg("circle", { ...CIRCLE, class: "left", "stroke-dasharray": ROUND });
  const whole = svg("circle", { ...CIRCLE, class: "whole" });
  const ring = svg("svg", { viewBox: "0 0 56 56", "aria-hidden": "true" }, whole, left);
  const node = el("div", { class: "timer", role: "timer", "aria-label": say("timer.label") }, ring, digits);
  // How long the betting time is nobody tells: the ring is whole when it is first seen.
  let [of, length] = [/** @type {number | null} */ (null), 1];

  /** @param {Moment} moment @param {number | null} seconds @param {number | null | undefined} closesAt */
  const update = (moment, seconds, closesAt) => {
    if (closesAt !== of) [of, length] = [closesAt ?? null, Math.max(1, seconds ?? 1)];
    const part = seconds === null ? 0 : Math.min(1, seconds / length);
    text(digits, seconds ?? (moment.zone === "over" ? "0" : "–"));
    marked(node, "data-zone", moment.zone);
    const offset = (ROUND * (1 - part)).toFixed(1);
    if (left.getAttribute("stroke-dashoffset") !== offset) left.setAttribute("stroke-dashoffset", offset);
  };
  return { node, update };
}
