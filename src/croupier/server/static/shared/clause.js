// The clause behind a text: an ⓘ that shows its number, and leads to the rules.

import { button, el, marked, shown, text } from "./dom.js";
import { h } from "./render.js";
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

/** An ⓘ for the clause of a text, which shows its number when it is pressed; nothing without a clause. @param {string | null | undefined} clause */
export function clauseSign(clause) {
  if (!clause) return null;
  const label = say("clause.info", { clause });
  const toggle = (/** @type {{currentTarget: HTMLElement}} */ { currentTarget }) => {
    const number = /** @type {HTMLElement} */ (currentTarget.nextElementSibling);
    number.hidden = !number.hidden;
    currentTarget.setAttribute("aria-expanded", String(!number.hidden));
  };
  return h(
    "span",
    { class: "clause-info", key: clause },
    h("button", {
      type: "button",
      class: "info",
      "aria-label": label,
      title: label,
      "aria-expanded": "false",
      click: toggle,
    }, h("i", { class: "info-sign", "aria-hidden": "true" })),
    h("small", { hidden: true }, say("clause", { clause })),
  );
}

/** A clause beside a text. @param {string} clause */
export const clauseMark = (clause) => `[${clause}]`;
