// Holds a result back until the wheel animation ends, and its money until it is paid on the felt. Pure.

/**
 * @typedef {import("./store.js").Game} Game
 * @typedef {import("./store.js").Seat} Seat
 * @typedef {import("./store.js").View} View
 * @typedef {import("./types/wire.js").TableState} TableState
 */

/** The longest delay of a number, whatever the animation does: slightly longer than the longest landing. */
export const WAIT_MS = 5400;
/** How long after the ball rests the money is shown: when the marker stands on the felt. */
export const PAID_MS = 2300;
const RUNNING = new Set(["closed", "running", "at_rest"]);

/**
 * @typedef {object} DelayedTable a table as it was before its number
 * @property {string} of the round and spin
 * @property {boolean} isLanded whether the number is shown, and only the money waits
 * @property {number} until local time
 * @property {{tv: number, state: TableState}} table
 * @property {Game} game
 * @property {Seat} seat
 */

export class ResultDelay {
  /** @param {(table: string) => boolean} isWatched whether a turning wheel is visible
   * @param {() => number} now local time in milliseconds */
  constructor(isWatched, now) {
    this.isWatched = isWatched;
    this.now = now;
    /** @type {Map<string, DelayedTable>} */
    this.delayed = new Map();
    /** The previous view. @type {View | null} */
    this.before = null;
  }

  /** The part of a view that may be shown now. @param {View} view */
  shown(view) {
    const { seat } = view;
    if (!seat) this.delayed.clear();
    else for (const name of Object.keys(seat.games)) this.#look(name, view, seat);
    this.before = view;
    const [first] = this.delayed.values();
    if (first === undefined || !seat) return view;
    const [tables, before, games] = [{ ...view.tables }, { ...seat.games }, { ...seat.games }];
    for (const [name, { table, game, isLanded }] of this.delayed) {
      before[name] = game;
      games[name] = isLanded ? { ...seat.games[name], won: game.won, net: game.net, staked: game.staked } : game;
      if (!isLanded) tables[name] = table;
    }
    return { ...view, tables, seat: { ...unpaid(seat, { ...first.seat, games: before }), games } };
  }

  /** The ball rests in its pocket: the number is shown, and the money a moment later. @param {string} name of the table */
  landed(name) {
    const known = this.delayed.get(name);
    if (!known || known.isLanded) return false;
    this.delayed.set(name, { ...known, isLanded: true, until: this.now() + PAID_MS });
    return true;
  }

  /** Whether a delay has expired. */
  isDue() {
    return [...this.delayed.values()].some(({ until }) => this.now() > until);
  }

  /** @param {string} name @param {View} view @param {Seat} current */
  #look(name, view, current) {
    const { before } = this;
    const known = this.delayed.get(name);
    const [now, was] = [view.tables[name]?.state, before?.tables[name]?.state];
    if (!now) return;
    const of = spinOf(now);
    const isOver = !hasNumber(now) || !this.isWatched(name);
    if (known && (isOver || known.of !== of || this.now() > known.until || isNewSession(current, known.seat))) {
      this.delayed.delete(name);
    }
    // A page opened after the number did not show the spin, so it does not delay the result.
    const isNews = hasNumber(now) && was && !hasNumber(was) && spinOf(was) === of && RUNNING.has(was.phase);
    if (!isNews || !before?.seat || !this.isWatched(name)) return;
    const { seat, tables } = before;
    const until = this.now() + WAIT_MS;
    this.delayed.set(name, { of, isLanded: false, until, table: tables[name], game: seat.games[name], seat });
  }
}

/**
 * The seat without what the delayed games paid: session result and held wins are those of before. The credit is
 * recomputed, because another game or a note may have changed it meanwhile.
 * @param {Seat} now @param {Seat} before
 */
function unpaid(now, before) {
  const { session, held, holds, messages } = before;
  const brought = resultOf(now) - resultOf(before) - (heldOf(now) - heldOf(before)) - (staked(now) - staked(before));
  // A player who has cashed out meanwhile has no credit left, and no debt.
  return { ...now, session, held, holds, messages, credit: Math.max(0, now.credit - brought) };
}

/** Whether the session of another player has begun. @param {Seat} now @param {Seat} before */
const isNewSession = (now, before) => now.session?.since_us !== before.session?.since_us;

/** @param {Seat} seat */
const resultOf = ({ session }) => session?.net ?? 0;
/** @param {Seat} seat */
const heldOf = ({ held }) => held ?? 0;
/** @param {Seat} seat @returns {number} */
const staked = ({ games }) => Object.values(games).reduce((all, game) => all + (game.staked ?? 0), 0);
/** @param {TableState} table */
const spinOf = ({ round, spin }) => `${round}/${spin}`;
/** @param {TableState} table */
const hasNumber = ({ pocket }) => pocket !== undefined && pocket !== null;

// The round just settled: its stakes are kept until the next round opens, to show which won and which lost.

/**
 * @typedef {Record<string, number>} Stakes
 * @typedef {object} Settled
 * @property {number} round
 * @property {number} spin
 * @property {Stakes} stakes the sealed stakes
 * @property {string | null} pocket the number, once it is valid
 */

/**
 * Keep the sealed stakes of a round, and its number once known; drop them when bets open again.
 * @param {Settled | null} known @param {TableState} table @param {Game} mine the game, as last received
 * @returns {Settled | null}
 */
export function settledAfter(known, table, mine) {
  const pocket = table.pocket ?? null;
  const same = known !== null && known.round === table.round;
  if (mine.sealed === table.round && table.phase !== "between" && !(same && known.pocket !== null)) {
    return { round: table.round, spin: table.spin, stakes: { ...mine.bets }, pocket };
  }
  if (!same) return null;
  // A number may be corrected or invalidated after it was sent.
  return known.pocket === pocket ? known : { ...known, pocket };
}

/**
 * The totals of the winning and of the losing stakes of a round.
 * @param {Stakes} stakes @param {string} pocket @param {Map<string, string[]>} covers numbers by spot
 */
export function stakeTotals(stakes, pocket, covers) {
  let [kept, lost] = [0, 0];
  for (const [spot, stake] of Object.entries(stakes)) {
    if (covers.get(spot)?.includes(pocket)) kept += stake;
    else lost += stake;
  }
  return { kept, lost };
}
