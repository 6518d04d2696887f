// Felt geometry: from cells to pixels, and the hit test. Pure.

/**
 * @typedef {{along: [number, number], across: [number, number]}} Area in quarter cells
 * @typedef {[number, number, number, number]} HitRegion hit region, from and to along, from and to across: a point, line or rectangle
 * @typedef {Area & {pocket: string, colour: string}} Cell
 * @typedef {Area & {bet: string, label: string}} Box
 * @typedef {Area & {name: string, label: string, spot: string, anchor: [number, number], core: HitRegion}} Alias
 * @typedef {{key: string, kind: string, covers: string[], label: string, anchor: [number, number], core: HitRegion}} Spot
 * @typedef {{cells: Cell[], boxes: Box[], spots: Spot[], aliases: Alias[]}} FeltData the part of the felt spec that is drawn
 * @typedef {"landscape" | "portrait"} Orientation
 * @typedef {{x: number, y: number}} Point
 * @typedef {{x: number, y: number, width: number, height: number}} Rect
 * @typedef {{spot: string, alias: boolean, x: number, y: number}} Place the spot at a point, and the position of its chip
 */

/** Quarter cells in a cell. */
export const CELL = 4;
/** The strips around the numbers are narrower than whole cells, as on a printed felt. */
const STRIPS = {
  landscape: { zero: 0.95, column: 0.95, outside: 0.74 },
  portrait: { zero: 1, column: 0.85, outside: 0.62 },
};
/** The aspect limits of a cell. */
const STRETCH = {
  landscape: { across: 1.4, along: 1 / 0.62 },
  portrait: { across: 2.7, along: 1 },
};
/** A small table may be stretched further, so that its spots are easier to touch. */
const SMALL = { width: 700, across: 1.8 };
/** A point this far outside the print still means the nearest spot. */
const TOLERANCE_PX = 14;

/**
 * One axis: units to cells and back. The strips below 0 and beyond the end have their own scale.
 * @param {{least: number, most: number, end: number, before: number, after: number}} axis
 */
function axisOf({ least, most, end, before, after }) {
  /** @param {number} unit */
  const raw = (unit) => (unit < 0 ? unit * before : unit <= end ? unit : end + (unit - end) * after);
  const start = raw(least);
  return {
    cells: (raw(most) - start) / CELL,
    /** @param {number} unit */
    place: (unit) => (raw(unit) - start) / CELL,
    /** @param {number} place */
    unit(place) {
      const at = place * CELL + start;
      return at < 0 ? at / before : at <= end ? at : end + (at - end) / after;
    },
  };
}

/** The second places for spots that have a box of their own: nothing else is printed there. @param {FeltData} data */
export const ownBoxes = ({ aliases, cells, boxes }) =>
  aliases.filter((alias) => ![...cells, ...boxes].some((area) => overlap(alias, area)));

/** @param {Area} one @param {Area} other */
const overlap = (one, other) => meets(one.along, other.along) && meets(one.across, other.across);

/** @param {[number, number]} one @param {[number, number]} other */
const meets = (one, other) => Math.max(one[0], other[0]) < Math.min(one[1], other[1]);

/** @param {FeltData} data @param {Orientation} orientation */
function axesOf(data, orientation) {
  const printed = [...data.cells, ...data.boxes, ...ownBoxes(data)];
  const numbers = data.cells.filter((cell) => cell.along[0] >= 0);
  const strips = STRIPS[orientation];
  return {
    along: axisOf({
      least: Math.min(...printed.map((area) => area.along[0])),
      most: Math.max(...printed.map((area) => area.along[1])),
      end: Math.max(...numbers.map((cell) => cell.along[1])),
      before: strips.zero,
      after: strips.column,
    }),
    across: axisOf({
      least: Math.min(...printed.map((area) => area.across[0])),
      most: Math.max(...printed.map((area) => area.across[1])),
      end: Math.max(...numbers.map((cell) => cell.across[1])),
      before: strips.outside,
      after: 1,
    }),
  };
}

/**
 * The largest cell that fits, along the table and across it.
 * @param {FeltData} data @param {{width: number, height: number, orientation: Orientation}} room
 */
export function cellIn(data, { width, height, orientation }) {
  const axes = axesOf(data, orientation);
  const flat = orientation === "landscape";
  const along = (flat ? width : height) / axes.along.cells;
  const across = (flat ? height : width) / axes.across.cells;
  const stretch = STRETCH[orientation];
  const most = flat && width < SMALL.width ? SMALL.across : stretch.across;
  return { along: Math.min(along, across * stretch.along), across: Math.min(across, along * most) };
}

/**
 * The projection for a cell size. Mirrored for left-handed players.
 * @param {FeltData} data
 * @param {{cell: {along: number, across: number}, orientation: Orientation, mirrored?: boolean}} laid
 */
export function projection(data, { cell, orientation, mirrored = false }) {
  const axes = axesOf(data, orientation);
  const flat = orientation === "landscape";
  const length = axes.along.cells * cell.along;
  const depth = axes.across.cells * cell.across;
  const width = flat ? length : depth;
  const height = flat ? depth : length;
  /** @param {number} x */
  const turned = (x) => (mirrored ? width - x : x);

  /** @param {number} along @param {number} across @returns {Point} */
  const point = (along, across) => {
    const a = axes.along.place(along) * cell.along;
    const b = axes.across.place(across) * cell.across;
    // In landscape the far side is up; in portrait the zero is up, with the outside bets on the left.
    return flat ? { x: turned(a), y: depth - b } : { x: turned(b), y: a };
  };
  /** @param {number} x @param {number} y @returns {[number, number]} */
  const units = (x, y) => {
    const a = flat ? turned(x) : y;
    const b = flat ? depth - y : turned(x);
    return [axes.along.unit(a / cell.along), axes.across.unit(b / cell.across)];
  };
  /** @param {HitRegion} core @returns {Rect} */
  const rect = ([a0, a1, b0, b1]) => {
    const one = point(a0, b0);
    const other = point(a1, b1);
    return {
      x: Math.min(one.x, other.x),
      y: Math.min(one.y, other.y),
      width: Math.abs(one.x - other.x),
      height: Math.abs(one.y - other.y),
    };
  };
  return {
    width,
    height,
    orientation,
    mirrored,
    cell,
    point,
    units,
    rect,
    /** @param {Area} area */
    area: (area) => rect([...area.along, ...area.across]),
  };
}

/** @typedef {ReturnType<typeof projection>} Projection */

/**
 * The hit test: in the box of a second place its spot, elsewhere the spot whose hit region is nearest in pixels; null
 * outside the print.
 * @param {FeltData} data @param {Projection} projection @returns {(x: number, y: number) => Place | null}
 */
export function hitTester(data, projection) {
  const prints = [...data.cells, ...data.boxes, ...ownBoxes(data)].map(projection.area);
  const own = ownBoxes(data).map((alias) => ({
    ...hitRegionOf(projection, alias.spot, alias, true),
    rect: projection.area(alias),
  }));
  const cores = [
    ...data.spots.map((spot) => hitRegionOf(projection, spot.key, spot, false)),
    ...data.aliases.map((alias) => hitRegionOf(projection, alias.spot, alias, true)),
  ];
  return (x, y) => {
    if (!prints.some((print) => distance(print, x, y) <= TOLERANCE_PX ** 2)) return null;
    const box = own.find(({ rect }) => distance(rect, x, y) === 0);
    if (box) return box.place;
    let nearest = null;
    let least = Infinity;
    for (const core of cores) {
      const far = distance(core.rect, x, y);
      if (far < least) [nearest, least] = [core.place, far];
    }
    return nearest;
  };
}

/** @param {Projection} projection
 * @param {string} spot @param {{anchor: [number, number], core: HitRegion}} lies @param {boolean} alias */
function hitRegionOf(projection, spot, { anchor, core }, alias) {
  return { place: { spot, alias, ...projection.point(...anchor) }, rect: projection.rect(core) };
}

/** The squared distance of a point from a rectangle. @param {Rect} rect @param {number} x @param {number} y */
function distance(rect, x, y) {
  const dx = Math.max(rect.x - x, 0, x - rect.x - rect.width);
  const dy = Math.max(rect.y - y, 0, y - rect.y - rect.height);
  return dx * dx + dy * dy;
}
