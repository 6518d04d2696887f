// Declaring a no spin.

import { openForm } from "../console/forms.js";
import { withClause, labelOf } from "../console/text.js";
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
const reasonText = (/** @type {string} */ reason) => REASONS[reason] ?? labelOf(reason);

/** Whether a spin can be cancelled now. @param {Deal} deal */
export const mayCall = ({ state }) => state !== null && !NEVER.has(state.phase);

/** Ask for the reason, and cancel the spin. @param {Deal} deal @param {any} [seen] the call that a sensor prompts */
export function callNoSpin(deal, seen = null) {
  const { client, state, felt, table } = deal;
  if (!state || !felt || !mayCall(deal)) return;
  const mine = felt.no_spin.filter(({ by }) => client.hasTitle(by));
  const theirs = felt.no_spin.filter((one) => !mine.includes(one));
  /** @type {[string, string, string][]} */
  const choices = mine.map(({ reason, clause }) => [reason, reasonText(reason), clause]);
  const [says = "No spin"] = felt.messages.no_spin ?? [];
  const dialog = openForm({
    name: "no-spin",
    title: "No spin",
    look: "middle",
    about: [el("p", { class: "announce" }, el("span", {}, "Call"), ` “${says}”`)],
    below: theirs.length > 0 ? [el("p", { class: "theirs" }, othersText(theirs))] : [],
    fields: [
      { name: "reason", label: "Why does this spin not count?", kind: "pick", choices, value: seen?.reason ?? null },
      { name: "words", label: "What happened", kind: "words", optional: true },
      ...(state.phase === "at_rest" ? [AFTER_FIELD] : []),
      ...(state.launched_at ? [TAKEN_FIELD] : []),
    ],
    does: "Call no spin",
    grave: true,
    send: ({ after = false, ball_removed = false, ...given }) => {
      const { round, spin } = state;
      return deal.sendCommand({ type: "CallNoSpin", table, ...given, before_rest: !after, ball_removed, round, spin });
    },
  });
  /** @type {HTMLElement | null} */ (dialog.node.querySelector("input:checked, input"))?.focus();
}

/** @type {import("../console/forms.js").Field} */
const AFTER_FIELD = { name: "after", label: "It came about only after the ball was at rest", kind: "tick" };
/** @type {import("../console/forms.js").Field} */
const TAKEN_FIELD = { name: "ball_removed", label: "The ball was taken out of the wheel", kind: "tick" };

/**
 * List the reasons that only others may call, by title.
 * @param {import("../shared/types/wire.js").ListedReason[]} rows
 */
function othersText(rows) {
  /** @type {Map<string, string[]>} */
  const byTitle = new Map();
  for (const { reason, clause, by } of rows) {
    const who = by.join(" or ");
    byTitle.set(who, [...(byTitle.get(who) ?? []), withClause({ says: reasonText(reason), clause })]);
  }
  return [...byTitle].map(([who, reasons]) => `Only for ${who} to call: ${reasons.join(", ")}.`).join(" ");
}
