// Chips on the felt as the dealer enters them: touches that are not confirmed yet, and what they add up to. Pure.

/**
 * @typedef {Record<string, number>} Pieces by chip
 * @typedef {Record<string, Pieces>} Layout by spot
 * @typedef {{position: number, spot: string, chip: string, after: number}} Guess the pieces that will lie there
 * @typedef {Guess & {pieces: number}} Touch pieces that are added, or taken off
 */

/** How many pieces of a chip lie on a spot. @param {Layout} layout @param {string} spot @param {string} chip */
export const piecesAt = (layout, spot, chip) => layout[spot]?.[chip] ?? 0;

/**
 * The layout of a player with what was entered and is not confirmed yet.
 * @param {Layout} layout @param {Guess[]} guesses @param {number} position @returns {Layout}
 */
export function withGuesses(layout, guesses, position) {
  const mine = guesses.filter((guess) => guess.position === position);
  if (mine.length === 0) return layout;
  /** @type {Layout} */
  const shown = Object.fromEntries(Object.entries(layout).map(([spot, pieces]) => [spot, { ...pieces }]));
  for (const { spot, chip, after } of mine) {
    const pieces = (shown[spot] ??= {});
    if (after > 0) pieces[chip] = after;
    else delete pieces[chip];
    if (Object.keys(pieces).length === 0) delete shown[spot];
  }
  return shown;
}

/**
 * Join the touches of one frame into commands: added pieces of one player and one chip are one command, with equal spots
 * added up. Pieces that are taken off are one command for each spot, which names how many stay.
 * @param {Touch[]} touches
 * @typedef {{type: "PlaceChips", position: number, chip: string, bets: [spot: string, pieces: number][]}
 *   | {type: "ChangeChips", position: number, chip: string, spot: string, pieces: number}} ChipCommand
 * @returns {{command: ChipCommand, of: Touch[]}[]} each with the touches that it is of
 */
export function joined(touches) {
  /** @type {Map<string, Touch[]>} */
  const groups = new Map();
  for (const touch of touches) {
    const { position, chip, spot, pieces } = touch;
    const key = pieces > 0 ? `${position} ${chip}` : `${position} ${chip} ${spot}`;
    groups.set(key, [...(groups.get(key) ?? []), touch]);
  }
  return [...groups.values()].map((group) => {
    const { position, chip, spot, pieces, after } = group[group.length - 1];
    if (pieces < 0) return { command: { type: "ChangeChips", position, chip, spot, pieces: after }, of: group };
    /** @type {Map<string, number>} */
    const bets = new Map();
    for (const each of group) bets.set(each.spot, (bets.get(each.spot) ?? 0) + each.pieces);
    return { command: { type: "PlaceChips", position, chip, bets: [...bets] }, of: group };
  });
}

/** The value of pieces. @param {Pieces} pieces @param {(chip: string) => number} value */
export const worthOf = (pieces, value) =>
  Object.entries(pieces).reduce((sum, [chip, count]) => sum + count * value(chip), 0);

/** The pieces on all spots of a layout, by chip. @param {Layout} layout @returns {Pieces} */
export function piecesOn(layout) {
  /** @type {Pieces} */
  const sum = {};
  for (const pieces of Object.values(layout)) {
    for (const [chip, count] of Object.entries(pieces)) sum[chip] = (sum[chip] ?? 0) + count;
  }
  return sum;
}

/**
 * The fewest value chips for an amount, the largest first, and what is left over.
 * @param {number} cents @param {number[]} denominations
 * @returns {{chips: [value: number, count: number][], left: number}}
 */
export function inValueChips(cents, denominations) {
  /** @type {[number, number][]} */
  const chips = [];
  let left = cents;
  for (const value of [...denominations].sort((one, other) => other - one)) {
    const count = Math.floor(left / value);
    if (count > 0) chips.push([value, count]);
    left -= count * value;
  }
  return { chips, left };
}

// Where chips lie around their spots, so that none hides another.

/** The chips of several owners around a spot, in diameters of a chip. @type {[number, number][][]} */
const RINGS = [
  [[0, 0]],
  [[-0.52, 0], [0.52, 0]],
  [[0, -0.6], [-0.52, 0.3], [0.52, 0.3]],
  [[-0.52, -0.52], [0.52, -0.52], [-0.52, 0.52], [0.52, 0.52]],
];
/** Chips of a shared spot are smaller. */
const SHARED = 0.66;
/** How a chip shrinks until it has room, and the least diameter at which its figures can be read, in pixels. */
const SHRINK = 0.92;
const LEAST_PX = 13;
/** The ways in which the chips of a spot may be turned around it, in quarters of a half turn. */
const TURNS = [0, 2, 1, 3];

/** @param {number} count @returns {[number, number][]} */
function ringOf(count) {
  if (count <= RINGS.length) return RINGS[count - 1] ?? [];
  const radius = 0.52 / Math.sin(Math.PI / count);
  return Array.from({ length: count }, (_, place) => {
    const angle = (2 * Math.PI * place) / count;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/**
 * The chips of one spot: its anchor, where each lies, and their diameter.
 * @typedef {{x: number, y: number, ring: [number, number][], turn: number, d: number, places: [number, number][]}} Cluster
 */

/** @param {Cluster} cluster */
function place(cluster) {
  const { x, y, ring, turn, d } = cluster;
  const [cos, sin] = [Math.cos((turn * Math.PI) / 4) * d, Math.sin((turn * Math.PI) / 4) * d];
  cluster.places = ring.map(([dx, dy]) => [x + dx * cos - dy * sin, y + dx * sin + dy * cos]);
}

/** How close chips of two spots are, in pixels between their edges: below zero where they overlap. @param {Cluster} one @param {Cluster} other */
function gap(one, other) {
  let least = Infinity;
  for (const [x, y] of one.places) {
    for (const [u, v] of other.places) least = Math.min(least, (x - u) * (x - u) + (y - v) * (y - v));
  }
  return Math.sqrt(least) - (one.d + other.d) / 2;
}

/** How far the chips of a spot reach from its anchor. @param {Cluster} cluster */
const reach = ({ ring, d }) => d * (0.5 + Math.hypot(...ring[0]));

/**
 * The diameter of the chips of each spot, and where they lie. Those that would cover chips of a spot beside them are turned
 * around their spot, and then both spots get smaller chips until there is room.
 * @param {{x: number, y: number, count: number}[]} spots @param {number} size the usual diameter
 * @returns {Pick<Cluster, "d" | "places">[]}
 */
export function arranged(spots, size) {
  /** @type {Cluster[]} */
  const clusters = spots.map(({ x, y, count }) => ({
    x,
    y,
    ring: ringOf(count),
    turn: 0,
    d: count > 1 ? size * SHARED : size,
    places: [],
  }));
  clusters.forEach(place);
  const near = clusters.map((one) =>
    clusters.filter((other) =>
      other !== one && Math.hypot(one.x - other.x, one.y - other.y) < reach(one) + reach(other)
    )
  );
  clusters.forEach((one, index) => {
    if (one.ring.length < 2 || near[index].length === 0) return;
    const gaps = TURNS.map((turn) => {
      one.turn = turn;
      place(one);
      return Math.min(...near[index].map((other) => gap(one, other)));
    });
    one.turn = TURNS[gaps.indexOf(Math.max(...gaps))];
    place(one);
  });
  let pairs = clusters.flatMap((one, index) => near[index].map((other) => /** @type {const} */ ([one, other])));
  while (pairs.length > 0) {
    pairs = pairs.filter(([one, other]) => gap(one, other) < 0 && Math.max(one.d, other.d) > LEAST_PX);
    for (const cluster of new Set(pairs.flat())) {
      cluster.d = Math.max(LEAST_PX, cluster.d * SHRINK);
      place(cluster);
    }
  }
  return clusters;
}
