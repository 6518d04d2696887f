// Felt specs, fetched once by their hash.

/**
 * @typedef {import("./types/wire.js").Cloth & {hash: string, colours: Map<string, import("./types/wire.js").Colour>,
 *   named: Map<string, import("./types/wire.js").SpotPlace>, covers: Map<string, string[]>}} Felt
 *   a felt spec with its pocket colours, its spots by key, and the numbers that each spot covers
 */

/** @type {Map<string, Felt | null>} */
const known = new Map();
/** How long to wait before a failed fetch is tried again. */
const PATIENCE_MS = 3000;

/**
 * The felt of a hash, or null until it is fetched; then `arrived` is called.
 * @param {string} hash @param {() => void} arrived @returns {Felt | null}
 */
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

/** Add a felt to the cache. @param {string} hash @param {import("./types/wire.js").Cloth} data */
export function keep(hash, data) {
  known.set(hash, {
    ...data,
    hash,
    colours: new Map(data.wheel.map(({ pocket, colour }) => [pocket, colour])),
    named: new Map(data.spots.map((spot) => [spot.key, spot])),
    covers: new Map(data.spots.map(({ key, covers }) => [key, covers])),
  });
}
