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
 * @returns {({type: "PlaceChips", position: number, chip: string, bets: [spot: string, pieces: number][]}
 *   | {type: "ChangeChips", position: number, chip: string, spot: string, pieces: number})[]}
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
    if (pieces < 0) return { type: "ChangeChips", position, chip, spot, pieces: after };
    /** @type {Map<string, number>} */
    const bets = new Map();
    for (const each of group) bets.set(each.spot, (bets.get(each.spot) ?? 0) + each.pieces);
    return { type: "PlaceChips", position, chip, bets: [...bets] };
  });
}

/** The value of pieces. @param {Pieces} pieces @param {(chip: string) => number} value */
export const worthOf = (pieces, value) =>
  Object.entries(pieces).reduce((sum, [chip, count]) => sum + count * value(chip), 0);

/** The pieces on all spots of a layout, by chip. @param {Layout} layout @returns {Pieces} */
export function piecesOn(layout) {
  /** @type {Pieces} */
  const sum = {};
  for (const pieces of Object.values(layout))
    for (const [chip, count] of Object.entries(pieces)) sum[chip] = (sum[chip] ?? 0) + count;
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

/** Where the chips of several owners lie around a spot, in diameters of a chip. @type {[number, number][][]} */
const RINGS = [
  [[0, 0]],
  [[-0.5, 0], [0.5, 0]],
  [[0, -0.5], [-0.52, 0.36], [0.52, 0.36]],
  [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]],
];

/** Places for so many chips on one spot; beyond four they overlap. @param {number} count @returns {[number, number][]} */
export function placesFor(count) {
  if (count <= RINGS.length) return RINGS[count - 1] ?? [];
  return Array.from({ length: count }, (_, place) => {
    const angle = (2 * Math.PI * place) / count;
    return [0.62 * Math.cos(angle), 0.62 * Math.sin(angle)];
  });
}
