// Suspense: while a player watches the ball land, the number, the chips and the meters wait for it, but not for long.

/** No number waits longer than this, whatever becomes of the picture. */
const WAIT_MS = 3200;
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
  /** @param {(table: string) => boolean} isWatched whether a wheel that turns is to be seen */
  constructor(isWatched) {
    this.isWatched = isWatched;
    /** @type {Map<string, Held>} */
    this.held = new Map();
    /** The view before. @type {any} */
    this.before = null;
  }

  /** What may be shown of a view now. @param {any} view */
  shown(view) {
    for (const name of Object.keys(view.seat?.games ?? {})) this.#look(name, view);
    this.before = view;
    let { seat, tables } = view;
    for (const [name, held] of this.held) {
      tables = { ...tables, [name]: held.table };
      seat = { ...seat, games: { ...seat.games, [name]: held.game } };
      // With another game the credits may have changed for another reason, and are shown as they are.
      if (Object.keys(seat.games).length === 1)
        seat = { ...seat, credit: held.seat.credit, session: held.seat.session };
    }
    return this.held.size === 0 ? view : { ...view, seat, tables };
  }

  /** The ball lies in its pocket. @param {string} name of the table */
  landed(name) {
    return this.held.delete(name);
  }

  /** Whether something has waited long enough. */
  isDue() {
    return [...this.held.values()].some(({ until }) => performance.now() > until);
  }

  /** @param {string} name @param {any} view */
  #look(name, view) {
    const known = this.held.get(name);
    const [now, was] = [view.tables[name]?.state, this.before?.tables[name]?.state];
    if (!now) return;
    const of = spinOf(now);
    if (known && (known.of !== of || !hasNumber(now) || performance.now() > known.until || !this.isWatched(name)))
      this.held.delete(name);
    // Whoever comes to a number that is there already did not see the ball run.
    const isNews = hasNumber(now) && was && !hasNumber(was) && spinOf(was) === of && RUNNING.has(was.phase);
    if (!isNews || !this.isWatched(name)) return;
    const { seat, tables } = this.before;
    this.held.set(name, { of, until: performance.now() + WAIT_MS, table: tables[name], game: seat.games[name], seat });
  }
}

/** @param {any} table */
const spinOf = ({ round, spin }) => `${round}/${spin}`;
/** @param {any} table */
const hasNumber = ({ pocket }) => pocket !== undefined && pocket !== null;
