// Cents to text and back. Pure.

/**
 * @typedef {object} Writing how amounts are written on this screen
 * @property {string} currency
 * @property {"currency" | "credits"} units what the player has chosen
 * @property {number} denomination what one credit is worth, in cents
 * @property {string | undefined} locale
 * @property {(figures: string) => string} credits puts its unit to a number of credits
 */

/** @type {Writing} */
let writing = {
  currency: "USD",
  units: "currency",
  denomination: 100,
  locale: undefined,
  credits: (figures) => figures,
};

/** Choose how amounts are written from now on. @param {Partial<Writing>} chosen */
export function write(chosen) {
  writing = { ...writing, ...chosen };
}

/** How amounts are written now: what was written in another manner is to be written anew. */
export const manner = () => JSON.stringify(writing);

/** Write cents as the player has chosen: in the currency, or in credits. @param {number} cents */
export function amount(cents) {
  const { currency, units, denomination, locale, credits } = writing;
  // A venue has one currency: its sign is enough.
  if (units === "currency") return money(cents, currency, locale, "narrowSymbol");
  // A part of a credit is written to the cent, up to credits of a hundred: rounded, it would be more than there is.
  return credits(format(locale, { maximumFractionDigits: 4 }).format(cents / denomination));
}

/** Write cents for the face of a chip: at most three figures, 1k for a thousand, and + where there is more.
 * @param {number} cents */
export function short(cents) {
  const worth = cents / (writing.units === "currency" ? 100 : writing.denomination);
  const [unit, letter] = worth >= 1e6 ? [1e6, "m"] : worth >= 1e3 ? [1e3, "k"] : [1, ""];
  const scaled = worth / unit;
  const parts = scaled >= 100 ? 1 : scaled >= 10 || letter ? 10 : 100;
  const kept = Math.floor(scaled * parts + 1e-9) / parts;
  return `${kept}${letter}${Math.abs(scaled - kept) > 1e-9 ? "+" : ""}`;
}

/**
 * Write cents as an amount with its currency.
 * @param {number} cents @param {string} currency @param {string} [locale] @param {"symbol" | "narrowSymbol"} [sign]
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
  // An amount keeps its own direction: a mark for another would tear sign and figures apart.
  return format(locale, options)
    .format(cents / 100)
    .replaceAll("\u200f", "");
}

/** Read an amount such as 5, 0.5 or 12.50 into cents; null where the text is not one. @param {string} text */
export function centsOf(text) {
  const match = /^\s*(\d{1,12})(?:[.,](\d{1,2}))?\s*$/.exec(text);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}

/** Formats are dear to make and are kept. @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** @param {string | undefined} locale @param {Intl.NumberFormatOptions} options */
function format(locale, options) {
  const name = JSON.stringify([locale, options]);
  const made = formats.get(name) ?? new Intl.NumberFormat(locale, options);
  formats.set(name, made);
  return made;
}
