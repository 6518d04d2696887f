// Piles: which chips are to be seen on a felt, and how each of them looks. Pure.

/**
 * @typedef {object} Look what a felt is told to draw
 * @property {Record<string, number>} stakes what lies on each spot, in cents
 * @property {Record<string, boolean>} guessed spots whose stake the house has not confirmed
 * @property {string[]} red spots with less than their minimum
 * @property {Record<string, number>} ghosts chips that are shown before they lie
 * @property {string[]} ringed the spots of the neighbours' set, its number first
 * @property {string | null} winning the pocket that won
 * @property {{stakes: Record<string, number>} | null} last the chips of the round just settled
 * @property {string | null} dolly the pocket that is marked
 * @property {boolean} open whether chips may be laid
 * @property {number | "eraser"} chip what a touch lays, in cents, or that it takes off
 * @property {Record<string, [number | null, number | null, number | null]> | null} limits least, most and greatest win
 * @property {Record<string, number> | null} heat how often each pocket came, from 0 to 1
 * @property {boolean} assist whether red is hatched
 * @property {string[]} live spots whose stake stays for the next spin
 * @property {boolean} sealed whether the bets are sealed
 *
 * @typedef {"lies" | "guessed" | "under" | "ghost" | "won" | "lost"} Way
 * @typedef {{spot: string, cents: number, way: Way, live: boolean, raised: boolean}} Pile
 */

/** A felt before anybody told it anything. @type {Look} */
export const BARE = {
  stakes: {},
  guessed: {},
  red: [],
  ghosts: {},
  ringed: [],
  winning: null,
  last: null,
  dolly: null,
  open: false,
  chip: 0,
  limits: null,
  heat: null,
  assist: false,
  live: [],
  sealed: false,
};

/** Every pile by a key of its own; a ghost may stand beside what lies on its spot.
 * @param {Look} look @param {(spot: string) => string[]} covers @returns {Map<string, Pile>} */
export function pilesOf(look, covers) {
  const red = new Set(look.red);
  const live = new Set(look.live);
  /** @type {Map<string, Pile>} */
  const piles = new Map();
  /** @param {string} spot */
  const isWon = (spot) => look.last !== null && look.winning !== null && covers(spot).includes(look.winning);
  for (const [spot, cents] of Object.entries({ ...look.last?.stakes, ...look.stakes })) {
    if (!(cents > 0)) continue;
    const lies = look.stakes[spot] > 0;
    /** @type {Way} */
    const way = isWon(spot)
      ? "won"
      : !lies
        ? "lost"
        : look.guessed[spot]
          ? "guessed"
          : red.has(spot)
            ? "under"
            : "lies";
    piles.set(spot, { spot, cents, way, live: lies && live.has(spot), raised: false });
  }
  for (const [spot, cents] of Object.entries(look.ghosts)) {
    if (cents > 0) {
      piles.set(`ghost ${spot}`, { spot, cents, way: "ghost", live: false, raised: piles.has(spot) });
    }
  }
  return piles;
}

/** Which spots have other chips than before. @param {Map<string, Pile>} before @param {Map<string, Pile>} after */
export function changed(before, after) {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const isOther = (/** @type {string} */ key) => {
    const [one, other] = [before.get(key), after.get(key)];
    return one?.cents !== other?.cents || one?.way !== other?.way;
  };
  return keys.filter(isOther).map((key) => key.replace(/^ghost /, ""));
}
