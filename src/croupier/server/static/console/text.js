// Times, clauses, names and phases as text.

import { locale, say } from "../shared/text.js";

/**
 * The message of a table: the text of its rules where they prescribe it, ours otherwise.
 * @param {import("../shared/types/wire.js").TableState} table
 */
export function tableMessage(table) {
  if (table.closed && table.phase === "between") return say("phase.table_closed");
  return (table.phase !== "suspended" && table.says) || say(`phase.${table.phase}`);
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

/** The text of an identifier in the language of the page, if it has words. @param {string} start @param {string} name */
export function worded(start, name) {
  const id = `${start}${name}`;
  const words = say(id);
  return words === id ? labelOf(name) : words;
}

/** The name of a paper by its form. @param {string} form @param {number} sequence */
export const paperName = (form, sequence) => say("paper.numbered", { paper: worded("paper.", form), sequence });

/** A count in digits. @param {number} n */
export const figure = (n) => n.toLocaleString(locale());

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
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds < 60) return say("seconds.short", { n: seconds });
  if (hours === 0) return say("length.seconds", { minutes, seconds: seconds % 60 });
  return say("length.hours", { hours, minutes });
}
