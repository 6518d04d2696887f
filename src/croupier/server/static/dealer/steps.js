// The steps of a round as buttons, and the dealer's call.

import { withClause, tableMessage, timeOf } from "../console/text.js";
import { clauseLink } from "../console/widgets.js";
import { button, each, el, enabled, marked, shown, text } from "../shared/dom.js";
import { isReady } from "../shared/store.js";
import { secondsLeft } from "../shared/table_status.js";
import { callNoSpin } from "./no_spin.js";

/**
 * @typedef {import("./round.js").Deal} Deal
 * @typedef {import("../shared/types/console.js").StepRow} StepRow
 */

/** Who takes a step that is not the dealer's. @type {Record<string, string>} */
const BY = { auto: "By itself", wheel: "By the wheel", pit: "By the pit" };

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function steps(deal) {
  const node = el("ol", { class: "steps", "aria-label": "The round, step by step" });
  const draw = () => {
    marked(node, "data-off", isReady(deal.client.view) ? null : "true");
    each(
      node,
      numbered(deal),
      ({ row }) => row.step,
      (item) => step(deal, item.row),
      (item, { row, place }) => {
        const key = /** @type {HTMLButtonElement} */ (item.firstElementChild);
        marked(item, "data-is", statusOf(deal, row));
        marked(item, "aria-current", row.next ? "step" : null);
        text(key.querySelector("i"), row.at_us === null ? place : "✓");
        text(key.querySelector("b"), row.words);
        text(key.querySelector("small"), noteOf(deal, row));
        enabled(key, deal.canSend && row.command !== null);
      },
    );
  };
  return { node, update: draw, tick: draw };
}

/**
 * Take a step: a number is entered at the number pad, and a no spin is confirmed.
 * @param {Deal} deal @param {StepRow} row
 */
export function takeStep(deal, row) {
  if (row.step === "no_spin") callNoSpin(deal, row.command);
  else if (row === deal.numberStep)
    /** @type {HTMLElement | null} */ (document.querySelector(".numbers .say"))?.focus();
  else void deal.takeStep(row);
}

/** @param {Deal} deal @param {StepRow} row */
function step(deal, { step: name }) {
  const press = () => {
    const row = deal.steps.find((one) => one.step === name);
    if (row) takeStep(deal, row);
  };
  const key = button(el("i", { "aria-hidden": "true" }), press, { "data-step": name });
  key.append(el("span", {}, el("b", {}), el("small", {})));
  return el("li", {}, key);
}

/** @param {Deal} deal */
const numbered = ({ steps: rows }) => rows.map((row, place) => ({ row, place: place + 1 }));

/**
 * The status of a step: taken, next for the dealer, next for another, available early, or to come.
 * @param {Deal} deal @param {StepRow} row
 */
function statusOf({ numberStep: wants }, row) {
  if (row.at_us !== null) return "taken";
  if (!row.next) return row.command ? "open" : "to-come";
  if (row.waits) return "waits";
  return row.by === "dealer" || row === wants ? "next" : "others";
}

/**
 * The note of a step: when it was taken, why it waits, what the dealer calls, or who takes it.
 * @param {Deal} deal @param {StepRow} row
 */
function noteOf({ client, floor }, row) {
  const left = secondsLeft(row.due_us, client.session.now());
  const by = left === null ? BY[row.by] : `${BY[row.by] ?? "By itself"} in ${left} s`;
  if (row.at_us !== null) return timeOf(row.at_us);
  if (row.waits) return withClause(row.waits);
  if (row.step === "confirm" && row.next) return `The sensor reads ${floor?.reported ?? "nothing"}`;
  if (row.asks.length > 0 && row.by === "wheel") return `${by}, or entered here`;
  if (row.command && !row.next) return "May be taken already";
  const mine = row.by === "dealer" && left === null;
  return [row.says && `Call “${row.says}”`, mine ? "" : by].filter(Boolean).join(" · ");
}

// The call: what the dealer says now, how long until then, and whether the ball may be spun.

/** @param {import("./round.js").Deal} deal @returns {import("../console/client.js").Part} */
export function call(deal) {
  const label = el("h2", {});
  const words = el("p", { class: "words", "aria-live": "polite" });
  const then = el("p", { class: "then" });
  const seconds = el("p", { class: "seconds", role: "timer" }, el("b", {}), el("small", {}));
  const lamp = el("p", { class: "lamp", role: "status" }, el("i", { "aria-hidden": "true" }), el("span", {}));
  const notice = el("p", { class: "notice", role: "status" });
  const head = el("div", {}, label, words, then);
  const node = el("section", { class: "card call", "aria-label": "Call" }, head, seconds, lamp, notice);
  const tick = () => {
    const due = deal.steps.find(({ at_us, due_us }) => at_us === null && due_us !== null);
    text(seconds.firstElementChild, secondsLeft(due?.due_us, deal.client.session.now()));
    text(seconds.lastElementChild, due?.words);
    shown(seconds, due !== undefined);
  };
  return {
    node,
    tick,
    update: () => {
      const { next, state, floor } = deal;
      const calls = Boolean(next?.says);
      text(label, calls ? "Call now, in these words" : "The table says");
      text(words, calls ? next?.says : state ? tableMessage(state) : "");
      const { says: after, clause } = next?.waits ?? { says: next ? `Next: ${next.words}` : "", clause: next?.clause };
      showCited(then, after, state?.rulebook, clause);
      const spin = lampOf(deal);
      marked(lamp, "data-lit", floor?.safe_to_spin ? "true" : null);
      text(lamp.lastElementChild, spin);
      shown(lamp, spin !== "");
      showCited(notice, state?.notice?.says ?? "", state?.rulebook, state?.notice?.clause);
      shown(notice, Boolean(state?.notice));
      tick();
    },
  };
}

/**
 * The text of the lamp; empty where the rules have the ball spun while bets are open.
 * @param {import("./round.js").Deal} deal
 */
function lampOf({ steps, floor }) {
  if (floor?.safe_to_spin) return "Safe to spin";
  const [spin, close] = ["spin", "close"].map((name) => steps.findIndex(({ step }) => step === name));
  if (steps.some(({ step, at_us }) => step === "number" && at_us)) return "";
  if (steps[spin]?.at_us) return "Ball in play";
  return close < spin ? "Not safe to spin" : "";
}

/**
 * Show a text with a link to its clause; unchanged text is not redrawn.
 * @param {HTMLElement} node @param {string} says @param {string | undefined} rulebook
 * @param {string | null | undefined} clause
 */
function showCited(node, says, rulebook, clause) {
  const key = `${says}|${rulebook}|${clause}`;
  if (node.dataset.says === key) return;
  node.dataset.says = key;
  node.replaceChildren(says, " ", clauseLink(rulebook, clause) ?? "");
}
