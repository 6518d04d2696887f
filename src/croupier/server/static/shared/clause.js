// The clause behind a text: an ⓘ that shows its number, and leads to the rules.

import { h } from "./render.js";
import { say } from "./text.js";

/**
 * An ⓘ for the clause of a text; pressed, it opens the rules at it, or shows the number. Nothing without a clause.
 * @param {string | null | undefined} clause @param {(clause: string) => void} [open] opens the rules
 */
export function clauseSign(clause, open) {
  if (!clause) return null;
  const label = say("clause.info", { clause });
  const toggle = (/** @type {{currentTarget: HTMLElement}} */ { currentTarget }) => {
    const number = /** @type {HTMLElement} */ (currentTarget.nextElementSibling);
    number.hidden = !number.hidden;
    currentTarget.setAttribute("aria-expanded", String(!number.hidden));
  };
  const attributes = { type: "button", class: "info", "aria-label": label, title: label };
  const sign = h("i", { class: "info-sign", "aria-hidden": "true" });
  return h(
    "span",
    { class: "clause-info", key: clause },
    open
      ? h("button", { ...attributes, click: () => open(clause) }, sign)
      : h("button", { ...attributes, "aria-expanded": "false", click: toggle }, sign),
    !open && h("small", { hidden: true }, say("clause", { clause })),
  );
}

/** A clause beside a text. @param {string} clause */
export const clauseMark = (clause) => `[${clause}]`;
