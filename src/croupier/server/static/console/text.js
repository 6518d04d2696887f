// Times, clauses, names and phases as text.

/** @type {Record<string, string>} */
const PHASES = {
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
 * @param {import("../shared/types/wire.js").TableState} table */
export function saysOf(table) {
  if (table.closed && table.phase === "between") return "This table is closed";
  return (table.phase !== "suspended" && table.says) || PHASES[table.phase] || table.phase;
}

/** A word for a thing that the house names in one: not_covered is "Not covered". @param {string} name */
export const wordOf = (name) => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** @param {string} clause */
export const clauseMark = (clause) => `[${clause}]`;

/** Something with the clause behind it. @param {{says: string, clause?: string | null}} cited */
export const citing = ({ says, clause }) => (clause ? `${says} ${clauseMark(clause)}` : says);

/** A house time as this browser's clock on the wall would show it. @param {number} us */
export const timeOf = (us) => new Date(us / 1000).toLocaleTimeString("en-GB");

/** The same, with its day. @param {number} us */
export const dateOf = (us) => {
  const at = new Date(us / 1000);
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${timeOf(us)}`;
};

/** How long something is ago or lasts. @param {number} us */
export function spanOf(us) {
  const seconds = Math.max(0, Math.round(us / 1e6));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
