// Felt specs, fetched once by their hash.

import { addResponse, fetched } from "./fetched.js";

/**
 * @typedef {import("./types/wire.js").FeltSpec & {hash: string, colours: Map<string, import("./types/wire.js").Colour>,
 *   spotsByKey: Map<string, import("./types/wire.js").SpotPlace>, covers: Map<string, string[]>}} Felt
 *   a felt spec with its pocket colours, its spots by key, and the numbers that each spot covers
 */

/**
 * The felt of a hash, or null until it is fetched; then `arrived` is called.
 * @param {string} hash @param {() => void} arrived @returns {Felt | null}
 */
export const fetchFelt = (hash, arrived) =>
  fetched(addressOf(hash), hash, arrived, { build: (data) => feltOf(hash, data) });

/** Add a felt to the cache. @param {string} hash @param {import("./types/wire.js").FeltSpec} data */
export const addFelt = (hash, data) => addResponse(addressOf(hash), hash, feltOf(hash, data));

/** @param {string} hash */
const addressOf = (hash) => `felt/${hash}.json`;

/** @param {string} hash @param {import("./types/wire.js").FeltSpec} data @returns {Felt} */
const feltOf = (hash, data) => ({
  ...data,
  hash,
  colours: new Map(data.wheel.map(({ pocket, colour }) => [pocket, colour])),
  spotsByKey: new Map(data.spots.map((spot) => [spot.key, spot])),
  covers: new Map(data.spots.map(({ key, covers }) => [key, covers])),
});
