// Racetrack geometry: the track and the field inside it. Pure.

/** @typedef {import("./field.js").Sector} Sector */

/**
 * @typedef {[number, number]} Point x and y, from the top left of the drawing
 * @typedef {{count: number, width: number, height: number, upright: boolean, frame: number, band: number,
 *   radius: number, straight: number, length: number, step: number}} Track
 * @typedef {{along: number, out: number}} Place
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{first: number, count: number}} Arc a number of pockets from the index of the first
 */

/** The share of the shorter side that the band of pockets takes. */
const BANDS = { strip: 0.26, view: 0.15 };
/** The largest ratio of a pocket's width to its length. */
const BAND_MOST = 1.7;
/** The rail around the pockets. */
const FRAME = 7;
/** How many segments the edge of a pocket has. */
const PIECES = 8;

/**
 * @param {{count: number, width: number, height: number, shape: "strip" | "view"}} wanted
 * @returns {Track | null} null where there is no space
 */
export function track({ count, width, height, shape }) {
  const room = Math.min(width, height);
  const shorter = room - 2 * FRAME;
  const straight = Math.abs(width - height);
  if (shorter < 40) return null;
  // The centre line runs half a band inside, so its length depends on the band: solve for the widest band.
  const widest = (BAND_MOST * (2 * straight + Math.PI * shorter)) / (count + BAND_MOST * Math.PI);
  const band = Math.min(BANDS[shape] * room, widest);
  const radius = (shorter - band) / 2;
  const length = 2 * straight + 2 * Math.PI * radius;
  const upright = height > width;
  return { count, width, height, upright, frame: FRAME, band, radius, straight, length, step: length / count };
}

/**
 * The point of a track position.
 * @param {Track} track
 * @param {number} along
 * @param {number} out
 * @returns {Point}
 */
export function pointAt(track, along, out) {
  const { radius, straight, length } = track;
  const quarter = (Math.PI / 2) * radius;
  const [half, reach] = [straight / 2, radius + out];
  let left = ((along % length) + length) % length;
  /** @type {(middle: number, angle: number) => Point} */
  const bend = (middle, angle) => toPoint(track, middle + reach * Math.cos(angle), reach * Math.sin(angle));
  if (left < quarter) return bend(half, left / radius);
  left -= quarter;
  if (left < straight) return toPoint(track, half - left, reach);
  left -= straight;
  if (left < 2 * quarter) return bend(-half, Math.PI / 2 + left / radius);
  left -= 2 * quarter;
  if (left < straight) return toPoint(track, left - half, -reach);
  return bend(half, (left - straight - quarter) / radius);
}

/** @type {(track: Track, u: number, v: number) => Point} From the centre, u towards the first pocket. */
const toPoint = ({ width, height, upright }, u, v) =>
  upright ? [width / 2 + v, height / 2 - u] : [width / 2 + u, height / 2 + v];

/**
 * The track position nearest to a point.
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
 * The index of the pocket at a point; null outside the band.
 * @param {Track} track
 * @param {Point} point
 * @param {number} [slack] tolerance beside the band
 * @returns {number | null}
 */
export function pocketAt(track, point, slack = 0) {
  const { along, out } = placeOf(track, point);
  if (Math.abs(out) > track.band / 2 + slack) return null;
  return Math.round(along / track.step) % track.count;
}

/**
 * The outline of a pocket.
 * @param {Track} track
 * @param {number} index
 * @returns {Point[]}
 */
export function outline(track, index) {
  const arc = { first: index, count: 1 };
  return [...edge(track, arc, track.band / 2), ...edge(track, arc, -track.band / 2).reverse()];
}

/**
 * A line along an arc of pockets, at an offset from the centre line.
 * @param {Track} track
 * @param {Arc} arc
 * @param {number} out
 * @returns {Point[]}
 */
export function edge(track, { first, count }, out) {
  const pieces = PIECES * count;
  return Array.from(
    { length: pieces + 1 },
    (_, piece) => pointAt(track, (first - 0.5 + (count * piece) / pieces) * track.step, out),
  );
}

/**
 * The part of the field of a call: along each of its arcs, joined by straight chords.
 * @param {Track} track
 * @param {Arc[]} arcs
 * @param {number} gap between the band and the field
 * @returns {Point[]}
 */
export const sectorShape = (track, arcs, gap) => arcs.flatMap((arc) => edge(track, arc, -track.band / 2 - gap));

/**
 * The widest box in a shape on the long axis of the field: from and to, in px along that axis.
 * @param {Track} track
 * @param {Point[]} shape
 * @param {number} across its width across that axis
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
 * Whether a point lies in a shape, by the even-odd rule.
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
 * The centroid of a shape, where labels in the bends look right.
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
 * The largest box in the field of a given share across it, clear of the round ends.
 * @param {Track} track
 * @param {number} across the share of the field across, from 0 to 1
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

// The field: where calls, the choice of reach and the wheel are placed.

/** Between the band and the field. */
export const GAP = 3;
/** The smallest touch target. */
const TARGET = 44;
/** Between two controls. */
const SPACE = 6;
/** The smallest wheel that is shown. */
const WHEEL_LEAST = 130;

/** Two rows of controls, and three. */
const PAIRS = 2 * TARGET + SPACE;
const ROWS = 3 * TARGET + 2 * SPACE;

/** Whether controls in a box stand side by side, because they do not fit one below the other. @param {Box} box */
export const isLow = ({ height }) => height < ROWS;

/** The depth of the field. @param {Track} track */
const depth = ({ radius, band }) => 2 * (radius - band / 2 - GAP);

/** The share of it that controls take: a touch target where possible. @param {Track} track */
const share = (track) => Math.min(0.94, Math.max(0.8, TARGET / depth(track)));

/** The same for sectors: in portrait they stand between the round ends and stay narrow. @param {Track} track */
const sectorShare = (track) => (track.upright ? 0.56 : share(track));

/** One row or column of everything. @param {Track} track @returns {Box} */
export const rowBox = (track) => boxOf(track, share(track), GAP);

/**
 * The wheel with the calls on both sides of it; in portrait, all of them below it.
 * @param {Track} track
 * @param {number} rows of controls below it
 * @returns {{well: Box | null, sides: Box[]}} no well where the wheel would be too small
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
  // Three controls one below the other, or two pairs where they do not fit.
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
 * A box for every sector: a sector within another stands at the nearest end of the field, any other on the
 * axis of its own part, where it is free. The rest stands at the end with more space. Null where not all have a place.
 * @param {Track} track
 * @param {readonly Sector[]} sectors
 * @param {number} others the space of everything else, in calls
 * @returns {{sectors: Box[], rest: Box | undefined} | null}
 */
export function sectorBoxes(track, sectors, others) {
  const spans = sectors.map(({ arcs }) => span(track, sectorShape(track, arcs, GAP), TARGET));
  const lengths = spans
    .filter((_, place) => !sectors[place].within)
    .sort(([one], [other]) => one - other)
    .map(([from, to]) => to - from);
  const isRestFirst = lengths[0] > lengths[lengths.length - 1];
  const rest = (/** @type {boolean} */ isHere) => (isHere && others > 0 ? [others] : []);
  const pills = sectors.filter(({ within }) => within);
  const pillsFirst = pills.filter((pill) => isFirst(track, pill));
  const pillsLast = pills.filter((pill) => !pillsFirst.includes(pill));
  // Contained sectors stand at the very end, next to their pockets.
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
    return placed.get(sector) ?? boxOnAxis(track, from + SPACE, to - SPACE);
  });
  const end = isRestFirst ? first.boxes[pillsFirst.length] : last.boxes[0];
  if (boxes.some(({ width, height }) => Math.min(width, height) < TARGET)) return null;
  return { sectors: boxes, rest: others > 0 ? end : undefined };
}

/**
 * Controls in a row at one end of the field, each as wide as its weight, and where the axis is free.
 * @param {Track} track
 * @param {number[]} weights
 * @param {boolean} isBegin
 */
function endBoxes(track, weights, isBegin) {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const length = track.upright
    ? all === 0 ? 0 : TARGET + SPACE
    : all * Math.min(116, Math.max(60, track.width * 0.115));
  const [from, to] = extent(track);
  const row = isBegin ? boxOnAxis(track, from, from + length) : boxOnAxis(track, to - length, to);
  let done = 0;
  const boxes = weights.map((weight) => {
    const x = row.x + (row.width * done) / all + SPACE / 2;
    done += weight;
    return { ...row, x, width: (row.width * weight) / all - SPACE };
  });
  return { boxes, free: isBegin ? from + length : to - length };
}

/** Where controls fit on the long axis. @param {Track} track @returns {[number, number]} */
function extent(track) {
  const { x, y, width, height } = boxOf(track, sectorShare(track), GAP);
  return track.upright ? [y, y + height] : [x, x + width];
}

/** A box on that axis. @param {Track} track @param {number} from @param {number} to @returns {Box} */
function boxOnAxis(track, from, to) {
  const across = depth(track) * sectorShare(track);
  if (track.upright) return { x: (track.width - across) / 2, y: from, width: across, height: to - from };
  return { x: from, y: (track.height - across) / 2, width: to - from, height: across };
}

/** Whether a sector lies at the start of the long axis. @param {Track} track @param {Sector} sector */
function isFirst(track, { arcs: [{ first, count }] }) {
  const [x, y] = pointAt(track, (first + (count - 1) / 2) * track.step, 0);
  return track.upright ? y < track.height / 2 : x < track.width / 2;
}
