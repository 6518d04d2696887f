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
 * @typedef {{message: Message, guess: Guess | null, during: Spin | null}} Wish with the spin in which it was sent
 * @typedef {Record<string, number>} Chips
 * @typedef {import("./types/wire.js").Game & {bets: Chips}} Game a game as known here, always with its stakes
 * @typedef {import("./types/wire.js").ToldSeat | import("./types/wire.js").ToldFloor} Delta
 * @typedef {SeatState & {credit: number, denomination: number, games: Record<string, Game>}} Seat
 * @typedef {Record<string, {tv: number, state: TableState}>} Tables
 *
 * @typedef {object} State
 * @property {"up" | "down" | "lost" | "ended"} line "down" after a loss of connection, "lost" once that has been
 *   reported, "ended" when the server closed it for good
 * @property {boolean} waits no delta is applied before the next snapshot
 * @property {number} epoch the server run that the snapshot came from
 * @property {number} v the version of the last delta applied
 * @property {number} lastCmd every command up to this id is answered
 * @property {Tables} tables by name
 * @property {import("./types/wire.js").Fixture | null} fixture what a terminal offers
 * @property {Seat | null} seat the state of a terminal
 * @property {import("./types/wire.js").FloorState | null} floor the state of the floor, for staff
 * @property {Wish[]} pending requests without a response, the oldest first
 * @property {No[]} said refusals, the newest first
 *
 * @typedef {State & {guessed: Record<string, Record<string, true>>}} View the state to draw
 * @typedef {View & {seat: Seat, fixture: import("./types/wire.js").Fixture}} TerminalView the view of a terminal in use
 */

/** The phases in which bets are taken. */
export const BETTING = new Set(["open", "open_running", "last_call"]);
/** How many refusals are kept. */
const SAID_MOST = 20;

/** Whether a table takes bets, as last received. @param {TableState | null | undefined} table */
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

/**
 * Apply a frame. Returns the new state and the messages to send.
 * @param {State} state @param {import("./types/wire.js").Told} frame @returns {[State, object[]]}
 */
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

/**
 * Record a request before it is sent.
 * @param {State} state @param {Message} message @param {Guess | null} [guess] @returns {State}
 */
export function asked(state, message, guess = null) {
  const table = state.tables[message.command?.table]?.state;
  const during = table ? { table: table.table, round: table.round, spin: table.spin } : null;
  return { ...state, pending: [...state.pending, { message, guess, during }] };
}

/**
 * Set the connection state. After every change only a snapshot gives the current state.
 * @param {State} state @param {string} line @returns {State}
 */
export const lineIs = (state, line) => ({ ...state, line: /** @type {State["line"]} */ (line), waits: true });

/** Whether requests may be sent now. @param {Pick<State, "line" | "waits">} state */
export const isReady = (state) => state.line === "up" && !state.waits;

/**
 * The next request id: above every id used here or answered by the server.
 * @param {State} state @param {number} used
 */
export const nextNumber = (state, used) =>
  Math.max(used, state.lastCmd, ...state.pending.map((wish) => wish.message.id)) + 1;

/**
 * The view to draw: the confirmed state with every pending guess applied, and which spots are only guessed.
 * @param {State} state @returns {View}
 */
export function view(state) {
  /** @type {Record<string, Record<string, true>>} */
  const guessed = {};
  let { seat } = state;
  for (const { guess } of state.pending) {
    if (seat && guess && mayArrive(state) && isMeantNow(state, guess)) seat = replay(seat, guess, guessed);
  }
  return { ...state, seat, guessed };
}

/**
 * Whether pending requests may still be answered: a chip that never reached the server must not look placed.
 * @param {State} state
 */
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

/**
 * After a snapshot: drop the requests it answers, and resend those that are still valid under the same id.
 * @param {State} base @param {boolean} restarted @returns {[State, object[]]}
 */
function resent(base, restarted) {
  const open = restarted ? [] : base.pending.filter(({ message }) => message.id > base.lastCmd);
  const [again, late] = parted(open, (wish) => isGood(base, wish));
  /** @type {No[]} */
  const news = late.map(({ message }) => lateWords(message));
  // After a restart nothing is known of unanswered requests but what the snapshot shows.
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

/**
 * Whether a request is still valid. A player's request names its spin. A staff request is valid for the spin in which
 * it was sent.
 * @param {State} state @param {Wish} wish
 */
function isGood(state, { message, guess, during }) {
  if (state.seat) return isMeantNow(state, guess ?? message.command);
  const table = during && state.tables[during.table]?.state;
  return during === null || (table?.round === during.round && table.spin === during.spin);
}

/**
 * A request about a round is valid for that round and spin only; any other until it is answered.
 * @param {State} state @param {any} about
 */
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

/** A resent request may be refused twice; the player sees it once. @param {State} state @param {No} no */
const isNews = ({ pending, said }, { id = null }) =>
  id === null || pending.some(({ message }) => message.id === id) || !said.some((known) => known.id === id);

/** @param {No[]} said @param {No[]} news @returns {No[]} */
const heard = (said, news) => (news.length === 0 ? said : [...[...news].reverse(), ...said].slice(0, SAID_MOST));

/** @param {Tables} tables @param {number} tv @param {TableState} table @returns {Tables} */
function placed(tables, tv, table) {
  const known = tables[table.table];
  return known && tv <= known.tv ? tables : { ...tables, [table.table]: { tv, state: table } };
}

/** The seat before the first snapshot. @type {Seat} */
const NOBODY = { credit: 0, denomination: 1, games: {} };

/**
 * Apply a delta to a seat: missing fields have not changed.
 * @param {Seat} seat @param {SeatState} set @returns {Seat}
 */
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
  // Never show a negative credit: the response of the server decides.
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
