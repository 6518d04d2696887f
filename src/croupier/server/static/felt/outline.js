// The shapes printed on the felt, and where labels stand in them. Pure.

import { ownBoxes } from "./geometry.js";

/**
 * @typedef {import("./geometry.js").Area} Area
 * @typedef {import("./geometry.js").FeltData} FeltData
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./geometry.js").Projection} Projection
 * @typedef {import("./geometry.js").Rect} Rect
 */

/** The rounding of outer corners, and of the zeros, as a fraction of the smaller side. */
const ROUND = { corner: 0.09, shoulder: 0.42 };

/** Every printed area by the key of its bet, or the name of a second place. @param {FeltData} data @returns {[string, Area][]} */
export const areasOf = (data) => [
  ...data.cells.map((cell) => /** @type {[string, Area]} */ ([cell.pocket, cell])),
  ...data.boxes.map((box) => /** @type {[string, Area]} */ ([box.bet, box])),
  ...ownBoxes(data).map((alias) => /** @type {[string, Area]} */ ([alias.name, alias])),
];

/** The path of every printed area. @param {FeltData} data @param {Projection} projection @returns {Map<string, string>} */
export function outlines(data, projection) {
  const areas = areasOf(data);
  const first = Math.min(...areas.map(([, area]) => area.along[0]));
  /** @param {number} along @param {number} across */
  const sharing = (along, across) => areas.filter(([, area]) => holds(area, along, across)).length;
  return new Map(
    areas.map(([key, area]) => {
      const [[a0, a1], [b0, b1]] = [area.along, area.across];
      const { width, height } = projection.area(area);
      const side = Math.min(width, height);
      /** @type {[number, number][]} */
      const corners = [
        [a0, b0],
        [a1, b0],
        [a1, b1],
        [a0, b1],
      ];
      return [
        key,
        path(
          corners.map(([along, across]) => ({
            ...whole(projection.point(along, across)),
            round: sharing(along, across) > 1 ? 0 : side * (along === first ? ROUND.shoulder : ROUND.corner),
          })),
        ),
      ];
    }),
  );
}

/** Whole pixels keep lines sharp and joined. @param {Point} point */
export const whole = ({ x, y }) => ({ x: Math.round(x), y: Math.round(y) });

/** @param {Area} area @param {number} along @param {number} across */
const holds = (area, along, across) =>
  area.along[0] <= along && along <= area.along[1] && area.across[0] <= across && across <= area.across[1];

/** @param {(Point & {round: number})[]} corners */
function path(corners) {
  const steps = corners.map((corner, at) => {
    const before = corners[(at + 3) % 4];
    const after = corners[(at + 1) % 4];
    const start = at === 0 ? "M" : "L";
    if (corner.round === 0) return `${start}${corner.x} ${corner.y}`;
    return `${start}${towards(corner, before)}Q${corner.x} ${corner.y} ${towards(corner, after)}`;
  });
  return `${steps.join("")}Z`;
}

/** @param {Point & {round: number}} corner @param {Point} other */
function towards(corner, other) {
  const far = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = corner.round / far;
  const x = corner.x + (other.x - corner.x) * part;
  const y = corner.y + (other.y - corner.y) * part;
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

// Label placement: in the middle of the shape, or out of the way of a chip.

/**
 * @typedef {object} Placement
 * @property {number} x its centre
 * @property {number} y
 * @property {number} size the font size, or the scale of a drawing
 * @property {string} [words]
 * @property {boolean} [turned] whether it reads upwards
 */

/** The fraction of a shape that its label may fill. */
const FILL = 0.8;
/** Character widths relative to the height, for a bold face with the metrics of Arial; labels are letter-spaced. */
const WIDE = { figure: 0.56, space: 0.28, capital: 0.72, spacing: 0.06 };
/** Below this size "2 to 1" is written 2:1. */
const LEGIBLE_PX = 9;
/** Between the label and the outline. */
const EDGE_PX = 4;
/** A shape this much higher than a chip has a free corner above it. */
const HIGH = 2.6;

/** @param {Rect} room @returns {Point} */
export const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** Whether text in a shape reads upwards. @param {Rect} room */
export const isUpright = ({ width, height }) => height > width * 1.15;

/**
 * The approximate text length relative to its height. Nothing is measured, so no font must be loaded first.
 * @param {string} words
 */
export function lengthOf(words) {
  const wide = [...words].map((one) => (/\d/.test(one) ? WIDE.figure : one === " " ? WIDE.space : WIDE.capital));
  return wide.reduce((all, each) => all + each + WIDE.spacing, 0);
}

/** The font size at which text fits. @param {string} words @param {{size: number, room: number}} wanted */
export const fitted = (words, { size, room }) => Math.min(size, (room * FILL) / lengthOf(words));

/**
 * Where a number goes that a chip covers: into its corner, or beside the chip where the cell is low. A rounded zero has
 * no corner and uses an end instead.
 * @param {Rect} room @param {{size: number, radius: number, end: "top" | "foot" | null}} drawn @returns {Placement}
 */
export function atCorner(room, { size, radius, end }) {
  const { x, y } = middle(room);
  if (room.height < HIGH * radius) return { x: x - radius - size * 0.6, y, size: size * 0.7 };
  const small = size * 0.56;
  if (end) return { x, y: end === "top" ? room.y + small : room.y + room.height - small, size: small };
  return { x: room.x + small * 0.72 + 2, y: room.y + small * 0.62 + 2, size: small };
}

/**
 * Where the label of a box goes for its chip: to the middle of the remaining space.
 * @param {Rect} room @param {{home: Placement, chip: Point, radius: number, length: number}} drawn @returns {Placement}
 */
export function besideChip(room, { home, chip, radius, length }) {
  const upright = isUpright(room);
  const [at, from, long] = upright ? [chip.y, room.y, room.height] : [chip.x, room.x, room.width];
  const centre = from + long / 2;
  const reach = radius * 1.4;
  if (Math.abs(at - centre) < long * 0.1) return atEnd(room, { home, radius, length });
  if (Math.abs(at - centre) >= length / 2 + reach) return home;
  const [start, end] = at > centre ? [from + EDGE_PX, at - reach] : [at + reach, from + long - EDGE_PX];
  const size = home.size * Math.min(1, ((end - start) * 0.94) / length);
  return { ...home, size, [upright ? "y" : "x"]: (start + end) / 2 };
}

/**
 * With a chip exactly in the middle, the label goes to an end.
 * @param {Rect} room @param {{home: Placement, radius: number, length: number}} drawn @returns {Placement}
 */
function atEnd(room, { home, radius, length }) {
  const { words = "" } = home;
  const low = room.height < HIGH * radius;
  const wide = low ? room.width / 2 - radius * 1.1 : room.width;
  const most = home.size * (low ? 1 : 0.72);
  const full = home.size * ((wide * 0.9) / length);
  const brief = Math.min(most, full) < LEGIBLE_PX ? words.replace(" to ", ":") : words;
  const size = Math.min(most, full * (lengthOf(words) / lengthOf(brief || " ")));
  const place = low ? { x: room.x + wide / 2 + 2, y: home.y } : { x: home.x, y: room.y + size * 0.75 + 1 };
  return { ...place, size, words: brief };
}
