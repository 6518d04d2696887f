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

/**
 * The message of a table: the text of its rules where they prescribe it, ours otherwise.
 * @param {import("../shared/types/wire.js").TableState} table
 */
export function tableMessage(table) {
  if (table.closed && table.phase === "between") return "This table is closed";
  return (table.phase !== "suspended" && table.says) || PHASES[table.phase] || table.phase;
}

/** The text of an identifier: not_covered is "Not covered". @param {string} name */
export const labelOf = (name) => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** @param {string} clause */
export const clauseMark = (clause) => `[${clause}]`;

/** A text with its clause. @param {{says: string, clause?: string | null}} cited */
export const withClause = ({ says, clause }) => (clause ? `${says} ${clauseMark(clause)}` : says);

/** Server time as local time of day. @param {number} us */
export const timeOf = (us) => new Date(us / 1000).toLocaleTimeString("en-GB");

/** Server time as local date and time. @param {number} us */
export const dateOf = (us) => {
  const at = new Date(us / 1000);
  return `${at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${timeOf(us)}`;
};

/** A duration. @param {number} us */
export function durationOf(us) {
  const seconds = Math.max(0, Math.round(us / 1e6));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
