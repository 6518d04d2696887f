// Money: whole cents to text and back. Pure; nothing is reckoned here.

/** Write cents as an amount with its currency. */
export function money(cents, currency, locale) {
  const digits = cents % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(cents / 100);
}

/** Write cents without a currency, as on a chip. */
export const plain = (cents) => (cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2));

/** Read an amount such as 5, 0.5 or 12.50 into cents; null where the text is not one. */
export function centsOf(text) {
  const match = /^\s*(\d{1,12})(?:[.,](\d{1,2}))?\s*$/.exec(text);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0")) : null;
}
