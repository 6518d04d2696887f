// Suspense: while a player watches the ball land, number, chips and meters wait for it, but not for long. Pure.

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
