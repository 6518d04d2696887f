// Declaring a no spin.

import { openForm } from "../console/forms.js";
import { figure, worded } from "../console/text.js";
import { drawnText } from "../shared/multiples.js";
import { h } from "../shared/render.js";
import { secondsLeft } from "../shared/table_status.js";
import { say } from "../shared/text.js";

/** @typedef {import("./round.js").Deal} Deal */

/** Between rounds there is no spin to cancel, and a spin is cancelled once. */
const NEVER = new Set(["between", "no_spin"]);

/** Phases in which the number can be seen: the house then takes no call without words, as once multiples are drawn. */
const KNOWN = new Set(["at_rest", "paying"]);

const reasonText = (/** @type {string} */ reason) => worded("reason.", reason);

/** Whether a spin can be cancelled now. @param {Deal} deal */
export const mayCall = ({ state }) => state !== null && !NEVER.has(state.phase);

/**
 * Hold a round that would go on by itself, ask for the reason, and cancel the spin.
 * @param {Deal} deal @param {any} [seen] the call that a sensor prompts
 */
export async function callNoSpin(deal, seen = null) {
  const { client, state, felt, table } = deal;
  if (!state || !felt || !mayCall(deal)) return;
  const holds = goesOn(deal);
  if (holds) {
    const { refusal } = await deal.sendCommand({ type: "HoldRound", table, round: state.round, spin: state.spin });
    if (refusal) return client.showRefusal(refusal);
  }
  const isHeld = holds || holdOf(deal) !== null;
  const mine = felt.no_spin.filter(({ by }) => client.hasTitle(by));
  const theirs = felt.no_spin.filter((one) => !mine.includes(one));
  /** @type {[string, string, string][]} */
  const choices = mine.map(({ reason, clause }) => [reason, reasonText(reason), clause]);
  const [says = say("status.no_spin")] = felt.messages.no_spin ?? [];
  const dialog = openForm({
    name: "no-spin",
    title: say("status.no_spin"),
    look: "middle",
    about: () => [
      isHeld && heldBanner(deal, state.round),
      h("p", { class: "announce" }, h("span", null, say("no-spin.call")), ` “${says}”`),
    ],
    below: theirs.length > 0 && h("p", { class: "theirs" }, othersText(theirs)),
    fields: [
      {
        name: "reason",
        label: say("no-spin.why"),
        kind: "pick",
        choices,
        value: choices.some(([key]) => key === seen?.reason) ? seen.reason : null,
      },
      {
        name: "words",
        label: say("no-spin.what"),
        kind: "words",
        optional: !(KNOWN.has(state.phase) || drawnText(state.multiples)),
      },
      ...(state.phase === "at_rest" ? [tick("after", say("no-spin.after"))] : []),
      ...(state.launched_at ? [tick("ball_removed", say("no-spin.removed"))] : []),
    ],
    does: say("step.no_spin"),
    grave: true,
    back: isHeld ? { does: say("no-spin.go-on"), act: () => void goOn() } : undefined,
    update: () => watch(),
    send: ({ after = false, ball_removed = false, ...given }) => {
      const { round, spin } = state;
      return deal.sendCommand({ type: "CallNoSpin", table, ...given, before_rest: !after, ball_removed, round, spin });
    },
  });
  const goOn = async () => {
    const { refusal } = await deal.sendCommand({ type: "ReleaseHold", table, round: state.round, spin: state.spin });
    client.showRefusal(refusal);
    if (!refusal) dialog.close();
  };
  // Somebody else has decided, or the time is over: nothing is left to choose here. The response to the hold may come
  // before the view that shows it.
  let arrived = false;
  const watch = () => {
    arrived ||= holdOf(deal) !== null;
    if (isHeld && arrived && holdOf(deal) === null) dialog.close();
  };
  /** @type {HTMLElement | null} */ (dialog.node.querySelector("input:checked, input"))?.focus();
}

/** Whether the clock or the wheel takes the next step of a round that runs. @param {Deal} deal */
const goesOn = ({ state, next }) =>
  state?.phase !== "suspended" && next !== null && (next.by !== "dealer" || next.due_us !== null);

/** The step that ends a hold, while the round is held. @param {Deal} deal */
const holdOf = ({ steps }) => steps.find(({ command }) => /** @type {any} */ (command)?.type === "ReleaseHold") ?? null;

/** What a held round waits for, with its countdown. @param {Deal} deal @param {number} round */
function heldBanner(deal, round) {
  const n = secondsLeft(holdOf(deal)?.due_us ?? null, deal.client.session.now());
  return h(
    "div",
    { class: "held" },
    h("b", { role: "timer" }, n),
    h(
      "div",
      null,
      h("b", null, say("no-spin.held", { round: figure(round) })),
      h("p", null, say("no-spin.held-about")),
      h("p", null, n !== null && say("no-spin.expires", { n })),
    ),
  );
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
  for (const { reason, by } of rows) {
    const who = by.join(", ");
    byTitle.set(who, [...(byTitle.get(who) ?? []), reasonText(reason)]);
  }
  return [...byTitle].map(([who, reasons]) => say("no-spin.others", { who, reasons: reasons.join(", ") })).join(" ");
}
