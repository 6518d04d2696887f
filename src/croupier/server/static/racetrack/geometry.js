// The racetrack's shape: a stadium whose middle line is cut into equal lengths, one for each pocket. Pure.
// Lengths are px. A place on the track is how far it lies along the middle line, clockwise from the middle of the first
// pocket, and how far out of it. The first pocket lies at the right end, or on top where the track stands upright.

/**
 * @typedef {[number, number]} Point x and y, from the top left of the drawing
 * @typedef {{count: number, width: number, height: number, upright: boolean, frame: number, band: number,
 *   radius: number, straight: number, length: number, step: number}} Track
 * @typedef {{along: number, out: number}} Place
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{first: number, count: number}} Arc so many pockets on, from the place of the first on the wheel
 */

/** How much of the shorter side the band of pockets takes. */
const BANDS = { strip: 0.26, view: 0.15 };
/** A pocket is never longer across the band than so many times along it. */
const BAND_MOST = 1.7;
/** The rail around the pockets. */
const FRAME = 7;
/** How many pieces the edge of a pocket is drawn with. */
const PIECES = 8;

/**
 * @param {{count: number, width: number, height: number, shape: "strip" | "view"}} wanted
 * @returns {Track | null} nothing where there is no room for one
 */
export function track({ count, width, height, shape }) {
  const room = Math.min(width, height);
  const shorter = room - 2 * FRAME;
  const straight = Math.abs(width - height);
  if (shorter < 40) return null;
  // The middle line runs half a band inside, so its length falls with the band: the widest band is solved for.
  const widest = (BAND_MOST * (2 * straight + Math.PI * shorter)) / (count + BAND_MOST * Math.PI);
  const band = Math.min(BANDS[shape] * room, widest);
  const radius = (shorter - band) / 2;
  const length = 2 * straight + 2 * Math.PI * radius;
  const upright = height > width;
  return { count, width, height, upright, frame: FRAME, band, radius, straight, length, step: length / count };
}

/**
 * Where a place on the track lies in the drawing.
 * @param {Track} track
 * @param {number} along
 * @param {number} out
 * @returns {Point}
 */
export function at(track, along, out) {
  const { radius, straight, length } = track;
  const quarter = (Math.PI / 2) * radius;
  const [half, reach] = [straight / 2, radius + out];
  let left = ((along % length) + length) % length;
  /** @type {(middle: number, angle: number) => Point} */
  const bend = (middle, angle) => laid(track, middle + reach * Math.cos(angle), reach * Math.sin(angle));
  if (left < quarter) return bend(half, left / radius);
  left -= quarter;
  if (left < straight) return laid(track, half - left, reach);
  left -= straight;
  if (left < 2 * quarter) return bend(-half, Math.PI / 2 + left / radius);
  left -= 2 * quarter;
  if (left < straight) return laid(track, left - half, -reach);
  return bend(half, (left - straight - quarter) / radius);
}

/** @type {(track: Track, u: number, v: number) => Point} From the middle, u towards the first pocket. */
const laid = ({ width, height, upright }, u, v) =>
  upright ? [width / 2 + v, height / 2 - u] : [width / 2 + u, height / 2 + v];

/**
 * The place on the track that is nearest to a point of the drawing.
 * @param {Track} track
 * @param {Point} point
 * @returns {Place}
 */
export function placeOf(track, [x, y]) {
  const { width, height, upright, radius, straight, length } = track;
  const [u, v] = upright ? [height / 2 - y, x - width / 2] : [x - width / 2, y - height / 2];
  const half = straight / 2;
  const quarter = (Math.PI / 2) * radius;
  if (u > half) {
    const angle = Math.atan2(v, u - half);
    return { along: (angle * radius + length) % length, out: Math.hypot(v, u - half) - radius };
  }
  if (u < -half) {
    const angle = Math.atan2(v, u + half);
    const turned = angle < 0 ? angle + 2 * Math.PI : angle;
    return { along: straight + turned * radius, out: Math.hypot(v, u + half) - radius };
  }
  return v >= 0
    ? { along: quarter + half - u, out: v - radius }
    : { along: 3 * quarter + straight + half + u, out: -v - radius };
}

/**
 * Which pocket lies at a point, by its place on the wheel; none beside the band.
 * @param {Track} track
 * @param {Point} point
 * @param {number} [slack] how far beside the band still counts
 * @returns {number | null}
 */
export function pocketAt(track, point, slack = 0) {
  const { along, out } = placeOf(track, point);
  if (Math.abs(out) > track.band / 2 + slack) return null;
  return Math.round(along / track.step) % track.count;
}

/**
 * The border of a pocket.
 * @param {Track} track
 * @param {number} index
 * @returns {Point[]}
 */
export function outline(track, index) {
  const arc = { first: index, count: 1 };
  return [...edge(track, arc, track.band / 2), ...edge(track, arc, -track.band / 2).reverse()];
}

/**
 * A line along an arc of pockets, so far out of the middle line.
 * @param {Track} track
 * @param {Arc} arc
 * @param {number} out
 * @returns {Point[]}
 */
export function edge(track, { first, count }, out) {
  const pieces = PIECES * count;
  return Array.from({ length: pieces + 1 }, (_, piece) =>
    at(track, (first - 0.5 + (count * piece) / pieces) * track.step, out),
  );
}

/**
 * The part of the field that a call owns: along each of its arcs, and by straight chords from one to the next.
 * @param {Track} track
 * @param {Arc[]} arcs
 * @param {number} gap between the band and the field
 * @returns {Point[]}
 */
export const parcel = (track, arcs, gap) => arcs.flatMap((arc) => edge(track, arc, -track.band / 2 - gap));

/**
 * The widest box in a shape that lies on the long middle line of the field: from and to, in px along that line.
 * @param {Track} track
 * @param {Point[]} shape
 * @param {number} across how wide it is across that line
 * @returns {[number, number]}
 */
export function span(track, shape, across) {
  const middle = (track.upright ? track.width : track.height) / 2;
  const met = [-across / 2, 0, across / 2].map((beside) => crossed(shape, middle + beside, track.upright));
  return [Math.max(...met.map(([from]) => from)), Math.min(...met.map(([, to]) => to))];
}

/** Where a line enters and leaves. @type {(shape: Point[], level: number, upright: boolean) => [number, number]} */
function crossed(shape, level, upright) {
  const [along, across] = upright ? [1, 0] : [0, 1];
  const met = shape.flatMap((from, place) => {
    const to = shape[(place + 1) % shape.length];
    if (from[across] <= level === to[across] <= level) return [];
    return [from[along] + ((level - from[across]) / (to[across] - from[across])) * (to[along] - from[along])];
  });
  return [Math.min(...met), Math.max(...met)];
}

/**
 * Whether a point lies in a shape: a line from it then leaves the shape once more than it enters it.
 * @param {Point[]} shape
 * @param {Point} point
 */
export function isInside(shape, [x, y]) {
  const met = shape.filter(([ax, ay], place) => {
    const [bx, by] = shape[(place + 1) % shape.length];
    return ay <= y !== by <= y && x < ax + ((y - ay) / (by - ay)) * (bx - ax);
  });
  return met.length % 2 === 1;
}

/**
 * The middle of a shape by its area: labels in the bends look right there.
 * @param {Point[]} shape
 * @returns {Point}
 */
export function centroid(shape) {
  let [area, x, y] = [0, 0, 0];
  shape.forEach(([ax, ay], place) => {
    const [bx, by] = shape[(place + 1) % shape.length];
    const cross = ax * by - bx * ay;
    area += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
  });
  return [x / (3 * area), y / (3 * area)];
}

/**
 * The largest box in the field that is so high across it: it stays clear of the round ends.
 * @param {Track} track
 * @param {number} across how much of the field it takes across, from 0 to 1
 * @param {number} gap between the band and the field
 * @returns {Box}
 */
export function boxOf(track, across, gap) {
  const inner = track.radius - track.band / 2 - gap;
  const shorter = 2 * inner * across;
  const longer = track.straight + 2 * Math.sqrt(inner ** 2 - (shorter / 2) ** 2);
  const [width, height] = track.upright ? [shorter, longer] : [longer, shorter];
  return { x: (track.width - width) / 2, y: (track.height - height) / 2, width, height };
}
