// The log: what this terminal was told and refused during a visit, with the time it was seen. Pure.

/**
 * @typedef {{key: string, at: number | null, kind: "message" | "refusal" | "notice", words?: string, no?: any,
 *   clause?: string | null, table?: string}} Entry
 * @typedef {{entries: Entry[], seen: Set<unknown>, begun: boolean, count: number}} Log the newest entry first
 */

/** So many are kept. */
const KEPT_MOST = 60;

/** @returns {Log} */
export const begunLog = () => ({ entries: [], seen: new Set(), begun: false, count: 0 });

/** Take down what is new in a view, and give the log. What was there at the first look has no time.
 * @param {Log} log @param {any} view @param {number | null} now the house's time */
export function noted(log, view, now) {
  if (!view.seat) return log;
  const at = log.begun ? now : null;
  const there = [...refusals(view), ...notices(view), ...messages(view)];
  const told = there.filter(({ mark }) => !log.seen.has(mark));
  log.begun = true;
  // What is not there any more comes back only as something new.
  log.seen = new Set(there.map(({ mark }) => mark));
  for (const { mark, ...entry } of told.reverse()) {
    log.count += 1;
    log.entries.unshift({ key: String(log.count), at, ...entry });
  }
  log.entries.length = Math.min(log.entries.length, KEPT_MOST);
  return log;
}

/**
 * @typedef {{mark: unknown, kind: "message" | "refusal" | "notice", words?: string, no?: any, clause?: string | null,
 *   table?: string}} New
 */

/** @param {any} view @returns {New[]} */
const refusals = ({ said }) =>
  said.map((/** @type {any} */ no) => ({ mark: no, kind: "refusal", no, clause: no.clause }));

/** @param {any} view @returns {New[]} */
function notices({ tables }) {
  const told = Object.values(tables).filter(({ state }) => state.notice);
  return told.map(({ state: { table, notice } }) => ({
    mark: `${table} ${notice.round} ${notice.reason} ${notice.says}`,
    kind: "notice",
    words: notice.says,
    clause: notice.clause,
    table,
  }));
}

/** The same words twice are two messages. @param {any} view @returns {New[]} */
function messages({ seat }) {
  const counts = new Map();
  return [...(seat.messages ?? [])]
    .map((words) => {
      counts.set(words, (counts.get(words) ?? 0) + 1);
      return { mark: `${counts.get(words)} ${words}`, kind: /** @type {const} */ ("message"), words };
    })
    .reverse();
}
