// Declaring a no spin.

import { askSheet } from "../console/forms.js";
import { citing, wordOf } from "../console/text.js";
import { el } from "../shared/dom.js";

/** @typedef {import("./round.js").Deal} Deal */

/** Between rounds there is no spin to cancel, and a spin is cancelled once. */
const NEVER = new Set(["between", "no_spin"]);

/** The reasons as a dealer words them. @type {Record<string, string>} */
const REASONS = {
  ball_out_of_wheel: "The ball left the wheel",
  ball_broken: "The ball broke",
  ball_not_seated: "The ball lies in no pocket",
  wheel_not_turning: "The wheel was not turning",
  wheel_stopped: "The wheel stopped",
  same_direction: "Ball and wheel in one direction",
  foreign_object: "A foreign object in the wheel",
  interference: "Somebody interfered",
  ball_dropped: "The ball was dropped, not spun",
  too_few_revolutions: "Too few revolutions",
  too_few_anticipated: "Too few revolutions to be expected",
  suspicion: "A suspicion",
  malfunction: "A malfunction",
  not_covered: "What the rules do not cover",
};
const inWords = (/** @type {string} */ reason) => REASONS[reason] ?? wordOf(reason);

/** Whether a spin can be cancelled now. @param {Deal} deal */
export const mayCall = ({ state }) => state !== null && !NEVER.has(state.phase);

/** Ask for the reason, and cancel the spin. @param {Deal} deal @param {any} [seen] the call that a sensor prompts */
export function callNoSpin(deal, seen = null) {
  const { desk, state, felt, table } = deal;
  if (!state || !felt || !mayCall(deal)) return;
  const mine = felt.no_spin.filter(({ by }) => desk.holds(by));
  const theirs = felt.no_spin.filter((one) => !mine.includes(one));
  /** @type {[string, string, string][]} */
  const choices = mine.map(({ reason, clause }) => [reason, inWords(reason), clause]);
  const [says = "No spin"] = felt.messages.no_spin ?? [];
  const sheet = askSheet({
    name: "no-spin",
    title: "No spin",
    look: "middle",
    about: [el("p", { class: "announce" }, el("span", {}, "Call"), ` “${says}”`)],
    below: theirs.length > 0 ? [el("p", { class: "theirs" }, others(theirs))] : [],
    fields: [
      { name: "reason", label: "Why does this spin not count?", kind: "pick", choices, value: seen?.reason ?? null },
      { name: "words", label: "What happened", kind: "words", optional: true },
      ...(state.phase === "at_rest" ? [AFTER] : []),
      ...(state.launched_at ? [TAKEN] : []),
    ],
    does: "Call no spin",
    grave: true,
    send: ({ after = false, ball_removed = false, ...given }) => {
      const { round, spin } = state;
      return deal.ask({ type: "CallNoSpin", table, ...given, before_rest: !after, ball_removed, round, spin });
    },
  });
  /** @type {HTMLElement | null} */ (sheet.node.querySelector("input:checked, input"))?.focus();
}

/** @type {import("../console/forms.js").Field} */
const AFTER = { name: "after", label: "It came about only after the ball was at rest", kind: "tick" };
/** @type {import("../console/forms.js").Field} */
const TAKEN = { name: "ball_removed", label: "The ball was taken out of the wheel", kind: "tick" };

/**
 * List the reasons that only others may call, by title.
 * @param {import("../shared/types/wire.js").ListedReason[]} rows
 */
function others(rows) {
  /** @type {Map<string, string[]>} */
  const byTitle = new Map();
  for (const { reason, clause, by } of rows) {
    const who = by.join(" or ");
    byTitle.set(who, [...(byTitle.get(who) ?? []), citing({ says: inWords(reason), clause })]);
  }
  return [...byTitle].map(([who, reasons]) => `Only for ${who} to call: ${reasons.join(", ")}.`).join(" ");
}
