// What is fetched: data of the house by its address, anew whenever something has changed, the last of it until then.

/** By address: what was last told, and for which version it was last asked.
 * @type {Map<string, {of: string, told: any}>} */
const known = new Map();
/** So long nothing is fetched again that could not be fetched. */
const PATIENCE_MS = 5000;

/** Give what is at an address, or null until it has come; then `arrived` is called.
 * @param {string} address @param {string} version @param {() => void} arrived @returns {any} */
export function fetched(address, version, arrived) {
  const kept = known.get(address);
  if (kept?.of !== version) {
    const asked = { of: version, told: kept?.told ?? null };
    known.set(address, asked);
    fetch(new URL(address, document.baseURI))
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
      .then((told) => {
        asked.told = told;
        arrived();
      })
      .catch(() => setTimeout(() => ((asked.of = ""), arrived()), PATIENCE_MS));
  }
  return known.get(address)?.told ?? null;
}
