// Bounds: the limits laid over the felt, one field for each kind of bet, and the three figures of what is touched.

import { svg } from "../kit/svg.js";
import { say } from "../kit/words.js";

/**
 * @typedef {import("./draw.js").Drawing} Drawing
 * @typedef {import("./geometry.js").Spot} Spot
 * @typedef {import("./geometry.js").Rect} Rect
 * @typedef {[number | null, number | null, number | null]} Figures least, most and greatest win
 * @typedef {Record<string, Figures>} Limits by spot
 */

/** Where a field of a kind is best seen, in quarter cells; the nearest spot of the kind stands for all of them.
 * @type {Record<string, [number, number]>} */
const SEEN_AT = {
  straight: [10, 10],
  split: [18, 4],
  street: [38, 0],
  corner: [28, 4],
  six_line: [44, 0],
  column: [50, 6],
};
/** Each figure has a sign of its own beside its colour. */
export const SIGNS = /** @type {const} */ ([
  ["least", "▼"],
  ["most", "▲"],
  ["win", "★"],
]);

/** The three figures as they are written, those that there are.
 * @param {Figures} figures @param {(cents: number) => string} amount */
export const lines = (figures, amount) =>
  SIGNS.flatMap(([name, sign], at) => {
    const cents = figures[at];
    return cents === null || cents === undefined ? [] : [{ name, words: `${sign} ${amount(cents)}` }];
  });

/** The overlay. @param {Drawing} drawing @param {Limits} limits @param {(cents: number) => string} amount */
export function bounds(drawing, limits, amount) {
  const fields = representatives(drawing.data.spots.filter((spot) => limits[spot.key]));
  const boxes = fields.map((spot) => svg("rect", { ...inset(roomOf(drawing, spot)), rx: 6, class: "bound" }));
  const tags = fields.map((spot) => tag(drawing, spot, lines(limits[spot.key], amount)));
  return [...boxes, ...tags];
}

/** What the signs mean. */
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
    if (!known || far(spot) < far(known)) found.set(spot.kind, spot);
  }
  return [...found.values()];
}

/** @param {Spot} spot */
function far(spot) {
  const wished = SEEN_AT[spot.kind];
  return wished ? Math.hypot(spot.anchor[0] - wished[0], spot.anchor[1] - wished[1]) : 0;
}

/** The field of a spot: its box, or all the cells that it covers.
 * @param {Drawing} drawing @param {Spot} spot @returns {Rect} */
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
  return svg(
    "g",
    { class: "tag", transform: `translate(${x.toFixed(1)} ${at.y.toFixed(1)})`, "font-size": size.toFixed(1) },
    svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: 6 }),
    ...figures.map(({ name, words }, place) =>
      svg("text", { class: name, y: (place - (figures.length - 1) / 2) * size * 1.18 }, words),
    ),
  );
}
