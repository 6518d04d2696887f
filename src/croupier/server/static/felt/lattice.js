// The lattice: which spot is next when a player walks over the felt with the arrow keys. Pure.
// A walker remembers its line: down from a street into the dozens and up again is the same street.

/**
 * @typedef {import("./geometry.js").Spot} Spot
 * @typedef {import("./geometry.js").Core} Core
 * @typedef {{spot: Spot, along: number, across: number}} Walker where it is, and the line it keeps to, in quarter cells
 * @typedef {{axis: "along" | "across", sign: 1 | -1}} Direction
 */

/** A step aside counts for more than a step ahead, so that a walk keeps to its line. */
const ASIDE = 3;
/** Where the two ends of a core are, on each axis. */
const ENDS = { along: [0, 1], across: [2, 3] };

/** @param {Spot} spot @returns {Walker} */
export const standing = (spot) => ({ spot, along: middle(spot.core, "along"), across: middle(spot.core, "across") });

/** Which way of the table a key goes. @param {string} key @param {{orientation: string, mirrored: boolean}} laid
 * @returns {Direction | null} */
export function direction(key, { orientation, mirrored }) {
  const flat = orientation === "landscape";
  const across = flat ? "along" : "across";
  const down = flat ? "across" : "along";
  const right = mirrored ? -1 : 1;
  switch (key) {
    case "ArrowRight":
      return { axis: across, sign: right };
    case "ArrowLeft":
      return { axis: across, sign: right === 1 ? -1 : 1 };
    case "ArrowDown":
      return { axis: down, sign: flat ? -1 : 1 };
    case "ArrowUp":
      return { axis: down, sign: flat ? 1 : -1 };
    default:
      return null;
  }
}

/** One step; the walker stays where nothing lies that way.
 * @param {Spot[]} spots @param {Walker} walker @param {Direction} way @returns {Walker} */
export function step(spots, walker, { axis, sign }) {
  const side = axis === "along" ? "across" : "along";
  let next = null;
  let least = Infinity;
  for (const spot of spots) {
    if (sign * (middle(spot.core, axis) - middle(walker.spot.core, axis)) <= 0) continue;
    const ahead = gapAhead(walker.spot.core, spot.core, axis, sign);
    if (ahead < 0) continue;
    const aside = outside(spot.core, side, walker[side]);
    // Of two as near, the smaller comes first: a split before the zero behind it.
    const score = ahead + ASIDE * aside + extent(spot.core) / 1000;
    if (score < least) [next, least] = [spot, score];
  }
  if (!next) return walker;
  const here = standing(next);
  // The line is kept as long as it crosses what is walked over.
  return outside(next.core, side, walker[side]) === 0 ? { ...here, [side]: walker[side] } : here;
}

/** @param {Core} core @param {"along" | "across"} axis */
const middle = (core, axis) => (core[ENDS[axis][0]] + core[ENDS[axis][1]]) / 2;

/** @param {Core} core */
const extent = (core) => core[1] - core[0] + core[3] - core[2];

/** @param {Core} from @param {Core} to @param {"along" | "across"} axis @param {1 | -1} sign */
function gapAhead(from, to, axis, sign) {
  const [low, high] = ENDS[axis];
  return sign === 1 ? to[low] - from[high] : from[low] - to[high];
}

/** How far a line passes beside a core. @param {Core} core @param {"along" | "across"} axis @param {number} line */
function outside(core, axis, line) {
  const [low, high] = ENDS[axis];
  return Math.max(core[low] - line, 0, line - core[high]);
}
