// The racetrack as it is drawn: what is printed once for a size, and what is marked on it from moment to moment.

import { marked } from "../kit/dom.js";
import { svg } from "../kit/svg.js";
import { at, centroid, outline, parcel } from "./geometry.js";
import { GAP } from "./middle.js";

/**
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./geometry.js").Track} Track
 * @typedef {import("./offer.js").Sector} Sector
 * @typedef {{pocket: string, colour: string}} Pocket
 * @typedef {{at: Point, size: number}} Spot where something lies, and how large it is
 * @typedef {{number: Spot, tucked: Spot, chip: Spot}} Places of a number, of a number beside a chip, and of that chip
 */

/** Nothing that is to be read is smaller. */
const PRINT_LEAST = 12;

/** Every racetrack has names of its own for its shades: an id stands once in a document. */
let tracks = 0;

/**
 * Where things lie in a pocket: a chip at the inner edge, and the number that it would cover at the outer one.
 * @param {Track} track
 * @param {number} index
 * @returns {Places}
 */
export function placesIn(track, index) {
  const { band, step } = track;
  const along = index * step;
  const small = Math.max(PRINT_LEAST, Math.min(band * 0.3, step * 0.42));
  const chip = Math.min(band - small - 6, step * 0.74, band * 0.52);
  return {
    number: { at: centroid(outline(track, index)), size: Math.min(band * 0.5, step * 0.56) },
    tucked: { at: at(track, along, band / 2 - small * 0.62), size: small },
    chip: { at: at(track, along, -band / 2 + chip / 2 + 3), size: chip },
  };
}

/**
 * What is printed: the rail, the pockets with their numbers, the field with its sectors.
 * @param {Track} track
 * @param {readonly Pocket[]} order
 * @param {readonly Sector[]} sectors
 */
export function printed(track, order, sectors) {
  tracks += 1;
  const shade = (/** @type {string} */ name) => `track${tracks}-${name}`;
  const numbers = order.map(({ pocket }) => svg("text", { class: "track-number" }, pocket));
  const cells = order.flatMap(({ colour }, index) => {
    const d = drawn(outline(track, index));
    const cell = svg("path", { d, class: "track-pocket", "data-colour": colour });
    return colour === "red" ? [cell, svg("path", { d, class: "hatch", fill: `url(#${shade("hatch")})` })] : [cell];
  });
  const parts = sectors.filter(({ within }) => !within).map(({ arcs }) => drawn(parcel(track, arcs, GAP)));
  const sheet = svg(
    "svg",
    { class: "track-print", width: track.width, height: track.height, "aria-hidden": "true" },
    shades(shade),
    rounded(track, 0, { class: "track-rail", stroke: `url(#${shade("wood")})` }),
    rounded(track, track.frame - 3, { class: "track-brass" }),
    rounded(track, track.frame, { class: "track-bed" }),
    ...cells,
    rounded(track, track.frame + track.band + GAP, { class: "track-field", fill: `url(#${shade("felt")})` }),
    ...parts.map((d) => svg("path", { d, class: "track-part" })),
    ...numbers,
  );
  return { sheet, numbers };
}

/** @param {Point[]} shape */
const drawn = (shape) => `M${shape.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}Z`;

/** A stadium, so far inside. @param {Track} track @param {number} inset @param {Record<string, string>} look */
function rounded({ width, height }, inset, look) {
  const [w, h] = [width - 2 * inset, height - 2 * inset];
  return svg("rect", { x: inset, y: inset, width: w, height: h, rx: Math.min(w, h) / 2, ...look });
}

/** @param {(name: string) => string} shade */
function shades(shade) {
  const stops = (/** @type {[number, string][]} */ ...given) =>
    given.map(([offset, name]) => svg("stop", { offset, class: name }));
  return svg(
    "defs",
    {},
    svg("radialGradient", { id: shade("felt"), r: 0.75 }, ...stops([0, "felt-lit"], [1, "felt-dim"])),
    svg(
      "linearGradient",
      { id: shade("wood"), x2: 0, y2: 1 },
      ...stops([0, "wood-lit"], [0.5, "wood-dim"], [1, "wood-lit"]),
    ),
    svg(
      "pattern",
      { id: shade("hatch"), width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 3.5, height: 9, class: "hatch-line" }),
    ),
  );
}

/** Put a number where it is to be read. @param {SVGTextElement} text @param {Spot} spot */
export function put(text, { at: [x, y], size }) {
  marked(text, "x", x.toFixed(2));
  marked(text, "y", y.toFixed(2));
  marked(text, "font-size", size.toFixed(1));
}

/**
 * What can be marked: every pocket, and every part of the field by the name of its call.
 * @param {Track} track
 * @param {readonly Sector[]} sectors
 */
export function marks(track, sectors) {
  const pockets = Array.from({ length: track.count }, (_, index) =>
    svg("path", { d: drawn(outline(track, index)), class: "track-mark" }),
  );
  const parts = new Map(
    sectors
      .filter(({ within }) => !within)
      .map(({ call, arcs }) => [call.name, svg("path", { d: drawn(parcel(track, arcs, GAP)), class: "track-mark" })]),
  );
  const sheet = svg(
    "svg",
    { class: "track-marks", width: track.width, height: track.height, "aria-hidden": "true" },
    ...parts.values(),
    ...pockets,
  );
  return { sheet, pockets, parts };
}
