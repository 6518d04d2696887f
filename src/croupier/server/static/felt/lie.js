// Where the print lies: in the middle of its shape, and out of the way when a chip lies there. Pure.

/**
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./geometry.js").Rect} Rect
 * @typedef {object} Lie
 * @property {number} x its middle
 * @property {number} y
 * @property {number} size the height of its letters, or the scale of a drawing
 * @property {string} [words]
 * @property {boolean} [turned] whether it is read upwards
 */

/** How much of the room in a shape its print may take. */
const FILL = 0.8;
/** How wide characters are for their height, in a bold face with the metrics of Arial; a label is spaced besides. */
const WIDE = { figure: 0.56, space: 0.28, capital: 0.72, spacing: 0.06 };
/** Smaller than this, "2 to 1" is written 2:1. */
const LEGIBLE_PX = 9;
/** Between the print and the line around it. */
const EDGE_PX = 4;
/** A shape so much higher than a chip has a corner free above it. */
const HIGH = 2.6;

/** @param {Rect} room @returns {Point} */
export const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

/** Whether words in a shape are read upwards. @param {Rect} room */
export const isUpright = ({ width, height }) => height > width * 1.15;

/** How long words are for their height, about: nothing is measured, so nothing waits for a font.
 * @param {string} words */
export function lengthOf(words) {
  const wide = [...words].map((one) => (/\d/.test(one) ? WIDE.figure : one === " " ? WIDE.space : WIDE.capital));
  return wide.reduce((all, each) => all + each + WIDE.spacing, 0);
}

/** The size at which words fit. @param {string} words @param {{size: number, room: number}} wanted */
export const fitted = (words, { size, room }) => Math.min(size, (room * FILL) / lengthOf(words));

/** Where a number goes that a chip covers: into its corner, or beside the chip where the cell is low. A zero with a
 * shoulder has no corner to write in, and has an end instead.
 * @param {Rect} room @param {{size: number, radius: number, end: "top" | "foot" | null}} drawn @returns {Lie} */
export function corner(room, { size, radius, end }) {
  const { x, y } = middle(room);
  if (room.height < HIGH * radius) return { x: x - radius - size * 0.6, y, size: size * 0.7 };
  const small = size * 0.56;
  if (end) return { x, y: end === "top" ? room.y + small : room.y + room.height - small, size: small };
  return { x: room.x + small * 0.72 + 2, y: room.y + small * 0.62 + 2, size: small };
}

/** Where the print of a box goes for its chip: to the middle of what room is left on its side.
 * @param {Rect} room @param {{home: Lie, chip: Point, radius: number, length: number}} drawn @returns {Lie} */
export function beside(room, { home, chip, radius, length }) {
  const upright = isUpright(room);
  const [at, from, long] = upright ? [chip.y, room.y, room.height] : [chip.x, room.x, room.width];
  const centre = from + long / 2;
  const reach = radius * 1.4;
  if (Math.abs(at - centre) < long * 0.1) return above(room, { home, radius, length });
  if (Math.abs(at - centre) >= length / 2 + reach) return home;
  const [start, end] = at > centre ? [from + EDGE_PX, at - reach] : [at + reach, from + long - EDGE_PX];
  const size = home.size * Math.min(1, ((end - start) * 0.94) / length);
  return { ...home, size, [upright ? "y" : "x"]: (start + end) / 2 };
}

/** Where a chip lies on the very middle, the print goes to an end.
 * @param {Rect} room @param {{home: Lie, radius: number, length: number}} drawn @returns {Lie} */
function above(room, { home, radius, length }) {
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
