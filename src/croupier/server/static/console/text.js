// Times, clauses, names and phases as text.

import { locale, refusalText, say } from "../shared/text.js";
import { money } from "../shared/money.js";
import { venueTime } from "../shared/times.js";

/** The text of an identifier: not_covered is "Not covered". @param {string} name */
export const labelOf = (name) => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * The text of a refusal without its clause. Its amounts are in the currency of what was asked for, where it is known.
 * @param {{code: string, says: string, facts?: Record<string, unknown>, currency?: string}} no
 */
export const refusedText = (no) =>
  refusalText(no, (cents) => (no.currency ? money(cents, no.currency, locale(), "narrowSymbol") : figure(cents / 100)));

/**
 * The first message whose facts are all given, or the text of the server.
 * @param {string[]} ids @param {Record<string, string | number>} facts @param {string} says
 */
export function firstMessage(ids, facts, says) {
  const found = ids.map((id) => [id, say(id, facts)]).find(([id, words]) => words !== id && !/\{\w+\}/.test(words));
  return found?.[1] ?? says;
}

/** What the sensors of a wheel saw. @param {import("../shared/types/console.js").SightingRow} row */
export function sightingText({ moment, revolutions, opposite, turning, reason }) {
  const seen = [
    reason ? worded("reason.", reason) : "",
    typeof revolutions === "number" ? say("sighting.revolutions", { n: revolutions }) : "",
    typeof opposite === "boolean" ? say(opposite ? "sighting.against" : "sighting.with") : "",
    typeof turning === "boolean" ? say(turning ? "sighting.turning" : "sighting.still") : "",
  ];
  return say("sighting.line", { moment: say(`sighting-moment.${moment}`), seen: seen.filter(Boolean).join(", ") });
}

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

/** Server time as time of day. @param {number} us */
export const timeOf = (us) => venueTime(us, "en-GB", { timeStyle: "medium" });

/** Server time as date and time. @param {number} us */
export const dateOf = (us) =>
  `${venueTime(us, "en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${timeOf(us)}`;

/** A duration. @param {number} us */
export function durationOf(us) {
  const seconds = Math.max(0, Math.round(us / 1e6));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds < 60) return say("seconds.short", { n: seconds });
  if (hours === 0) return say("length.seconds", { minutes, seconds: seconds % 60 });
  return say("length.hours", { hours, minutes });
}

/**
 * The name of a step of a round; the wheel takes some steps in its own way.
 * @param {import("../shared/types/console.js").StepRow} row
 */
export const stepName = ({ step: name, by }) =>
  by === "wheel" && (name === "spin" || name === "number") ? say(`step-wheel.${name}`) : say(`step.${name}`);
