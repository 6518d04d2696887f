// The messages and refusals of this visit.

import { openDialog } from "../../shared/dialog.js";
import { button, each, el, shown } from "../../shared/dom.js";
import { amount } from "../../shared/money.js";
import { refusalText, say } from "../../shared/text.js";
import { openRules } from "./rules.js";
import { clockOf } from "./slip.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("../../shared/store.js").Seat} Seat
 */

/** @param {Controller} ui @param {Log} log */
export function openMessages(ui, log) {
  const list = el("ol", { class: "log" });
  const none = el("p", { class: "quiet" }, say("messages.none"));
  const update = () => {
    shown(none, log.entries.length === 0);
    each(
      list,
      log.entries,
      (entry) => entry.key,
      (entry) => row(ui, entry),
    );
  };
  openDialog({ name: "messages", title: say("messages.title"), body: [none, list], update });
  update();
}

/** @param {Controller} ui @param {Entry} entry */
function row(ui, { at, kind, words: noticed, no, clause, table }) {
  // With two games the table is named.
  const words = table && noticed && ui.tables().length > 1 ? say("notice.of", { table, says: noticed }) : noticed;
  const says = no ? el("p", {}, refusalText(no, amount)) : el("p", { lang: "en", dir: "ltr" }, words ?? "");
  return el(
    "li",
    { "data-kind": kind },
    el("p", { class: "when" }, el("b", {}, say(KINDS[kind])), at === null ? null : el("time", {}, clockOf(at))),
    says,
    clause ? button(say("clause", { clause }), () => openRules(ui, clause), { class: "clause" }) : null,
  );
}

const KINDS = { message: "messages.message", refusal: "messages.refusal", notice: "messages.notice" };

// The log: messages, notices and refusals of this visit, with the time they were seen.

/**
 * @typedef {{key: string, at: number | null, kind: "message" | "refusal" | "notice", words?: string, no?: Refusal,
 *   clause?: string | null, table?: string}} Entry
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
  for (const { mark, ...entry } of noticed.reverse()) {
    log.count += 1;
    log.entries.unshift({ key: String(log.count), at, ...entry });
  }
  log.entries.length = Math.min(log.entries.length, KEPT_MOST);
  return log;
}

/**
 * @typedef {{mark: unknown, kind: "message" | "refusal" | "notice", words?: string, no?: Refusal, clause?: string | null,
 *   table?: string}} New
 */

/** @param {TerminalView} view @returns {New[]} */
const refusals = ({ refusals }) => refusals.map((no) => ({ mark: no, kind: "refusal", no, clause: no.clause }));

/** @param {TerminalView} view @returns {New[]} */
function notices({ tables }) {
  return Object.values(tables).flatMap(({ state: { table, notice } }) =>
    notice
      ? {
          mark: `${table} ${notice.round} ${notice.reason} ${notice.says}`,
          kind: "notice",
          words: notice.says,
          clause: notice.clause,
          table,
        }
      : [],
  );
}

/** The same text twice is two messages. @param {TerminalView} view @returns {New[]} */
function messages({ seat }) {
  const counts = new Map();
  return [...(seat.messages ?? [])]
    .map((words) => {
      counts.set(words, (counts.get(words) ?? 0) + 1);
      return { mark: `${counts.get(words)} ${words}`, kind: /** @type {const} */ ("message"), words };
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
