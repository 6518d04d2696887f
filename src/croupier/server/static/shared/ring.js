// The countdown ring: how much of a time is left.

import { h } from "./render.js";

/** A ring of which a share is drawn; the digits beside it say the same. @param {number} share of 1 @param {number} [radius] of a disc of 50 */
export function ring(share, radius = 44) {
  const circle = { r: radius, pathLength: 1, transform: "rotate(-90)" };
  const rest = 1 - Math.min(1, Math.max(0, share));
  return h(
    "svg",
    { viewBox: "-50 -50 100 100", class: "countdown", "aria-hidden": "true" },
    h("circle", { ...circle, class: "track" }),
    h("circle", { ...circle, class: "arc", "stroke-dasharray": 1, "stroke-dashoffset": rest.toFixed(3) }),
  );
}
