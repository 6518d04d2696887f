// Chip images, and their thumbnails.

import { h } from "../shared/render.js";
import { projection } from "./geometry.js";
import { areasOf, outlines } from "./outline.js";

/** @typedef {import("./geometry.js").FeltData} FeltData */

/** @typedef {{body: string, dark: string, edge: string, plate: string, ink: string, dense?: number}} Colours */

/** @type {Record<string, Colours>} */
const COLOURS = {
  ivory: { body: "#e9e4d6", dark: "#a79f88", edge: "#2b4a7a", plate: "#fbf8ee", ink: "#1d2a3a" },
  sky: { body: "#6fb9dc", dark: "#2f6c8a", edge: "#12344a", plate: "#e8f5fb", ink: "#0f3448" },
  teal: { body: "#1f8a8c", dark: "#0d4d4f", edge: "#f3efe2", plate: "#dff3f1", ink: "#0d3b3d" },
  blue: { body: "#2f62c4", dark: "#173673", edge: "#f3efe2", plate: "#e1eafb", ink: "#14305f" },
  brown: { body: "#7a4b2a", dark: "#3f2411", edge: "#f3e3c8", plate: "#f6ebdd", ink: "#3f2411" },
  green: { body: "#2e8b45", dark: "#154d24", edge: "#f4e9b0", plate: "#e3f4e2", ink: "#123d1e" },
  orange: { body: "#e07b1a", dark: "#87430a", edge: "#fff3dc", plate: "#ffefd9", ink: "#5b2b03" },
  black: { body: "#23252b", dark: "#08090b", edge: "#e9c766", plate: "#f1ead6", ink: "#15161a" },
  orchid: { body: "#b8479c", dark: "#64204f", edge: "#ffeaf8", plate: "#fbe4f4", ink: "#5a1546" },
  lime: { body: "#8fae2b", dark: "#4c600d", edge: "#fbf8dc", plate: "#f3f7d8", ink: "#38460a" },
  purple: { body: "#6c3aa8", dark: "#391a60", edge: "#f2e6ff", plate: "#efe4fb", ink: "#33145c" },
  gold: { body: "#d9b13b", dark: "#7d600f", edge: "#3a2c08", plate: "#fff4cf", ink: "#3a2c08" },
  /** Below the minimum. */
  red: { body: "#e0162b", dark: "#7d0614", edge: "#ffffff", plate: "#ffe3e5", ink: "#7d0614" },
  /** A previewed chip: the felt shows through. */
  grey: { dense: 0.55, body: "#7d8983", dark: "#3c4641", edge: "#e6ebe8", plate: "#eef2f0", ink: "#1e2622" },
};

/**
 * Values in cents, the highest first. Coins have the colours of the notes ten or a hundred times their value.
 * @type {[number, string][]}
 */
const VALUES = [
  [100_000, "gold"],
  [50_000, "purple"],
  [20_000, "lime"],
  [10_000, "black"],
  [5_000, "orange"],
  [2_500, "green"],
  [2_000, "brown"],
  [1_000, "blue"],
  [500, "teal"],
  [400, "orchid"],
  [200, "sky"],
  [100, "ivory"],
  [50, "orange"],
  [25, "green"],
  [20, "brown"],
  [10, "blue"],
  [5, "teal"],
  [2, "sky"],
  [1, "ivory"],
];
/** The most chips that a stack shows. */
const RIMS_MOST = 4;

/** The values of the tray in use, each with a colour of its own, and larger ones. @type {[number, string][]} */
let coloured = VALUES;

/** The colours of values beyond the usual ones, and of those that two chips of a tray would share. */
const SPARE = ["orchid", "lime", "sky", "teal", "purple", "gold", "brown", "green", "ivory", "blue", "orange", "black"];

/** Give every chip of a tray a colour of its own, in cents. @param {readonly number[]} tray */
export function colourTray(tray) {
  /** @type {Map<string, number>} */
  const taken = new Map();
  for (const value of [...tray].sort((one, other) => one - other)) {
    const usual = usualColour(value);
    const colour = taken.has(usual) ? SPARE.find((one) => !taken.has(one)) : usual;
    taken.set(colour ?? usual, value);
  }
  const own = [...taken].map(([colour, value]) => /** @type {[number, string]} */ ([value, colour]));
  const most = Math.max(0, ...tray);
  const larger = VALUES.filter(([value, colour]) => value > most && !taken.has(colour));
  coloured = [...larger, ...own.sort(([one], [other]) => other - one)];
  if (own.length === 0) coloured = VALUES;
}

/** @param {number} cents */
const usualColour = (cents) => (VALUES.find(([value]) => value <= cents) ?? VALUES[VALUES.length - 1])[1];

/** The colour of a stake: that of the highest value that fits into it. @param {number} cents */
export const colourOf = (cents) => (coloured.find(([value]) => value <= cents) ?? coloured[coloured.length - 1])[1];

/** The text colour of a chip. @param {string} colour */
export const inkOf = (colour) => COLOURS[colour].ink;

/** The colours of a chip. @param {string} colour */
export const coloursOf = (colour) => COLOURS[colour];

/** The body colour of a chip, for drawings too small for a face. @param {string} colour */
const bodyOf = (colour) => COLOURS[colour].body;

/** How many chips of a stack are visible. @param {number} cents */
export function rimsOf(cents) {
  let [left, chips] = [cents, 0];
  for (const [value] of VALUES) {
    chips += Math.floor(left / value);
    left %= value;
  }
  return Math.min(RIMS_MOST, Math.max(1, chips));
}

/** The URL of a chip face, a separate image. @param {string} colour */
export function faceUrl(colour) {
  const known = faces.get(colour);
  if (known) return known;
  const made = `data:image/svg+xml,${encodeURIComponent(faceOf(COLOURS[colour]))}`;
  faces.set(colour, made);
  return made;
}

/** @type {Map<string, string>} */
const faces = new Map();

/** Eight inlays around the edge. */
const INLAY = (2 * Math.PI * 43.2) / 16;
/** Light from above, on the body and on the plate. Offset, colour and opacity of each stop. */
const LIGHT = {
  body: stops("0 #fff .42", ".4 #fff .05", "1 #000 .34"),
  plate: stops("0 #fff .9", ".45 #fff 0", "1 #000 .14"),
};

/** @param {...string} given */
function stops(...given) {
  const drawn = given
    .map((stop) => stop.split(" "))
    .map(([at, colour, dense]) => `<stop offset="${at}" stop-color="${colour}" stop-opacity="${dense}"/>`);
  return drawn.join("");
}

/** @param {Colours} colours */
function faceOf({ body, dark, edge, plate, dense = 1 }) {
  const dashed = (/** @type {number} */ dash, /** @type {number} */ gap, /** @type {number} */ shift) =>
    `stroke-dasharray="${dash.toFixed(2)} ${gap.toFixed(2)}" stroke-dashoffset="${shift.toFixed(2)}"`;
  const pip = dashed(INLAY / 3, INLAY / 1.5, INLAY / 6);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-54 -54 108 108" width="108" height="108" opacity="${dense}">`,
    `<radialGradient id="b" cx=".36" cy=".28" r=".85">${LIGHT.body}</radialGradient>`,
    `<linearGradient id="p" x1=".2" y1="0" x2=".8" y2="1">${LIGHT.plate}</linearGradient>`,
    `<circle r="51" fill="${body}" stroke="${dark}" stroke-width="2.6"/>`,
    `<g fill="none"><circle r="43.2" stroke="${edge}" stroke-width="13" ${dashed(INLAY, INLAY, INLAY / 2)}/>`,
    `<circle r="43.2" stroke="${dark}" stroke-opacity=".35" stroke-width="2.2" ${pip}/></g>`,
    `<circle r="51" fill="url(#b)"/><circle r="36.4" fill="${plate}" stroke="${dark}" stroke-width="1.8"/>`,
    `<circle r="36.4" fill="url(#p)"/>`,
    `<g fill="none"><circle r="32.6" stroke="${body}" stroke-width="1.5" stroke-opacity=".75"/>`,
    `<path d="M-46.5 -17a49.5 49.5 0 0 1 62 -30" stroke="#fff" stroke-opacity=".5" stroke-width="2"/></g></svg>`,
  ].join("");
}

/** The font size of the text on a chip, as a fraction of the radius. @param {string} figures */
export const figuresSize = (figures) => [0.84, 0.84, 0.8, 0.62, 0.5, 0.41][Math.min(figures.length, 5)];

/** A single chip, as in the tray; it fills its box. @param {number} cents @param {string} figures */
export function face(cents, figures) {
  const colour = colourOf(cents);
  const size = (51 * figuresSize(figures)).toFixed(1);
  const text = { class: "figures", "text-anchor": "middle", "dominant-baseline": "central", y: 1, "font-size": size };
  return h(
    "svg",
    { class: "chipface", viewBox: "-54 -54 108 108", "aria-hidden": "true" },
    h("image", { href: faceUrl(colour), x: -54, y: -54, width: 108, height: 108 }),
    h("text", { ...text, fill: inkOf(colour), "font-weight": 800 }, figures),
  );
}

// Thumbnails: a small felt with colours and chips only, for saved patterns and past games.

const CELL_PX = { along: 12, across: 14 };
const CHIP_PX = 4.6;
/** Between the print and the edge of the felt. */
const MARGIN_PX = 5;

/**
 * @param {FeltData} data @param {Record<string, number>} stakes in cents
 * @param {string[]} [covered] pockets that are marked
 */
export function thumbnail(data, stakes, covered = []) {
  const laid = projection(data, { cell: CELL_PX, orientation: "landscape" });
  const paths = outlines(data, laid);
  const colours = new Map(data.cells.map((cell) => [cell.pocket, cell.colour]));
  const diamonds = new Set(["red", "black"]);
  const shapes = areasOf(data).map(([key]) => {
    const colour = colours.get(key) ?? (diamonds.has(key) ? key : "box");
    return h("path", { d: paths.get(key) ?? "", class: colour });
  });
  const chips = data.spots
    .filter((spot) => stakes[spot.key] > 0)
    .map((spot) => {
      const { x, y } = laid.point(...spot.anchor);
      return h("circle", { cx: x, cy: y, r: CHIP_PX, fill: bodyOf(colourOf(stakes[spot.key])), class: "chip" });
    });
  const [wide, high] = [laid.width + 2 * MARGIN_PX, laid.height + 2 * MARGIN_PX];
  return h(
    "svg",
    { class: "thumbnail", viewBox: `${-MARGIN_PX} ${-MARGIN_PX} ${wide} ${high}`, "aria-hidden": "true" },
    h("rect", { x: -MARGIN_PX, y: -MARGIN_PX, width: wide, height: high, rx: 6, class: "ground" }),
    shapes,
    covered.map((pocket) => h("path", { d: paths.get(pocket) ?? "", class: "covered" })),
    chips,
  );
}
