// Client state: the last server state and the requests not yet answered. Pure.

/**
 * @typedef {import("./types/wire.js").RefusalBody} Refusal
 * @typedef {import("./types/wire.js").SeatState} SeatState
 * @typedef {import("./types/wire.js").TableState} TableState
 */

/**
 * @typedef {{table: string, round: number, spin: number,
 *   add?: Record<string, number>, take?: string[], clear?: boolean}} BetGuess
 * @typedef {{chips: import("../live_table/entry.js").Guess[]}} ChipGuess of chips on the felt of a live table
 * @typedef {BetGuess | ChipGuess} Guess
 * @typedef {{t: string, id: number, epoch: number, command?: Command}} Message
 * @typedef {{table: string, round: number, spin: number}} Spin
 * @typedef {{refusal: Refusal | null, paid: import("./types/console.js").PayoutInstruction | null, position?: number}} Answer
 *   the response to a request, with the position of its first journal entry, where it was done
 * @typedef {{message: Message, guess: Guess | null, during: Spin | null, answered: (answer: Answer) => void}} Request with
 *   the spin in which it was sent, and what its response is passed to
 * @typedef {import("./types/commands.js").TerminalCommand | import("./types/commands.js").StaffCommand} Command
 * @typedef {Record<string, number>} Chips
 * @typedef {import("./types/wire.js").GameView & {bets: Chips}} Game a game as known here, always with its stakes
 * @typedef {import("./types/wire.js").SeatUpdate | import("./types/wire.js").FloorUpdate} Delta
 * @typedef {SeatState & {credit: number, denomination: number, games: Record<string, Game>}} Seat
 * @typedef {Record<string, {tv: number, state: TableState}>} Tables
 * @typedef {import("./types/wire.js").LiveView} LiveView
 *
 * @typedef {object} State
 * @property {"up" | "down" | "lost" | "ended"} connection "down" after a loss of connection, "lost" once that has been
 *   reported, "ended" when the server closed it for good
 * @property {boolean} awaitsSnapshot no delta is applied before the next snapshot
 * @property {number} epoch the server run that the snapshot came from
 * @property {number} v the version of the last delta applied
 * @property {number} lastCmd every command up to this id is answered
 * @property {Tables} tables by name
 * @property {import("./types/wire.js").Fixture | null} fixture what a terminal offers
 * @property {Seat | null} seat the state of a terminal
 * @property {import("./types/wire.js").FloorState | null} floor the state of the floor, for staff
 * @property {LiveView | null} live a live table, for its console
 * @property {import("./types/wire.js").WalkState | null} walk collection and payment of its last round
 * @property {import("./types/wire.js").NoticeState | null} notice the notice at a table
 * @property {Request[]} pending requests without a response, the oldest first
 * @property {Refusal[]} refusals refusals, the newest first
 *
 * @typedef {State & {guessed: Record<string, Record<string, true>>}} View the state to draw
 * @typedef {View & {seat: Seat, fixture: import("./types/wire.js").Fixture}} TerminalView the view of a terminal in use
 */

/** The phases in which bets are taken. */
export const BETTING = new Set(["open", "open_running", "last_call"]);
/** How many refusals are kept. */
const REFUSALS_MOST = 20;

/** Whether a table takes bets, as last received. @param {Pick<TableState, "phase" | "closed"> | null | undefined} table */
export const isOpen = (table) => Boolean(table && !table.closed && BETTING.has(table.phase));

/** @returns {State} */
export const initialState = () => ({
  connection: "down",
  awaitsSnapshot: true,
  epoch: 0,
  v: 0,
  lastCmd: 0,
  tables: {},
  fixture: null,
  seat: null,
  floor: null,
  live: null,
  walk: null,
  notice: null,
  pending: [],
  refusals: [],
});

/**
 * Apply a frame. Returns the new state and the messages to send.
 * @param {State} state @param {import("./types/wire.js").OutboundMessage} frame @returns {[State, object[]]}
 */
export function receive(state, frame) {
  switch (frame.t) {
    case "snap":
      return applySnapshot(state, frame);
    case "seat":
    case "floor":
      return applyDelta(state, frame);
    case "live":
      return applyLive(state, frame);
    case "walk":
      return [{ ...state, walk: frame.state ?? null }, []];
    case "notice_state":
      return [{ ...state, notice: frame.state }, []];
    case "table":
      return [{ ...state, tables: withTable(state.tables, frame.tv, frame.state) }, []];
    case "ack":
      return [withoutAnswered(state, (id) => id === frame.id, frame.refusal ? [frame.refusal] : []), []];
    case "refused":
      return [{ ...state, refusals: withRefusals(state.refusals, [frame.refusal]) }, []];
    default:
      return [state, []];
  }
}

/**
 * Record a request before it is sent.
 * @param {State} state @param {Message} message @param {Guess | null} [guess] @param {Request["answered"]} [answered]
 * @returns {State}
 */
export function addRequest(state, message, guess = null, answered = () => {}) {
  const { command } = message;
  const table = command && "table" in command && command.table ? state.tables[command.table]?.state : undefined;
  const during = table ? { table: table.table, round: table.round, spin: table.spin } : null;
  return { ...state, pending: [...state.pending, { message, guess, during, answered }] };
}

/** @type {Refusal} */
const LINE_LOST = { code: "line_lost", clause: null, says: "The line was lost: look whether this was done." };

/** The response to what was not sent, or will not be answered. @type {Answer} */
export const UNANSWERED = { refusal: LINE_LOST, paid: null };

/**
 * The response to a request that is not pending any more.
 * @param {State} state @param {Request} request @param {import("./types/wire.js").OutboundMessage} frame after which it is not
 * @returns {Answer}
 */
export function answerTo({ refusals, seat }, { message: { id } }, frame) {
  if (frame.t === "ack") {
    return { refusal: frame.refusal ?? null, paid: frame.paid ?? null, position: frame.position ?? undefined };
  }
  const refusal = refusals.find((no) => no.id === id) ?? null;
  // A seat shows what was done; what staff did is not in a snapshot.
  return refusal || seat ? { refusal, paid: null } : UNANSWERED;
}

/**
 * Set the connection state. After every change only a snapshot gives the current state.
 * @param {State} state @param {string} connection @returns {State}
 */
export const setConnection = (state, connection) => ({
  ...state,
  connection: /** @type {State["connection"]} */ (connection),
  awaitsSnapshot: true,
});

/** Add a refusal to the notices. @param {State} state @param {Refusal} no @returns {State} */
export const addRefusal = (state, no) => ({ ...state, refusals: withRefusals(state.refusals, [no]) });

/** Remove refusals from the notices. @param {State} state @param {(no: Refusal) => boolean} isGone @returns {State} */
export const dropRefusals = (state, isGone) => ({
  ...state,
  refusals: state.refusals.filter((no) => !isGone(no)),
});

/** Forget what was shown to, or awaited by, a person who has signed out. @param {State} state @returns {State} */
export const forgetPerson = (state) => ({
  ...state,
  floor: null,
  live: null,
  walk: null,
  awaitsSnapshot: true,
  pending: [],
  refusals: [],
});

/** Whether requests may be sent now. @param {Pick<State, "connection" | "awaitsSnapshot">} state */
export const isReady = (state) => state.connection === "up" && !state.awaitsSnapshot;

/**
 * The next request id: above every id used here or answered by the server.
 * @param {State} state @param {number} used
 */
export const nextId = (state, used) =>
  Math.max(used, state.lastCmd, ...state.pending.map((request) => request.message.id)) + 1;

/**
 * The view to draw: the confirmed state with every pending guess applied, and which spots are only guessed.
 * @param {State} state @returns {View}
 */
export function view(state) {
  /** @type {Record<string, Record<string, true>>} */
  const guessed = {};
  let { seat } = state;
  for (const { guess } of state.pending) {
    if (!seat || !guess || "chips" in guess) continue;
    if (mayBeAnswered(state) && isCurrent(state, guess)) seat = applyGuess(seat, guess, guessed);
  }
  return { ...state, seat, guessed };
}

/**
 * Whether pending requests may still be answered: a chip that never reached the server must not look placed.
 * @param {State} state
 */
const mayBeAnswered = ({ connection }) => connection === "up" || connection === "down";

/** @param {State} state @param {import("./types/wire.js").ViewSnapshot} snap @returns {[State, object[]]} */
function applySnapshot(state, snap) {
  /** @type {Tables} */
  let tables = {};
  for (const [tv, table] of snap.tables) tables = withTable(tables, tv, table);
  /** @type {State} */
  const base = {
    ...state,
    connection: "up",
    awaitsSnapshot: false,
    epoch: snap.epoch,
    v: snap.v,
    lastCmd: snap.last_cmd,
    tables,
    fixture: snap.fixture ?? null,
    seat: snap.seat ? mergeSeat(EMPTY_SEAT, snap.seat) : null,
    floor: snap.floor ?? null,
    live: snap.live ?? null,
    walk: snap.walk ?? null,
    notice: snap.notice ?? null,
  };
  return resendAfterSnapshot(base, state.epoch !== 0 && state.epoch !== snap.epoch);
}

/**
 * After a snapshot: drop the requests it answers, and resend those that are still valid under the same id.
 * @param {State} base @param {boolean} restarted @returns {[State, object[]]}
 */
function resendAfterSnapshot(base, restarted) {
  const open = restarted ? [] : base.pending.filter(({ message }) => message.id > base.lastCmd);
  const [again, late] = partition(open, (request) => isStillValid(base, request));
  /** @type {Refusal[]} */
  const news = late.map(({ message }) => tooLate(message));
  // After a restart nothing is known of unanswered requests but what the snapshot shows.
  if (restarted && base.pending.length > 0) news.push(RESTARTED);
  /** @type {State} */
  const state = { ...base, pending: again, refusals: withRefusals(base.refusals, news) };
  return [state, again.map((request) => request.message)];
}

const RESTARTED = {
  id: null,
  code: "restarted",
  clause: null,
  says: "The system was restarted. What is shown here is what was kept.",
};
/** @param {Message} message */
const tooLate = (message) => ({
  id: message.id,
  code: "too_late",
  clause: null,
  says: "The line was lost and the round has gone on: this was not done.",
});

/**
 * Whether a request is still valid. A player's request names its spin. A staff request is valid for the spin in which
 * it was sent.
 * @param {State} state @param {Request} request
 */
function isStillValid(state, { message, guess, during }) {
  if (state.seat) return isCurrent(state, guess ?? message.command);
  const table = during && state.tables[during.table]?.state;
  return during === null || (table?.round === during.round && table.spin === during.spin);
}

/**
 * A request about a round is valid for that round and spin only; any other until it is answered.
 * @param {State} state @param {any} about
 */
function isCurrent(state, about) {
  if (!about || about.round === undefined || about.round === null) return true;
  const table = state.tables[about.table]?.state;
  return isOpen(table) && table.round === about.round && table.spin === (about.spin ?? table.spin);
}

/** @param {State} state @param {Delta} frame @returns {[State, object[]]} */
function applyDelta(state, frame) {
  if (state.awaitsSnapshot || frame.v <= state.v) return [state, []];
  if (frame.v > state.v + 1) return [{ ...state, awaitsSnapshot: true }, [{ t: "resync" }]];
  const base = { ...state, v: frame.v, lastCmd: frame.last_cmd };
  if (frame.t === "seat") base.seat = mergeSeat(state.seat ?? EMPTY_SEAT, frame.set ?? {});
  else base.floor = mergeFloor(state.floor, frame.set);
  // Staff requests are acknowledged one by one.
  if (frame.t === "floor") return [base, []];
  const refused = frame.refused ?? [];
  const named = new Set(refused.map((no) => no.id));
  return [withoutAnswered(base, (id) => id <= frame.last_cmd || named.has(id), refused), []];
}

/** @param {State} state @param {import("./types/wire.js").LiveUpdate} frame @returns {[State, object[]]} */
function applyLive(state, { table, lv, set }) {
  const { live } = state;
  if (state.awaitsSnapshot || live === null || live.table !== table || lv <= live.lv) return [state, []];
  if (lv > live.lv + 1) return [{ ...state, awaitsSnapshot: true }, [{ t: "resync" }]];
  return [{ ...state, live: { table, lv, state: mergeLive(live.state, set) } }, []];
}

/**
 * Apply a delta to a live table. Of its players it has the rows that have changed; null is a player who has left.
 * @param {import("./types/wire.js").LiveState} live @param {import("./types/wire.js").LiveState} delta
 */
function mergeLive(live, delta) {
  const rows = Object.entries({ ...live.players, ...delta.players });
  return { ...live, ...delta, players: Object.fromEntries(rows.filter(([, row]) => row !== null)) };
}

/**
 * Apply a delta to the floor. Of a table's seats it has the rows that have changed.
 * @param {State["floor"]} floor @param {import("./types/wire.js").FloorState} delta
 */
function mergeFloor(floor, delta) {
  const tables = { ...floor?.tables };
  for (const [name, table] of Object.entries(delta.tables ?? {})) {
    const rows = [...(tables[name]?.seats ?? []), ...table.seats];
    tables[name] = { ...table, seats: [...new Map(rows.map((row) => [row.terminal, row])).values()] };
  }
  return { ...floor, ...delta, tables };
}

/** @param {State} state @param {(id: number) => boolean} isAnswered @param {Refusal[]} refused @returns {State} */
const withoutAnswered = (state, isAnswered, refused) => ({
  ...state,
  pending: state.pending.filter(({ message }) => !isAnswered(message.id)),
  refusals: withRefusals(
    state.refusals,
    refused.filter((no) => isNews(state, no)),
  ),
});

/** A resent request may be refused twice; the player sees it once. @param {State} state @param {Refusal} no */
const isNews = ({ pending, refusals }, { id = null }) =>
  id === null || pending.some(({ message }) => message.id === id) || !refusals.some((known) => known.id === id);

/** @param {Refusal[]} refusals @param {Refusal[]} news @returns {Refusal[]} */
const withRefusals = (refusals, news) =>
  news.length === 0 ? refusals : [...[...news].reverse(), ...refusals].slice(0, REFUSALS_MOST);

/** @param {Tables} tables @param {number} tv @param {TableState} table @returns {Tables} */
function withTable(tables, tv, table) {
  const known = tables[table.table];
  return known && tv <= known.tv ? tables : { ...tables, [table.table]: { tv, state: table } };
}

/** The seat before the first snapshot. @type {Seat} */
const EMPTY_SEAT = { credit: 0, denomination: 1, games: {} };

/**
 * Apply a delta to a seat: missing fields have not changed.
 * @param {Seat} seat @param {SeatState} set @returns {Seat}
 */
function mergeSeat(seat, set) {
  const games = { ...seat.games };
  for (const [table, delta] of Object.entries(set.games ?? {})) {
    games[table] = mergeGame(games[table] ?? { bets: {} }, delta);
  }
  return { ...seat, ...set, games };
}

/** @param {Game} game @param {import("./types/wire.js").GameView} delta @returns {Game} */
function mergeGame(game, { bets, stakes, ...rest }) {
  const placed = { ...(bets ?? game.bets) };
  for (const [spot, stake] of Object.entries(/** @type {Chips} */ (stakes ?? {}))) {
    if (stake > 0) placed[spot] = stake;
    else delete placed[spot];
  }
  return { ...game, ...rest, bets: placed };
}

/** @param {Seat} seat @param {BetGuess} guess @param {Record<string, Record<string, true>>} guessed @returns {Seat} */
function applyGuess(seat, guess, guessed) {
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
function partition(all, test) {
  /** @type {T[]} */
  const yes = [];
  /** @type {T[]} */
  const no = [];
  for (const one of all) (test(one) ? yes : no).push(one);
  return [yes, no];
}
