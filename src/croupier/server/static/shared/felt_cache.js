// Felt specs, fetched once by their hash.

/**
 * @typedef {import("./types/wire.js").FeltSpec & {hash: string, colours: Map<string, import("./types/wire.js").Colour>,
 *   spotsByKey: Map<string, import("./types/wire.js").SpotPlace>, covers: Map<string, string[]>}} Felt
 *   a felt spec with its pocket colours, its spots by key, and the numbers that each spot covers
 */

/** @type {Map<string, Felt | null>} */
const felts = new Map();
/** How long to wait before a failed fetch is tried again. */
const PATIENCE_MS = 3000;

/**
 * The felt of a hash, or null until it is fetched; then `arrived` is called.
 * @param {string} hash @param {() => void} arrived @returns {Felt | null}
 */
export function fetchFelt(hash, arrived) {
  if (!felts.has(hash)) {
    felts.set(hash, null);
    fetch(new URL(`felt/${hash}.json`, document.baseURI))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .then((data) => addFelt(hash, data))
      .then(arrived, () => setTimeout(() => felts.delete(hash) && arrived(), PATIENCE_MS));
  }
  return felts.get(hash) ?? null;
}

/** Add a felt to the cache. @param {string} hash @param {import("./types/wire.js").FeltSpec} data */
export function addFelt(hash, data) {
  felts.set(hash, {
    ...data,
    hash,
    colours: new Map(data.wheel.map(({ pocket, colour }) => [pocket, colour])),
    spotsByKey: new Map(data.spots.map((spot) => [spot.key, spot])),
    covers: new Map(data.spots.map(({ key, covers }) => [key, covers])),
  });
}
