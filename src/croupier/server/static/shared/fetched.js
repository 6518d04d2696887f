// Data of the server by address: fetched once for each version of it, and again after a failure.

/**
 * @typedef {import("./types/wire.js").NumberStatistics} NumberStatistics
 */

/** By address: the last response, and the version it was requested for. @type {Map<string, {of: string, data: any}>} */
const known = new Map();
/** How long to wait before a failed fetch is tried again. */
const PATIENCE_MS = 3000;
/** How long the statistics of a table wait, so that they do not compete with the start of the page. */
const STATISTICS_AFTER_MS = 1500;

/**
 * The data at an address, the last until its version has arrived, or null; then `arrived` is called.
 * @param {string} address @param {string} version @param {() => void} arrived
 * @param {{build?: (data: any) => unknown, afterMs?: number}} [options] what is kept of a response, and how long the
 *   first request waits
 * @returns {any}
 */
export function fetched(address, version, arrived, { build = (data) => data, afterMs = 0 } = {}) {
  const kept = known.get(address);
  if (kept?.of !== version) {
    const now = { of: version, data: kept?.data ?? null };
    known.set(address, now);
    const begin = () =>
      fetch(new URL(address, document.baseURI))
        .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
        .then((data) => ((now.data = build(data)), arrived()))
        .catch(() => setTimeout(() => ((now.of = ""), arrived()), PATIENCE_MS));
    if (kept || afterMs === 0) void begin();
    else setTimeout(begin, afterMs);
  }
  return known.get(address)?.data ?? null;
}

/** Add a response that came with the page. @param {string} address @param {string} version @param {any} data */
export const addResponse = (address, version, data) => void known.set(address, { of: version, data });

/**
 * The statistics of a table as the server counts them, fetched after each number.
 * @param {{table: string, numbers?: string[]}} table @param {() => void} arrived @returns {NumberStatistics | null}
 */
export const statisticsOf = ({ table, numbers = [] }, arrived) =>
  fetched(`statistics/${encodeURIComponent(table)}.json`, `of ${numbers.join()}`, arrived, {
    afterMs: STATISTICS_AFTER_MS,
  });
