// The shades that a wheel is drawn with: wood, brass, the colours of its pockets, and the light on it.

import { svg } from "../kit/svg.js";

/** @typedef {[number, string, number?][]} Stops where, which colour, how dense */

/** A shade around the middle. @param {string} id @param {number} r @param {Stops} stops */
export const round = (id, r, stops) =>
  svg("radialGradient", { id, gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r }, ...stopped(stops));

/** A shade from the top left, where the light comes from. @param {string} id @param {Stops} stops */
export const slanted = (id, stops) =>
  svg("linearGradient", { id, x1: 0.15, y1: 0, x2: 0.85, y2: 1 }, ...stopped(stops));

/** @param {Stops} stops */
const stopped = (stops) =>
  stops.map(([offset, colour, dense = 1]) => svg("stop", { offset, "stop-color": colour, "stop-opacity": dense }));

/** Wood of the rim, turned to a bead. @type {Stops} */
export const RIM = [
  [0, "#2b1408"],
  [0.905, "#4a220c"],
  [0.93, "#8f5125"],
  [0.955, "#b87a41"],
  [0.975, "#7b4019"],
  [1, "#2a1207"],
];
/** The polished track on which the ball runs. @type {Stops} */
export const TRACK = [
  [0, "#120702"],
  [0.86, "#1d0c04"],
  [0.9, "#4b250e"],
  [0.955, "#8a5327"],
  [0.985, "#5d3013"],
  [1, "#1c0b03"],
];
/** The cone in the middle of the rotor. @type {Stops} */
export const CONE = [
  [0, "#c98f4c"],
  [0.3, "#94592a"],
  [0.65, "#6b3a18"],
  [0.92, "#45210c"],
  [1, "#1f0d04"],
];
/** @type {Stops} */
export const BRASS = [
  [0, "#fff5d2"],
  [0.3, "#eac468"],
  [0.62, "#9a6f20"],
  [0.85, "#d9ae55"],
  [1, "#f6e0a4"],
];
/** The light of the room over everything. @type {Stops} */
export const LIGHT = [
  [0, "#fff", 0.24],
  [0.4, "#fff", 0.03],
  [0.6, "#000", 0.02],
  [1, "#000", 0.36],
];

/** The number ring is lit, the pockets below it lie in their own shade. @type {Record<string, Stops>} */
export const COLOURS = {
  red: [
    [0.6, "#6d0712"],
    [0.79, "#a30d1f"],
    [0.81, "#b81027"],
    [1, "#d51b33"],
  ],
  black: [
    [0.6, "#030304"],
    [0.79, "#101115"],
    [0.81, "#17181c"],
    [1, "#282a31"],
  ],
  green: [
    [0.6, "#03381b"],
    [0.79, "#06602d"],
    [0.81, "#077035"],
    [1, "#0d8744"],
  ],
};
