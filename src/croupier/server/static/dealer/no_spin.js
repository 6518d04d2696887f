// Declaring a no spin.

import { openForm } from "../console/forms.js";
import { withClause, worded } from "../console/text.js";
import { el } from "../shared/dom.js";
import { say } from "../shared/text.js";

/** @typedef {import("./round.js").Deal} Deal */

/** Between rounds there is no spin to cancel, and a spin is cancelled once. */
const NEVER = new Set(["between", "no_spin"]);

const reasonText = (/** @type {string} */ reason) => worded("reason.", reason);

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
  const [says = say("status.no_spin")] = felt.messages.no_spin ?? [];
  const dialog = openForm({
    name: "no-spin",
    title: say("status.no_spin"),
    look: "middle",
    about: [el("p", { class: "announce" }, el("span", {}, say("no-spin.call")), ` “${says}”`)],
    below: theirs.length > 0 ? [el("p", { class: "theirs" }, othersText(theirs))] : [],
    fields: [
      { name: "reason", label: say("no-spin.why"), kind: "pick", choices, value: seen?.reason ?? null },
      { name: "words", label: say("no-spin.what"), kind: "words", optional: true },
      ...(state.phase === "at_rest" ? [tick("after", say("no-spin.after"))] : []),
      ...(state.launched_at ? [tick("ball_removed", say("no-spin.removed"))] : []),
    ],
    does: say("step.no_spin"),
    grave: true,
    send: ({ after = false, ball_removed = false, ...given }) => {
      const { round, spin } = state;
      return deal.sendCommand({ type: "CallNoSpin", table, ...given, before_rest: !after, ball_removed, round, spin });
    },
  });
  /** @type {HTMLElement | null} */ (dialog.node.querySelector("input:checked, input"))?.focus();
}

/** @param {string} name @param {string} label @returns {import("../console/forms.js").Field} */
const tick = (name, label) => ({ name, label, kind: "tick" });

/**
 * List the reasons that only others may call, by title.
 * @param {import("../shared/types/wire.js").ListedReason[]} rows
 */
function othersText(rows) {
  /** @type {Map<string, string[]>} */
  const byTitle = new Map();
  for (const { reason, clause, by } of rows) {
    const who = by.join(", ");
    byTitle.set(who, [...(byTitle.get(who) ?? []), withClause({ says: reasonText(reason), clause })]);
  }
  return [...byTitle].map(([who, reasons]) => say("no-spin.others", { who, reasons: reasons.join(", ") })).join(" ");
}
