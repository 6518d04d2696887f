// The clause behind a text: an ⓘ that shows its number, and leads to the rules.

import { button, el, marked, shown, text } from "./dom.js";
import { say } from "./text.js";

/** The sign of a clause; it is drawn, as few fonts have it. */
export const infoSign = () => el("i", { class: "info-sign", "aria-hidden": "true" });

/**
 * An ⓘ for the clause of a text; pressed, it shows the number, or opens the rules at it. It is hidden without a clause.
 * @param {(clause: string) => void} [open] opens the rules @param {string | null} [clause]
 */
export function clauseInfo(open, clause = null) {
  let current = "";
  const number = el("small", { hidden: true });
  const press = button(infoSign(), () => (open ? open(current) : reveal(Boolean(number.hidden))), { class: "info" });
  const node = el("span", { class: "clause-info" }, press, number);
  const reveal = (/** @type {boolean} */ is) => {
    shown(number, is);
    if (!open) marked(press, "aria-expanded", String(is));
  };
  /** @param {string | null | undefined} next */
  const update = (next) => {
    shown(node, Boolean(next));
    if (!next || next === current) return;
    current = next;
    const words = say("clause.info", { clause: next });
    marked(press, "aria-label", words);
    marked(press, "title", words);
    text(number, say("clause", { clause: next }));
    reveal(false);
  };
  reveal(false);
  update(clause);
  shown(node, Boolean(clause));
  return { node, update };
}
