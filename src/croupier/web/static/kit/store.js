// The store: what the house last said, and what was asked since and is not answered yet. Pure: no DOM, clock or line.
// It knows no odds and no limits. What it shows of an unanswered wish is the guess that came with it, until the answer.

/**
 * @typedef {{table: string, round: number, spin: number,
 *   add?: Record<string, number>, take?: string[], clear?: boolean}} Guess
 * @typedef {{message: {t: string, id: number, epoch: number, command?: any}, guess: Guess | null}} Wish
 */

const OPEN = new Set(["open", "open_running", "last_call"]);
/** How many refusals are kept to be read. */
const SAID_MOST = 20;

/** Whether chips may be laid at a table as it was last told. */
export const isOpen = (table) => Boolean(table) && !table.closed && OPEN.has(table.phase);

export const begun = () => ({
  line: "down", // "up" while the house hears us, "lost" once it was missed for long enough to be said, "ended" for good
  waits: true, // for a snapshot: no delta counts before it
  epoch: 0, // the run of the house that the snapshot came from
  v: 0, // the last delta that was taken
  lastCmd: 0, // every command up to it is answered
  tables: {}, // by name: {tv, state}
  fixture: null,
  seat: null,
  floor: null,
  pending: [], // wishes without an answer, the oldest first
  said: [], // refusals, the newest first: {id, code, clause, says, facts}
});

/** Take in a frame. Gives the new state and what is to be sent because of it. */
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

/** Note a wish before it is sent. */
export const asked = (state, message, guess = null) => ({ ...state, pending: [...state.pending, { message, guess }] });

/** The line is up, down, lost or ended. Whenever it comes or goes, only a snapshot says what there is. */
export const lineIs = (state, line) => ({ ...state, line, waits: true });

/** Whether something may be asked for now. */
export const isReady = (state) => state.line === "up" && !state.waits;

/** The next number for a command: above every one that was ever used here or answered there. */
export const nextNumber = (state, used) =>
  Math.max(used, state.lastCmd, ...state.pending.map((wish) => wish.message.id)) + 1;

/** What is to be shown: the base with every unanswered wish replayed on it, and which spots are only guessed at. */
export function view(state) {
  const guessed = {};
  let { seat } = state;
  for (const { guess } of state.pending) {
    if (seat && guess && state.line !== "lost" && isMeantNow(state, guess)) seat = replay(seat, guess, guessed);
  }
  return { ...state, seat, guessed };
}

function snapped(state, snap) {
  let tables = {};
  for (const [tv, table] of snap.tables) tables = placed(tables, tv, table);
  const base = {
    ...state,
    line: "up",
    waits: false,
    epoch: snap.epoch,
    v: snap.v,
    lastCmd: snap.last_cmd,
    tables,
    fixture: snap.fixture ?? null,
    seat: snap.seat ? merged({ games: {} }, snap.seat) : null,
    floor: snap.floor ?? null,
  };
  return resent(base, state.epoch !== 0 && state.epoch !== snap.epoch);
}

/** After a new snapshot: what it answers is done with; what still makes sense is sent again under the same key. */
function resent(base, restarted) {
  const open = restarted ? [] : base.pending.filter(({ message }) => message.id > base.lastCmd);
  const [again, late] = parted(open, ({ guess, message }) => isMeantNow(base, guess ?? message.command));
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
const lateWords = (message) => ({
  id: message.id,
  code: "too_late",
  clause: null,
  says: "The line was lost and the round has gone on: this was not placed.",
});

/** A wish about a round is good for that round and spin alone; any other for as long as it is unanswered. */
function isMeantNow(state, about) {
  if (!about || about.round === undefined || about.round === null) return true;
  const table = state.tables[about.table]?.state;
  return isOpen(table) && table.round === about.round && table.spin === (about.spin ?? table.spin);
}

function moved(state, frame) {
  if (state.waits || frame.v <= state.v) return [state, []];
  if (frame.v > state.v + 1) return [{ ...state, waits: true }, [{ t: "resync" }]];
  const set = frame.set ?? {};
  const base = { ...state, v: frame.v, lastCmd: frame.last_cmd };
  if (frame.t === "seat") base.seat = merged(state.seat ?? { games: {} }, set);
  else base.floor = { ...state.floor, ...set, tables: { ...state.floor?.tables, ...set.tables } };
  const refused = frame.refused ?? [];
  const named = new Set(refused.map((no) => no.id));
  return [answered(base, (id) => id <= frame.last_cmd || named.has(id), refused), []];
}

const answered = (state, isAnswered, refused) => ({
  ...state,
  pending: state.pending.filter(({ message }) => !isAnswered(message.id)),
  said: heard(state.said, refused),
});

const heard = (said, news) => (news.length === 0 ? said : [...[...news].reverse(), ...said].slice(0, SAID_MOST));

function placed(tables, tv, table) {
  const known = tables[table.table];
  return known && tv <= known.tv ? tables : { ...tables, [table.table]: { tv, state: table } };
}

/** Lay a delta over a seat: what is missing has not changed. */
function merged(seat, set) {
  const games = { ...seat.games };
  for (const [table, delta] of Object.entries(set.games ?? {}))
    games[table] = mergedGame(games[table] ?? { bets: {} }, delta);
  return { ...seat, ...set, games };
}

function mergedGame(game, { bets, stakes, ...rest }) {
  const lying = { ...(bets ?? game.bets) };
  for (const [spot, stake] of Object.entries(stakes ?? {})) {
    if (stake > 0) lying[spot] = stake;
    else delete lying[spot];
  }
  return { ...game, ...rest, bets: lying };
}

function replay(seat, guess, guessed) {
  const game = seat.games[guess.table];
  if (!game) return seat;
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

const sum = (bets) => Object.values(bets).reduce((all, stake) => all + stake, 0);

function parted(all, test) {
  const yes = [];
  const no = [];
  for (const one of all) (test(one) ? yes : no).push(one);
  return [yes, no];
}
