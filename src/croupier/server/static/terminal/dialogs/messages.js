// The messages and refusals of this visit, and its slips.

/**
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("../../shared/store.js").Seat} Seat
 */

// The log: messages, notices and refusals of this visit, with the time they were seen.

/**
 * @typedef {import("../../shared/types/wire.js").Notice} Notice
 * @typedef {import("../../shared/types/wire.js").MessageView} MessageView
 * @typedef {{kind: "message" | "refusal" | "notice", no?: Refusal, notice?: Notice, message?: MessageView,
 *   clause?: string | null, table?: string}} Content
 * @typedef {Content & {key: string, at: number | null}} Entry
 * @typedef {{entries: Entry[], seen: Set<unknown>, begun: boolean, count: number}} Log the newest entry first
 */

/** How many entries are kept. */
const KEPT_MOST = 60;

/** @returns {Log} */
export const newLog = () => ({ entries: [], seen: new Set(), begun: false, count: 0 });

/**
 * Add what is new in a view. Entries present at the first view have no time.
 * @param {Log} log @param {TerminalView} view @param {number | null} now server time
 */
export function addNews(log, view, now) {
  if (!view.seat) return log;
  const at = log.begun ? now : null;
  const there = [...refusals(view), ...notices(view), ...messages(view)];
  const noticed = there.filter(({ mark }) => !log.seen.has(mark));
  log.begun = true;
  // An entry that disappears and returns is a new one.
  log.seen = new Set(there.map(({ mark }) => mark));
  for (const { mark: _, ...entry } of noticed.reverse()) {
    log.count += 1;
    log.entries.unshift({ key: String(log.count), at, ...entry });
  }
  log.entries.length = Math.min(log.entries.length, KEPT_MOST);
  return log;
}

/** @typedef {Content & {mark: unknown}} New */

/** @param {TerminalView} view @returns {New[]} */
const refusals = ({ refusals }) => refusals.map((no) => ({ mark: no, kind: "refusal", no, clause: no.clause }));

/** @param {TerminalView} view @returns {New[]} */
function notices({ tables }) {
  return Object.values(tables).flatMap(({ state: { table, notice } }) =>
    notice
      ? {
        mark: `${table} ${notice.round} ${notice.kind} ${notice.reason}`,
        kind: "notice",
        notice,
        clause: notice.clause,
        table,
      }
      : []
  );
}

/** The same text twice is two messages. @param {TerminalView} view @returns {New[]} */
function messages({ seat }) {
  const counts = new Map();
  return [...(seat.messages ?? [])]
    .map((message) => {
      const words = JSON.stringify(message);
      counts.set(words, (counts.get(words) ?? 0) + 1);
      const mark = `${counts.get(words)} ${words}`;
      return { mark, kind: /** @type {const} */ ("message"), message, clause: message.clause };
    })
    .reverse();
}

// The visit: what is kept for the current player. A visit ends with the last credits: slips are listed until money is
// inserted again.

/**
 * @typedef {object} Slip as the server sends it to the printer of this terminal
 * @property {number} sequence
 * @property {string} form
 * @property {string} number
 * @property {number} amount
 * @property {string} currency
 * @property {number} issued_at_us
 * @property {string} venue
 * @property {string} terminal
 * @property {number} [duplicate]
 *
 * @typedef {{sequence: number, form: string, ending: string, amount: number, currency: string, at: number}} KeptSlip a
 *   slip without its number, which is enough to be paid
 * @typedef {{slips: KeptSlip[], empty: boolean}} Visit
 */

/** @returns {Visit} */
export const newVisit = () => ({ slips: [], empty: false });

/** Whether nothing of the player is left here: no credit, no stakes, no held win. @param {Seat} seat */
const isEmpty = (seat) => seat.credit === 0 && !seat.held && Object.values(seat.games).every((game) => !game.staked);

/**
 * The first money after an empty seat begins a new visit.
 * @param {Visit} visit @param {Seat} seat
 * @returns {boolean} whether it has
 */
export function updateVisit(visit, seat) {
  const empty = isEmpty(seat);
  const begins = visit.empty && !empty;
  visit.empty = empty;
  if (begins) visit.slips = [];
  return begins;
}

/** Keep the part of a slip that may be shown later. @param {Visit} visit @param {Slip} slip */
export function addSlip(visit, { sequence, form, number, amount, currency, issued_at_us: at }) {
  if (visit.slips.some((one) => one.sequence === sequence)) return;
  visit.slips.unshift({ sequence, form, ending: number.slice(-4), amount, currency, at });
}
