// Rights at a table: who may ask for what, as its rulebook has it; and the buttons of what somebody may not ask for.

import { button, el } from "../kit/dom.js";
import { pressOnce } from "../staff/press.js";

/** @typedef {import("../staff/desk.js").Desk} Desk */

/** The titles of those who may ask for something at a table; null until the house has said so.
 * @param {Desk} desk @param {string} table @param {string | undefined} command
 * @returns {string[] | null} */
export function titlesFor(desk, table, command) {
  if (command === undefined) return null;
  const digest = desk.view.floor?.terms?.[table]?.now.digest;
  return desk.view.floor?.rulebooks?.find((one) => one.digest === digest)?.titles[command] ?? null;
}

/** A button; where only others may press it, it says who. @param {Desk} desk
 * @param {{words: string, press: () => unknown, titles: readonly string[] | null, looks?: string}} deed */
export function rightfulButton(desk, { words, press, titles, looks = "" }) {
  if (titles === null || desk.holds(titles))
    return button(words, ({ currentTarget }) => pressOnce(currentTarget, press), { class: looks });
  const who = titles.length > 0 ? `for ${titles.join(" or ")}` : "for nobody here";
  return button(el("span", { class: "others" }, words, el("small", {}, who)), () => {}, {
    class: looks,
    disabled: true,
  });
}
