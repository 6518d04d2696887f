// Holds a result back until the wheel animation ends, and keeps the chips of the settled round. Pure.

/** No number waits longer than this, whatever becomes of the picture: a little more than the longest landing. */
export const WAIT_MS = 3900;
const RUNNING = new Set(["closed", "running", "at_rest"]);

/**
 * @typedef {object} Held a table as it was before its number came
 * @property {string} of the round and spin
 * @property {number} until local time
 * @property {any} table
 * @property {any} game
 * @property {any} seat
 */

export class Suspense {
  /** @param {(table: string) => boolean} isWatched whether a wheel that turns is to be seen
   * @param {() => number} now local time in milliseconds */
  constructor(isWatched, now) {
    this.isWatched = isWatched;
    this.now = now;
    /** @type {Map<string, Held>} */
    this.held = new Map();
    /** The view before. @type {any} */
    this.before = null;
  }

  /** What may be shown of a view now. @param {any} view */
  shown(view) {
    if (!view.seat) this.held.clear();
    for (const name of Object.keys(view.seat?.games ?? {})) this.#look(name, view);
    this.before = view;
    const [first] = this.held.values();
    if (first === undefined) return view;
    const [tables, games] = [{ ...view.tables }, { ...view.seat.games }];
    for (const [name, { table, game }] of this.held) [tables[name], games[name]] = [table, game];
    return { ...view, tables, seat: unpaid(view.seat, { ...first.seat, games }) };
  }

  /** The ball lies in its pocket. @param {string} name of the table */
  landed(name) {
    return this.held.delete(name);
  }

  /** Whether something has waited long enough. */
  isDue() {
    return [...this.held.values()].some(({ until }) => this.now() > until);
  }

  /** @param {string} name @param {any} view */
  #look(name, view) {
    const known = this.held.get(name);
    const [now, was] = [view.tables[name]?.state, this.before?.tables[name]?.state];
    if (!now) return;
    const of = spinOf(now);
    const isOver = !hasNumber(now) || !this.isWatched(name);
    if (known && (isOver || known.of !== of || this.now() > known.until || isAnother(view.seat, known.seat)))
      this.held.delete(name);
    // Whoever comes to a number that is there already did not see the ball run.
    const isNews = hasNumber(now) && was && !hasNumber(was) && spinOf(was) === of && RUNNING.has(was.phase);
    if (!isNews || !this.isWatched(name)) return;
    const { seat, tables } = this.before;
    this.held.set(name, { of, until: this.now() + WAIT_MS, table: tables[name], game: seat.games[name], seat });
  }
}

/** A seat without what the games that are held back have brought: its result and what is held are as they were. The
 * credits are put together anew, as those of another game, or put in meanwhile, are not held back.
 * @param {any} now @param {any} before */
function unpaid(now, before) {
  const { session, held, holds, messages, games } = before;
  const brought = resultOf(now) - resultOf(before) - (heldOf(now) - heldOf(before)) - (staked(now) - staked(before));
  // Whoever has collected meanwhile has nothing left, and no debt.
  return { ...now, session, held, holds, messages, games, credit: Math.max(0, now.credit - brought) };
}

/** Whether another player's session has begun. @param {any} now @param {any} before */
const isAnother = (now, before) => now.session?.since_us !== before.session?.since_us;

/** @param {any} seat */
const resultOf = ({ session }) => session?.net ?? 0;
/** @param {any} seat */
const heldOf = ({ held }) => held ?? 0;
/** @param {any} seat @returns {number} */
const staked = ({ games }) => Object.values(games).reduce((all, game) => all + (game.staked ?? 0), 0);
/** @param {any} table */
const spinOf = ({ round, spin }) => `${round}/${spin}`;
/** @param {any} table */
const hasNumber = ({ pocket }) => pocket !== undefined && pocket !== null;

// The round just settled: its chips are remembered until the next one opens, to show which won and which lost. Pure.

/**
 * @typedef {Record<string, number>} Stakes
 * @typedef {object} Settled
 * @property {number} round
 * @property {number} spin
 * @property {Stakes} stakes the chips as they were sealed
 * @property {string | null} pocket the number, once it counts
 */

/**
 * Remember the chips of a round while they are sealed, and its number when it comes; forget them when bets open again.
 * @param {Settled | null} known @param {any} table @param {any} mine the game, as it was last told
 * @returns {Settled | null}
 */
export function settledAfter(known, table, mine) {
  const pocket = table.pocket ?? null;
  const same = known !== null && known.round === table.round;
  if (mine.sealed === table.round && table.phase !== "between" && !(same && known.pocket !== null))
    return { round: table.round, spin: table.spin, stakes: { ...mine.bets }, pocket };
  if (!same) return null;
  // A number may be corrected or taken back after it was told.
  return known.pocket === pocket ? known : { ...known, pocket };
}

/**
 * What the winning chips of a round add up to, and the losing ones.
 * @param {Stakes} stakes @param {string} pocket @param {Map<string, string[]>} covers numbers by spot
 */
function parted(stakes, pocket, covers) {
  let [kept, lost] = [0, 0];
  for (const [spot, stake] of Object.entries(stakes)) {
    if (covers.get(spot)?.includes(pocket)) kept += stake;
    else lost += stake;
  }
  return { kept, lost };
}

/** Whether more came back than was staked: less than that is nothing to celebrate.
 * @param {number} won beyond the winning stakes
 * @param {Settled | null} settled @param {Map<string, string[]>} covers */
export function isWin(won, settled, covers) {
  if (settled === null || settled.pocket === null) return false;
  return won > parted(settled.stakes, settled.pocket, covers).lost;
}
