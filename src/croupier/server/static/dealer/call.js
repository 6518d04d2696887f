// The call: the words that the dealer says now, how long it is until then, and whether the ball may be spun.

import { secondsLeft } from "../kit/clock.js";
import { el, marked, shown, text } from "../kit/dom.js";
import { clauseLink } from "../staff/clause.js";
import { saysOf } from "../staff/words.js";

/** @param {import("./deal.js").Deal} deal @returns {import("../staff/desk.js").Part} */
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
    text(seconds.firstElementChild, secondsLeft(due?.due_us, deal.desk.session.now()));
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
      text(words, calls ? next?.says : state ? saysOf(state) : "");
      const { says: after, clause } = next?.waits ?? { says: next ? `Next: ${next.words}` : "", clause: next?.clause };
      cited(then, after, state?.rulebook, clause);
      const spin = lampOf(deal);
      marked(lamp, "data-lit", floor?.safe_to_spin ? "true" : null);
      text(lamp.lastElementChild, spin);
      shown(lamp, spin !== "");
      cited(notice, state?.notice?.says ?? "", state?.rulebook, state?.notice?.clause);
      shown(notice, Boolean(state?.notice));
      tick();
    },
  };
}

/** What the lamp says: where the rules have the ball spun over open bets, there is none.
 * @param {import("./deal.js").Deal} deal */
function lampOf({ steps, floor }) {
  if (floor?.safe_to_spin) return "Safe to spin";
  const [spin, close] = ["spin", "close"].map((name) => steps.findIndex(({ step }) => step === name));
  if (steps.some(({ step, at_us }) => step === "number" && at_us)) return "";
  if (steps[spin]?.at_us) return "Ball in play";
  return close < spin ? "Not safe to spin" : "";
}

/** Say something with a way to the clause behind it; nothing is touched where it is said already.
 * @param {HTMLElement} node @param {string} says @param {string | undefined} rulebook
 * @param {string | null | undefined} clause */
function cited(node, says, rulebook, clause) {
  const key = `${says}|${rulebook}|${clause}`;
  if (node.dataset.says === key) return;
  node.dataset.says = key;
  node.replaceChildren(says, " ", clauseLink(rulebook, clause) ?? "");
}
