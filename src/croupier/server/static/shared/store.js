// Client state: the last server state and the requests not yet answered. Pure.

/**
 * @typedef {import("./types/wire.js").No} No
 * @typedef {import("./types/wire.js").SeatState} SeatState
 * @typedef {import("./types/wire.js").TableState} TableState
 */

/**
 * @typedef {{table: string, round: number, spin: number,
 *   add?: Record<string, number>, take?: string[], clear?: boolean}} Guess
 * @typedef {{t: string, id: number, epoch: number, command?: any}} Message
 * @typedef {{table: string, round: number, spin: number}} Spin
 * @typedef {{message: Message, guess: Guess | null, during: Spin | null}} Wish and the spin in which it was asked
 * @typedef {Record<string, number>} Chips
 * @typedef {import("./types/wire.js").Game & {bets: Chips}} Game a game as it is known here, always with its chips
 * @typedef {import("./types/wire.js").ToldSeat | import("./types/wire.js").ToldFloor} Delta
 * @typedef {SeatState & {credit: number, denomination: number, games: Record<string, Game>}} Seat
 * @typedef {Record<string, {tv: number, state: TableState}>} Tables
 *
 * @typedef {object} State
 * @property {"up" | "down" | "lost" | "ended"} line up while the house hears us; lost once it was missed for long
 *   enough to be said, ended for good
 * @property {boolean} waits for a snapshot: no delta counts before it
 * @property {number} epoch the run of the house that the snapshot came from
 * @property {number} v the last delta that was taken
 * @property {number} lastCmd every command up to it is answered
 * @property {Tables} tables by name
 * @property {import("./types/wire.js").Fixture | null} fixture what a terminal offers
 * @property {Seat | null} seat what a terminal shows of itself
 * @property {import("./types/wire.js").FloorState | null} floor what staff see
 * @property {Wish[]} pending wishes without an answer, the oldest first
 * @property {No[]} said refusals, the newest first
 */

/** The phases in which chips are laid. */
export const BETTING = new Set(["open", "open_running", "last_call"]);
/** How many refusals are kept to be read. */
const SAID_MOST = 20;

/** Whether chips may be laid at a table as it was last told.
 * @param {TableState | null | undefined} table */
export const isOpen = (table) => Boolean(table && !table.closed && BETTING.has(table.phase));

/** @returns {State} */
export const begun = () => ({
  line: "down",
  waits: true,
  epoch: 0,
  v: 0,
  lastCmd: 0,
  tables: {},
  fixture: null,
  seat: null,
  floor: null,
  pending: [],
  said: [],
});

/** Take in a frame. Gives the new state and what is to be sent because of it.
 * @param {State} state @param {import("./types/wire.js").Told} frame @returns {[State, object[]]} */
export function told(state, frame) {
  switch (frame.t) {
    case "snap":
      return snapped(state, frame);
    case "seat":
    case "floor":
      return moved(state, frame);
    case "table":
      return [{ ...state, tables: placed(state.tables, frame.tv, frame.state) }, []];
    case "ack":
      return [answered(state, (id) => id === frame.id, frame.refusal ? [frame.refusal] : []), []];
    case "refused":
      return [{ ...state, said: heard(state.said, [frame.refusal]) }, []];
    default:
      return [state, []];
  }
}

/** Note a wish before it is sent.
 * @param {State} state @param {Message} message @param {Guess | null} [guess] @returns {State} */
export function asked(state, message, guess = null) {
  const table = state.tables[message.command?.table]?.state;
  const during = table ? { table: table.table, round: table.round, spin: table.spin } : null;
  return { ...state, pending: [...state.pending, { message, guess, during }] };
}

/** The line is up, down, lost or ended. Whenever it comes or goes, only a snapshot says what there is.
 * @param {State} state @param {string} line @returns {State} */
export const lineIs = (state, line) => ({ ...state, line: /** @type {State["line"]} */ (line), waits: true });

/** Whether something may be asked for now. @param {Pick<State, "line" | "waits">} state */
export const isReady = (state) => state.line === "up" && !state.waits;

/** The next number for a command: above every one that was ever used here or answered there.
 * @param {State} state @param {number} used */
export const nextNumber = (state, used) =>
  Math.max(used, state.lastCmd, ...state.pending.map((wish) => wish.message.id)) + 1;

/** What is to be shown: the base with every unanswered wish replayed on it, and which spots are only guessed at.
 * @param {State} state @returns {State & {guessed: Record<string, Record<string, true>>}} */
export function view(state) {
  /** @type {Record<string, Record<string, true>>} */
  const guessed = {};
  let { seat } = state;
  for (const { guess } of state.pending) {
    if (seat && guess && mayArrive(state) && isMeantNow(state, guess)) seat = replay(seat, guess, guessed);
  }
  return { ...state, seat, guessed };
}

/** Whether what was asked may still be answered: a chip that the house never got must not look as if it lay there.
 * @param {State} state */
const mayArrive = ({ line }) => line === "up" || line === "down";

/** @param {State} state @param {import("./types/wire.js").ToldSnap} snap @returns {[State, object[]]} */
function snapped(state, snap) {
  /** @type {Tables} */
  let tables = {};
  for (const [tv, table] of snap.tables) tables = placed(tables, tv, table);
  /** @type {State} */
  const base = {
    ...state,
    line: "up",
    waits: false,
    epoch: snap.epoch,
    v: snap.v,
    lastCmd: snap.last_cmd,
    tables,
    fixture: snap.fixture ?? null,
    seat: snap.seat ? merged(NOBODY, snap.seat) : null,
    floor: snap.floor ?? null,
  };
  return resent(base, state.epoch !== 0 && state.epoch !== snap.epoch);
}

/** After a new snapshot: what it answers is done with; what still makes sense is sent again under the same key.
 * @param {State} base @param {boolean} restarted @returns {[State, object[]]} */
function resent(base, restarted) {
  const open = restarted ? [] : base.pending.filter(({ message }) => message.id > base.lastCmd);
  const [again, late] = parted(open, (wish) => isGood(base, wish));
  /** @type {No[]} */
  const news = late.map(({ message }) => lateWords(message));
  // Of what a house that is gone had not answered nothing is known but what the snapshot shows.
  if (restarted && base.pending.length > 0) news.push(RESTARTED);
  const state = { ...base, pending: again, said: heard(base.said, news) };
  return [state, again.map((wish) => wish.message)];
}

const RESTARTED = {
  id: null,
  code: "restarted",
  clause: null,
  says: "The system was restarted. What is shown here is what was kept.",
};
/** @param {Message} message */
const lateWords = (message) => ({
  id: message.id,
  code: "too_late",
  clause: null,
  says: "The line was lost and the round has gone on: this was not done.",
});

/** Whether a wish still makes sense. A player's says itself for which spin it is. Staff close and open whatever round
 * there is, and correct a past one: what they ask for is good for the spin that was on when they did.
 * @param {State} state @param {Wish} wish */
function isGood(state, { message, guess, during }) {
  if (state.seat) return isMeantNow(state, guess ?? message.command);
  const table = during && state.tables[during.table]?.state;
  return during === null || (table?.round === during.round && table.spin === during.spin);
}

/** A wish about a round is good for that round and spin alone; any other for as long as it is unanswered.
 * @param {State} state @param {any} about */
function isMeantNow(state, about) {
  if (!about || about.round === undefined || about.round === null) return true;
  const table = state.tables[about.table]?.state;
  return isOpen(table) && table.round === about.round && table.spin === (about.spin ?? table.spin);
}

/** @param {State} state @param {Delta} frame @returns {[State, object[]]} */
function moved(state, frame) {
  if (state.waits || frame.v <= state.v) return [state, []];
  if (frame.v > state.v + 1) return [{ ...state, waits: true }, [{ t: "resync" }]];
  const base = { ...state, v: frame.v, lastCmd: frame.last_cmd };
  if (frame.t === "seat") base.seat = merged(state.seat ?? NOBODY, frame.set ?? {});
  else base.floor = { ...state.floor, ...frame.set, tables: { ...state.floor?.tables, ...frame.set.tables } };
  const refused = frame.t === "seat" ? (frame.refused ?? []) : [];
  const named = new Set(refused.map((no) => no.id));
  return [answered(base, (id) => id <= frame.last_cmd || named.has(id), refused), []];
}

/** @param {State} state @param {(id: number) => boolean} isAnswered @param {No[]} refused @returns {State} */
const answered = (state, isAnswered, refused) => ({
  ...state,
  pending: state.pending.filter(({ message }) => !isAnswered(message.id)),
  said: heard(
    state.said,
    refused.filter((no) => isNews(state, no)),
  ),
});

/** A wish that was sent again may be refused twice, and its player is told once.
 * @param {State} state @param {No} no */
const isNews = ({ pending, said }, { id = null }) =>
  id === null || pending.some(({ message }) => message.id === id) || !said.some((known) => known.id === id);

/** @param {No[]} said @param {No[]} news @returns {No[]} */
const heard = (said, news) => (news.length === 0 ? said : [...[...news].reverse(), ...said].slice(0, SAID_MOST));

/** @param {Tables} tables @param {number} tv @param {TableState} table @returns {Tables} */
function placed(tables, tv, table) {
  const known = tables[table.table];
  return known && tv <= known.tv ? tables : { ...tables, [table.table]: { tv, state: table } };
}

/** What there is before the house has said anything. @type {Seat} */
const NOBODY = { credit: 0, denomination: 1, games: {} };

/** Lay a delta over a seat: what is missing has not changed.
 * @param {Seat} seat @param {SeatState} set @returns {Seat} */
function merged(seat, set) {
  const games = { ...seat.games };
  for (const [table, delta] of Object.entries(set.games ?? {}))
    games[table] = mergedGame(games[table] ?? { bets: {} }, delta);
  return { ...seat, ...set, games };
}

/** @param {Game} game @param {import("./types/wire.js").Game} delta @returns {Game} */
function mergedGame(game, { bets, stakes, ...rest }) {
  const lying = { ...(bets ?? game.bets) };
  for (const [spot, stake] of Object.entries(/** @type {Chips} */ (stakes ?? {}))) {
    if (stake > 0) lying[spot] = stake;
    else delete lying[spot];
  }
  return { ...game, ...rest, bets: lying };
}

/** @param {Seat} seat @param {Guess} guess @param {Record<string, Record<string, true>>} guessed @returns {Seat} */
function replay(seat, guess, guessed) {
  const game = seat.games[guess.table];
  if (!game) return seat;
  /** @type {Chips} */
  const bets = guess.clear ? {} : { ...game.bets };
  for (const spot of guess.take ?? []) delete bets[spot];
  for (const [spot, amount] of Object.entries(guess.add ?? {})) bets[spot] = (bets[spot] ?? 0) + amount;
  const staked = sum(bets);
  const credit = seat.credit - staked + sum(game.bets);
  // Nobody is shown a debt: what the credits do not cover is left to the house's answer.
  if (credit < 0) return seat;
  const marks = (guessed[guess.table] ??= {});
  for (const spot of new Set([...Object.keys(bets), ...Object.keys(game.bets)])) {
    if (bets[spot] !== game.bets[spot]) marks[spot] = true;
  }
  return { ...seat, credit, games: { ...seat.games, [guess.table]: { ...game, bets, staked } } };
}

/** @param {Chips} bets */
const sum = (bets) => Object.values(bets).reduce((all, stake) => all + stake, 0);

/** @template T @param {T[]} all @param {(one: T) => boolean} test @returns {[T[], T[]]} */
function parted(all, test) {
  /** @type {T[]} */
  const yes = [];
  /** @type {T[]} */
  const no = [];
  for (const one of all) (test(one) ? yes : no).push(one);
  return [yes, no];
}
