// The middle of the racetrack: where calls, the choice of reach and the wheel's well lie in its field. Pure.

import { at, boxOf, parcel, span } from "./geometry.js";

/**
 * @typedef {import("./geometry.js").Track} Track
 * @typedef {import("./geometry.js").Box} Box
 * @typedef {import("./offer.js").Sector} Sector
 */

/** Between the band and the field. */
export const GAP = 3;
/** No control is smaller than a finger. */
export const TARGET = 44;
/** Between one control and the next. */
const SPACE = 6;
/** A smaller wheel is none. */
const WHEEL_LEAST = 130;

/** Two rows of controls, and three. */
const PAIRS = 2 * TARGET + SPACE;
const ROWS = 3 * TARGET + 2 * SPACE;

/** Whether controls lie side by side in a box, as one under the other they would not fit. @param {Box} box */
export const isLow = ({ height }) => height < ROWS;

/** How deep the field is. @param {Track} track */
const depth = ({ radius, band }) => 2 * (radius - band / 2 - GAP);

/** How much of that controls take: as much as a finger where that is possible. @param {Track} track */
const share = (track) => Math.min(0.94, Math.max(0.8, TARGET / depth(track)));

/** As much for sectors: upright they are named between the round ends, so they are kept narrow. @param {Track} track */
const sectorShare = (track) => (track.upright ? 0.56 : share(track));

/** One row or column of everything. @param {Track} track @returns {Box} */
export const rowBox = (track) => boxOf(track, share(track), GAP);

/**
 * The wheel, and what can be called on both sides of it; where the track stands upright, all of it below the wheel.
 * @param {Track} track
 * @param {number} rows of controls, where they lie below it
 * @returns {{well: Box | null, sides: Box[]}} no well where the wheel would be too small to be looked at
 */
export function viewBoxes(track, rows) {
  if (!track.upright || rows === 0) return besideWheel(track);
  const box = boxOf(track, 0.8, GAP);
  const size = Math.min(box.width, box.height - rows * (TARGET + SPACE));
  if (size < WHEEL_LEAST) return { well: null, sides: [box] };
  const below = { ...box, y: box.y + size + SPACE, height: box.height - size - SPACE };
  return { well: square([track.width / 2, box.y + size / 2], size), sides: [below] };
}

/** @param {Track} track */
function besideWheel(track) {
  const size = depth(track) * 0.92;
  // Three controls one under the other, or where that is too much two pairs of them.
  const box = boxOf(track, Math.min(0.9, Math.max(0.66, PAIRS / depth(track))), GAP);
  const room = (box.width - size) / 2;
  const width = Math.min(260, room - 4 * SPACE);
  const margin = (room - width) / 2;
  const left = { ...box, x: box.x + margin, width };
  const right = { ...left, x: box.x + box.width - margin - width };
  return { well: square([track.width / 2, track.height / 2], size), sides: [left, right] };
}

/** @type {(middle: readonly [number, number], size: number) => Box} */
const square = ([x, y], size) => ({ x: x - size / 2, y: y - size / 2, width: size, height: size });

/**
 * A box for every sector: those within another lie at the end of the field that they are nearest to, the others on the
 * middle line of their own part, as far as it is free. What else there is lies at the end where there is more room.
 * @param {Track} track
 * @param {readonly Sector[]} sectors
 * @param {number} others how many calls there are besides, or how much else takes as much room
 * @returns {{sectors: Box[], rest: Box | undefined}}
 */
export function sectorBoxes(track, sectors, others) {
  const spans = sectors.map(({ arcs }) => span(track, parcel(track, arcs, GAP), TARGET));
  const lengths = spans
    .filter((_, place) => !sectors[place].within)
    .sort(([one], [other]) => one - other)
    .map(([from, to]) => to - from);
  const isRestFirst = lengths[0] > lengths[lengths.length - 1];
  const rest = (/** @type {boolean} */ isHere) => (isHere && others > 0 ? [others] : []);
  const pills = sectors.filter(({ within }) => within);
  const pillsFirst = pills.filter((pill) => isFirst(track, pill));
  const pillsLast = pills.filter((pill) => !pillsFirst.includes(pill));
  // Pills lie at the very end, next to their pockets.
  const first = endBoxes(track, [...pillsFirst.map(() => 1), ...rest(isRestFirst)], true);
  const last = endBoxes(track, [...rest(!isRestFirst), ...pillsLast.map(() => 1)], false);
  const placed = new Map([
    ...pillsFirst.map((pill, place) => /** @type {const} */ ([pill, first.boxes[place]])),
    ...pillsLast.map(
      (pill, place) => /** @type {const} */ ([pill, last.boxes[place - pillsLast.length + last.boxes.length]]),
    ),
  ]);
  const boxes = sectors.map((sector, place) => {
    const [from, to] = [Math.max(spans[place][0], first.free), Math.min(spans[place][1], last.free)];
    return placed.get(sector) ?? lying(track, from + SPACE, to - SPACE);
  });
  const end = isRestFirst ? first.boxes[pillsFirst.length] : last.boxes[0];
  return { sectors: boxes, rest: others > 0 ? end : undefined };
}

/**
 * Controls in a row at one end of the field, each as wide as its weight, and from where on the line is free.
 * @param {Track} track
 * @param {number[]} weights
 * @param {boolean} isBegin
 */
function endBoxes(track, weights, isBegin) {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const length = track.upright
    ? all === 0
      ? 0
      : TARGET + SPACE
    : all * Math.min(116, Math.max(60, track.width * 0.115));
  const [from, to] = extent(track);
  const row = isBegin ? lying(track, from, from + length) : lying(track, to - length, to);
  let done = 0;
  const boxes = weights.map((weight) => {
    const x = row.x + (row.width * done) / all + SPACE / 2;
    done += weight;
    return { ...row, x, width: (row.width * weight) / all - SPACE };
  });
  return { boxes, free: isBegin ? from + length : to - length };
}

/** From where to where controls fit on the long middle line. @param {Track} track @returns {[number, number]} */
function extent(track) {
  const { x, y, width, height } = boxOf(track, sectorShare(track), GAP);
  return track.upright ? [y, y + height] : [x, x + width];
}

/** A box on that line. @param {Track} track @param {number} from @param {number} to @returns {Box} */
function lying(track, from, to) {
  const across = depth(track) * sectorShare(track);
  if (track.upright) return { x: (track.width - across) / 2, y: from, width: across, height: to - from };
  return { x: from, y: (track.height - across) / 2, width: to - from, height: across };
}

/** Whether a sector lies where the long middle line begins. @param {Track} track @param {Sector} sector */
function isFirst(track, { arcs: [{ first, count }] }) {
  const [x, y] = at(track, (first + (count - 1) / 2) * track.step, 0);
  return track.upright ? y < track.height / 2 : x < track.width / 2;
}
