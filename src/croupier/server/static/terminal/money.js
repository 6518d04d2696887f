// How this terminal writes amounts: in its one currency, or in credits of the player's denomination.

import { MoneyFormat, signed } from "../shared/money.js";

let current = new MoneyFormat({ currency: "USD", locale: "en" });

/** Set by the terminal alone, before it draws. @param {MoneyFormat} format */
export function useMoneyFormat(format) {
  current = format;
}

export const moneyFormat = () => current;

/** @param {number} cents */
export const amount = (cents) => current.amount(cents);

/** A result with its sign. @param {number} cents */
export const netOf = (cents) => (cents === 0 ? amount(0) : signed(amount(Math.abs(cents)), cents > 0 ? "+" : "−"));
