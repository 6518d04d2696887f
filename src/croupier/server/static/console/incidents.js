// Incidents in words.

import { say } from "../shared/text.js";
import { firstMessage, worded } from "./text.js";

/** Incidents that staff, or a fault, describe in their own words. */
const DESCRIBED = new Set(["referred", "malfunction", "noted", "interrupted"]);
const DAY_S = 86_400;

/**
 * An incident in a sentence, by its kind and facts.
 * @param {string} kind @param {Record<string, unknown>} facts @param {string} says the text of the server
 */
export function incidentText(kind, facts, says) {
  if (DESCRIBED.has(kind) && facts.text) return String(facts.text);
  const reasons = /** @type {string[]} */ (facts.reasons ?? []).map((reason) => worded("reason.", reason)).join(", ");
  const days = Math.floor(Number(facts.seconds ?? 0) / DAY_S);
  const lists = Object.entries(facts).map(([name, one]) => [name, Array.isArray(one) ? one.join(", ") : one]);
  const given = { ...Object.fromEntries(lists), days, ...(reasons ? { reasons } : {}) };
  const cause = facts.cause ? { cause: say(`trouble.${facts.cause}`, given) } : {};
  const text = firstMessage([`incident.${kind}`, `incident-bare.${kind}`], { ...given, ...cause }, says);
  return facts.round === undefined ? text : `${text} ${say("trouble-round", given)}`;
}
