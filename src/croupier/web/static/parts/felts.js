// Felts: fetched once by their hash, and kept.

const known = new Map();
/** So long nothing is fetched again that could not be fetched. */
const PATIENCE_MS = 3000;

/** Give a felt by its hash, or null until it has come; then `arrived` is called. */
export function felt(hash, arrived) {
  if (!known.has(hash)) {
    known.set(hash, null);
    fetch(new URL(`felt/${hash}.json`, document.baseURI))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .then((data) => keep(hash, data))
      .then(arrived, () => setTimeout(() => known.delete(hash) && arrived(), PATIENCE_MS));
  }
  return known.get(hash);
}

/** Keep a felt that is at hand. */
export const keep = (hash, data) =>
  known.set(hash, { ...data, colours: new Map(data.wheel.map(({ pocket, colour }) => [pocket, colour])) });

/** The colour behind a number of a table's wheel, or nothing until its felt has come. */
export const colourAt = (table, pocket, arrived) => felt(table.felt, arrived)?.colours.get(pocket) ?? "";
