// Felt specs, fetched once by their hash.

/**
 * @typedef {import("./types/wire.js").Cloth & {hash: string, colours: Map<string, import("./types/wire.js").Colour>,
 *   named: Map<string, import("./types/wire.js").SpotPlace>, covers: Map<string, string[]>}} Felt
 *   a felt as it is fetched, with the colours of its pockets, its spots by their keys, and the numbers that each covers
 */

/** @type {Map<string, Felt | null>} */
const known = new Map();
/** So long nothing is fetched again that could not be fetched. */
const PATIENCE_MS = 3000;

/** Give a felt by its hash, or null until it has come; then `arrived` is called.
 * @param {string} hash @param {() => void} arrived @returns {Felt | null} */
export function felt(hash, arrived) {
  if (!known.has(hash)) {
    known.set(hash, null);
    fetch(new URL(`felt/${hash}.json`, document.baseURI))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .then((data) => keep(hash, data))
      .then(arrived, () => setTimeout(() => known.delete(hash) && arrived(), PATIENCE_MS));
  }
  return known.get(hash) ?? null;
}

/** Keep a felt that is at hand. @param {string} hash @param {import("./types/wire.js").Cloth} data */
export function keep(hash, data) {
  known.set(hash, {
    ...data,
    hash,
    colours: new Map(data.wheel.map(({ pocket, colour }) => [pocket, colour])),
    named: new Map(data.spots.map((spot) => [spot.key, spot])),
    covers: new Map(data.spots.map(({ key, covers }) => [key, covers])),
  });
}

/** The colour behind a number of a table's wheel, or nothing until its felt has come.
 * @param {any} table @param {string} pocket @param {() => void} arrived @returns {string} */
const colourAt = (table, pocket, arrived) => felt(table.felt, arrived)?.colours.get(pocket) ?? "";
