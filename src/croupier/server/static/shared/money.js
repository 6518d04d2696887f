// Cents to text and back. Pure.

/**
 * @typedef {object} MoneyOptions
 * @property {string} currency
 * @property {string} locale
 * @property {"currency" | "credits"} [units] the player's choice
 * @property {number} [denomination] the value of one credit, in cents
 * @property {(figures: string) => string} [credits] adds the unit to a number of credits
 */

const RIGHT_TO_LEFT_MARK = "\u200f";
/** What lies between the two is set from left to right, whatever is around it. */
const [ISOLATE, END_OF_ISOLATE] = ["\u2066", "\u2069"];

/** How amounts are written at one table or terminal. */
export class MoneyFormat {
  /** @param {MoneyOptions} options */
  constructor({ currency, locale, units = "currency", denomination = 100, credits = (figures) => figures }) {
    this.currency = currency;
    this.locale = locale;
    this.units = units;
    this.denomination = denomination;
    this.credits = credits;
    /** Text made by a format with another key must be made again. */
    this.key = JSON.stringify([currency, locale, units, denomination]);
  }

  /** Cents in the currency or in credits, as chosen. @param {number} cents */
  amount(cents) {
    const { currency, units, denomination, locale, credits } = this;
    // A venue has one currency: the narrow symbol is enough.
    if (units === "currency") return money(cents, currency, locale, "narrowSymbol");
    // Up to four decimals of a credit: a rounded value would exceed the balance.
    return credits(format(locale, { maximumFractionDigits: 4 }).format(cents / denomination));
  }

  /** Cents on the face of a chip: at most three digits, 1k for a thousand, and + where digits are dropped. @param {number} cents */
  chip(cents) {
    const worth = cents / (this.units === "currency" ? 100 : this.denomination);
    const [unit, letter] = worth >= 1e6 ? [1e6, "m"] : worth >= 1e3 ? [1e3, "k"] : [1, ""];
    const scaled = worth / unit;
    const parts = scaled >= 100 ? 1 : scaled >= 10 || letter ? 10 : 100;
    const kept = Math.floor(scaled * parts + 1e-9) / parts;
    return `${kept}${letter}${Math.abs(scaled - kept) > 1e-9 ? "+" : ""}`;
  }
}

/**
 * Format cents with their currency.
 * @param {number} cents @param {string} currency @param {string} locale @param {"symbol" | "narrowSymbol"} [sign]
 */
export function money(cents, currency, locale, sign = "symbol") {
  const digits = cents % 100 === 0 ? 0 : 2;
  /** @type {Intl.NumberFormatOptions} */
  const options = {
    style: "currency",
    currency,
    currencyDisplay: sign,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  };
  const text = format(locale, options).format(cents / 100);
  const bare = text.replaceAll(RIGHT_TO_LEFT_MARK, "");
  // The same order of sign, digits and symbol in every line of a text from right to left.
  return bare === text ? text : `${ISOLATE}${bare}${END_OF_ISOLATE}`;
}

/** An amount with a sign before it, in the same direction as the amount. @param {string} amount @param {"+" | "−"} [sign] */
export const signed = (amount, sign = "+") =>
  amount.startsWith(ISOLATE) ? `${ISOLATE}${sign}${amount.slice(ISOLATE.length)}` : `${sign}${amount}`;

/** Parse an amount such as 5, 0.5 or 12.50 into cents; null where the text is not an amount. @param {string} text */
export function centsOf(text) {
  const match = /^\s*(\d{1,12})(?:[.,](\d{1,2}))?\s*$/.exec(text);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}

/** Number formats are expensive to create, so they are cached. @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** @param {string} locale @param {Intl.NumberFormatOptions} options */
function format(locale, options) {
  const name = JSON.stringify([locale, options]);
  const made = formats.get(name) ?? new Intl.NumberFormat(locale, options);
  formats.set(name, made);
  return made;
}
