// The slips that a browser keeps. Pure.

/**
 * @typedef {{number: string, sequence: number, form: string, amount: number, currency: string, issued_at_us: number,
 *   venue: string, terminal: string}} KeptSlip
 * @typedef {Pick<Storage, "getItem" | "setItem">} Store
 */

const NAME = "croupier:slips";
const KEPT_MOST = 20;

/** The slips, the newest first. @param {Store} storage @returns {KeptSlip[]} */
export function keptSlips(storage) {
  try {
    const kept = JSON.parse(storage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** Keep a slip; one that is printed again is kept once. @param {Store} storage @param {KeptSlip} slip */
export function keepSlip(storage, { number, sequence, form, amount, currency, issued_at_us, venue, terminal }) {
  const kept = { number, sequence, form, amount, currency, issued_at_us, venue, terminal };
  const others = keptSlips(storage).filter((one) => one.number !== number);
  storage.setItem(NAME, JSON.stringify([kept, ...others].slice(0, KEPT_MOST)));
}

/** @param {Store} storage @param {string} number */
export function removeSlip(storage, number) {
  storage.setItem(NAME, JSON.stringify(keptSlips(storage).filter((one) => one.number !== number)));
}
