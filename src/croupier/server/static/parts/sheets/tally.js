// The tally: the statistics of a table as the house counts them, fetched anew after each result.

/**
 * @typedef {{count: number, low: number, high: number}} Counted how often it came, and between what it is expected
 * @typedef {Counted & {group: string}} Group
 * @typedef {{table: string, spins: number, pockets: Record<string, Counted>, groups: Group[], hot: string[], cold:
 *   string[]}}
 *   Tally
 */

/** By table: what was last told, and for which numbers it was last asked.
 * @type {Map<string, {of: string, told: Tally | null}>} */
const known = new Map();
/** So long nothing is fetched again that could not be fetched. */
const PATIENCE_MS = 3000;

/** Give the statistics of a table, the last ones until newer have come; then `arrived` is called.
 * @param {string} table @param {{round: number, numbers?: string[]} | undefined} state @param {() => void} arrived
 * @returns {Tally | null} */
export function tally(table, state, arrived) {
  const of = (state?.numbers ?? []).join();
  const kept = known.get(table);
  if (state && kept?.of !== of) {
    const asked = { of, told: kept?.told ?? null };
    known.set(table, asked);
    fetch(new URL(`statistics/${encodeURIComponent(table)}.json`, document.baseURI))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .then((told) => {
        asked.told = told;
        arrived();
      })
      .catch(() => setTimeout(() => forget(table, asked, arrived), PATIENCE_MS));
  }
  return known.get(table)?.told ?? null;
}

/** @param {string} table @param {{of: string, told: Tally | null}} asked @param {() => void} arrived */
function forget(table, asked, arrived) {
  if (known.get(table) !== asked) return;
  asked.of = "?";
  arrived();
}

/** How warm each pocket is, from nothing to one, for the felt.
 * @param {Tally | null} told @returns {Record<string, number> | null} */
export function heatOf(told) {
  if (!told || told.spins === 0) return null;
  const most = Math.max(...Object.values(told.pockets).map(({ count }) => count));
  return Object.fromEntries(Object.entries(told.pockets).map(([pocket, { count }]) => [pocket, count / most]));
}
