// What is drawn over the felt: highlights, dolly and limits.

import { svg } from "../shared/dom.js";
import { h, render } from "../shared/render.js";
import { say } from "../shared/text.js";
import { dollyShapes } from "./dolly.js";

/**
 * @typedef {import("./draw.js").Drawing} Drawing
 * @typedef {import("./stacks.js").FeltState} Look
 * @typedef {import("./geometry.js").Place} Place
 * @typedef {import("./geometry.js").Rect} Rect
 * @typedef {import("./geometry.js").Spot} Spot
 */

export class Overlay {
  /** @param {string} id @param {() => import("../shared/money.js").MoneyFormat} money */
  constructor(id, money) {
    this.money = money;
    this.marks = svg("g");
    this.highlight = svg("path", { class: "felt-aimed" });
    this.ring = svg("circle", { class: "felt-ring" });
    this.group = svg("g", { id: `${id}-over` }, this.marks, this.highlight, this.ring);
    this.node = svg("svg", { class: "layer over", "aria-hidden": "true" }, this.group);
    this.top = svg("svg", { class: "layer top", "aria-hidden": "true" });
    /** @type {Drawing | null} */
    this.drawing = null;
    this.aim(null, null);
  }

  /** @param {Drawing} drawing the print to draw over */
  lay(drawing) {
    this.drawing = drawing;
    for (const layer of [this.node, this.top]) {
      layer.setAttribute("width", String(drawing.laid.width));
      layer.setAttribute("height", String(drawing.laid.height));
    }
    this.aim(null, null);
  }

  /**
   * Highlight the numbers that a spot covers.
   * @param {Spot | null} spot @param {Place | null} place @param {"point" | "key" | "erase"} [by]
   */
  aim(spot, place, by = "point") {
    const paths = this.drawing?.outlines;
    const keys = spot ? [...spot.covers, ...(paths?.has(spot.key) ? [spot.key] : [])] : [];
    this.highlight.setAttribute("d", keys.map((key) => paths?.get(key) ?? "").join(""));
    for (const mark of [this.highlight, this.ring]) mark.setAttribute("data-by", by);
    const radius = place && this.drawing ? this.drawing.chip * 1.16 : 0;
    for (const [name, value] of Object.entries({ cx: place?.x ?? 0, cy: place?.y ?? 0, r: radius })) {
      this.ring.setAttribute(name, value.toFixed(1));
    }
  }

  /** @param {Look} look */
  set({ ringed, winning, dolly, heat, limits, multiples = {}, pots = {} }) {
    const { drawing } = this;
    if (!drawing) return;
    const shape = (/** @type {string} */ key, /** @type {string} */ name) =>
      h("path", { d: drawing.outlines.get(key) ?? "", class: name });
    render(
      this.marks,
      Object.entries(heat ?? {}).map(([pocket, share]) => heatOf(drawing, pocket, share)),
      Object.keys(multiples).map((pocket) => shape(pocket, "felt-drawn")),
      ringed.map((spot, place) => shape(spot, place === 0 ? "felt-ringed felt-first" : "felt-ringed")),
      winning !== null && shape(winning, "felt-winner"),
    );
    const amount = (/** @type {number} */ cents) => this.money().amount(cents);
    const drawn = Object.entries(multiples).map(([pocket, pays]) => labelOn(drawing, pocket, `×${pays}`));
    const won = Object.entries(pots).map(([spot, cents]) => labelOn(drawing, spot, amount(cents)));
    render(
      this.top,
      drawn,
      won,
      dolly !== null && dollyOn(drawing, dolly),
      limits && limitsOverlay(drawing, limits, amount),
    );
  }
}

/** Heat is shown by a bar as well as by colour. @param {Drawing} drawing @param {string} pocket @param {number} share */
function heatOf({ data, laid, outlines, prints }, pocket, share) {
  const cell = data.cells.find((one) => one.pocket === pocket);
  if (!cell) return null;
  const room = laid.area(cell);
  const high = Math.max(3, room.height * 0.07);
  const wide = room.width * 0.76;
  const bar = { x: room.x + room.width * 0.12, y: room.y + room.height - high - 4, height: high, rx: high / 2 };
  const number = /** @type {SVGElement} */ (prints.get(pocket)?.node.cloneNode(true));
  number.setAttribute("class", "felt-number felt-warm");
  return [
    h("path", { d: outlines.get(pocket) ?? "", class: "felt-warmth", "fill-opacity": (0.04 + share * 0.5).toFixed(2) }),
    number,
    h("rect", { ...bar, width: wide, class: "felt-gauge" }),
    h("rect", { ...bar, width: Math.max(high, wide * share), class: "felt-level" }),
  ];
}

/** What a bet pays in this round, over the edge of its cell or box: the number stays legible. @param {Drawing} drawing @param {string} spot @param {string} words */
function labelOn({ data, laid }, spot, words) {
  const cell = data.cells.find((one) => one.pocket === spot) ?? data.boxes.find((one) => one.bet === spot);
  if (!cell) return null;
  const room = laid.area(cell);
  const most = Math.min(17, room.height * 0.27, room.width / (words.length * 0.62 + 0.6));
  const size = Math.max(7, most);
  const [width, height] = [words.length * size * 0.62 + size * 0.6, size * 1.35];
  const at = `translate(${(room.x + room.width / 2).toFixed(1)} ${(room.y + height * 0.15).toFixed(1)})`;
  return h(
    "g",
    { class: "multiple", transform: at, "font-size": size.toFixed(1) },
    h("rect", { x: -width / 2, y: -height / 2, width, height, rx: height / 2 }),
    h("text", null, words),
  );
}

/** @param {Drawing} drawing @param {string} pocket */
function dollyOn({ data, laid, chip }, pocket) {
  const cell = data.cells.find((one) => one.pocket === pocket);
  if (!cell) return null;
  const room = laid.area(cell);
  const size = Math.min(chip * 0.92, room.height * 0.42);
  // It stands beside the chips of its number, with its head over the edge where the cell is low.
  const high = room.height > 2.6 * chip ? size * 0.45 : room.height / 2 - size * 0.2;
  const at = `translate(${(room.x + room.width - size * 0.75).toFixed(1)} ${(room.y + high).toFixed(1)})`;
  return h("g", { class: "dolly", transform: `${at} scale(${(size / 10).toFixed(3)})` }, dollyShapes());
}

// The limits over the felt: one field for each kind of bet, and the three figures of a spot.

/**
 * @typedef {[number | null, number | null, number | null]} Figures minimum, maximum and maximum win
 * @typedef {Record<string, Figures>} Limits by spot
 */

/**
 * Where a field of each kind is best visible, in quarter cells; the nearest spot of the kind represents all of them.
 * @type {Record<string, [number, number]>}
 */
const EXAMPLE_AT = {
  straight: [10, 10],
  split: [18, 4],
  street: [38, 0],
  corner: [28, 4],
  six_line: [44, 0],
  column: [50, 6],
};
/** Each figure has its own symbol beside its colour. */
const SIGNS = /** @type {const} */ ([
  ["least", "▼"],
  ["most", "▲"],
  ["win", "★"],
]);

/** The figures that exist, as text. @param {Figures} figures @param {(cents: number) => string} amount */
export const limitLines = (figures, amount) =>
  SIGNS.flatMap(([name, sign], at) => {
    const cents = figures[at];
    return cents === null || cents === undefined ? [] : [{ name, words: `${sign} ${amount(cents)}` }];
  });

/** The overlay. @param {Drawing} drawing @param {Limits} limits @param {(cents: number) => string} amount */
function limitsOverlay(drawing, limits, amount) {
  const fields = representatives(drawing.data.spots.filter((spot) => limits[spot.key]));
  const boxes = fields.map((spot) => h("rect", { ...inset(roomOf(drawing, spot)), rx: 6, class: "bound" }));
  const tags = fields.map((spot) => tag(drawing, spot, limitLines(limits[spot.key], amount)));
  return [...boxes, ...tags];
}

/** The legend of the symbols. */
export const legend = () => [
  { name: "least", words: `▼ ${say("felt.least")}` },
  { name: "most", words: `▲ ${say("felt.most")}` },
  { name: "win", words: `★ ${say("felt.win")}` },
];

/** @param {Spot[]} spots */
function representatives(spots) {
  /** @type {Map<string, Spot>} */
  const found = new Map();
  for (const spot of spots) {
    const known = found.get(spot.kind);
    if (!known || distanceFromExample(spot) < distanceFromExample(known)) found.set(spot.kind, spot);
  }
  return [...found.values()];
}

/** @param {Spot} spot */
function distanceFromExample(spot) {
  const wished = EXAMPLE_AT[spot.kind];
  return wished ? Math.hypot(spot.anchor[0] - wished[0], spot.anchor[1] - wished[1]) : 0;
}

/**
 * The field of a spot: its box, or all the cells that it covers.
 * @param {Drawing} drawing @param {Spot} spot @returns {Rect}
 */
function roomOf({ data, laid }, spot) {
  const box = data.boxes.find(({ bet }) => bet === spot.key);
  const areas = box ? [box] : data.cells.filter(({ pocket }) => spot.covers.includes(pocket));
  return laid.rect([
    Math.min(...areas.map(({ along }) => along[0])),
    Math.max(...areas.map(({ along }) => along[1])),
    Math.min(...areas.map(({ across }) => across[0])),
    Math.max(...areas.map(({ across }) => across[1])),
  ]);
}

/** @param {Rect} room */
const inset = ({ x, y, width, height }) => ({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 });

/** @param {Drawing} drawing @param {Spot} spot @param {{name: string, words: string}[]} figures */
function tag(drawing, spot, figures) {
  const { cell, width: edge } = drawing.laid;
  const isBox = drawing.outlines.has(spot.key);
  const room = roomOf(drawing, spot);
  const at = isBox ? { x: room.x + room.width / 2, y: room.y + room.height / 2 } : drawing.laid.point(...spot.anchor);
  const size = Math.max(9.5, Math.min(15, Math.min(cell.along, cell.across) * 0.19));
  const width = Math.max(...figures.map(({ words }) => words.length), 3) * size * 0.58 + size * 0.7;
  const height = figures.length * size * 1.18 + size * 0.4;
  const x = Math.min(Math.max(at.x, width / 2), edge - width / 2);
  return h(
    "g",
    { class: "tag", transform: `translate(${x.toFixed(1)} ${at.y.toFixed(1)})`, "font-size": size.toFixed(1) },
    h("rect", { x: -width / 2, y: -height / 2, width, height, rx: 6 }),
    figures.map(({ name, words }, place) =>
      h("text", { class: name, y: (place - (figures.length - 1) / 2) * size * 1.18 }, words)
    ),
  );
}
