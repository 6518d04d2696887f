// The dolly: the marker that a dealer puts on the winning number.

import { h } from "../shared/render.js";

/** Twenty units wide and high, with its middle at the origin. */
export const dollyShapes = () => [
  h("ellipse", { cx: 2.5, cy: 9.4, rx: 9.5, ry: 3.2, class: "shade" }),
  h("path", { d: "M-8 8.2Q0 12.6 8 8.2L7 4.6Q0 7.8 -7 4.6Z", class: "foot" }),
  h("path", { d: "M-7 4.6Q0 7.8 7 4.6Q3.4 2 2.8 -3.6L-2.8 -3.6Q-3.4 2 -7 4.6Z", class: "body" }),
  h("circle", { cy: -6.8, r: 4.6, class: "head" }),
  h("circle", { cx: -1.6, cy: -8.4, r: 1.5, class: "glint" }),
];
