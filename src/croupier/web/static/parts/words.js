// Words: what a page calls the phases of a round and the states of its line, where the rules fix no words of their own.

/** @type {Record<string, string>} */
export const PHASES = {
  between: "Between rounds",
  open: "Place your bets",
  open_running: "Place your bets: the ball is running",
  last_call: "Finish betting",
  closed: "No more bets",
  running: "The ball is running",
  at_rest: "The ball is at rest",
  no_spin: "No spin",
  suspended: "The round is suspended",
};

/** What a table says now: the words of its rules where they fix them, ours otherwise.
 * @param {import("../kit/types.js").TableState} table */
export const saysOf = (table) =>
  table.closed && table.phase === "between" ? "This table is closed" : table.says || PHASES[table.phase] || table.phase;

/** A word for a thing that the house names in one: not_covered is "not covered". @param {string} name */
export const wordOf = (name) => name.replaceAll("_", " ");

/** A house time as this browser's clock on the wall would show it. @param {number} us @param {string} [locale] */
export const timeOf = (us, locale) => new Date(us / 1000).toLocaleTimeString(locale);
