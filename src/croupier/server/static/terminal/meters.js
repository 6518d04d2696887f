// The credit, bet and win meters.

import { el, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { amount } from "./money.js";
import { countUp } from "./outcome.js";

const NAMES = /** @type {const} */ (["credit", "bet", "win", "held"]);

/** @typedef {{credit: number, bet: number, win: number, isFresh: boolean, held: number, celebrated: boolean}} Figures
 *   isFresh: the win is of the number shown now */

export function meters() {
  const made = Object.fromEntries(NAMES.map((name) => [name, meter(name)]));
  const node = el("dl", { class: "meters" }, ...NAMES.map((name) => made[name].node));
  const [credit, win] = [counted(made.credit), counted(made.win)];

  /** @param {Figures} figures */
  const update = (figures) => {
    credit(figures.credit, figures.celebrated);
    made.bet.show(figures.bet);
    made.held.show(figures.held);
    shown(made.held.node, figures.held > 0);
    marked(made.win.node, "data-won", figures.celebrated ? "" : null);
    text(made.win.label, say(figures.isFresh || figures.win === 0 ? "meter.win" : "meter.last-win"));
    win(figures.win, figures.celebrated);
  };
  return { node, update };
}

/** @param {string} name */
function meter(name) {
  const [label, figure] = [el("dt", {}, say(`meter.${name}`)), el("dd", {})];
  const node = el("div", { class: "meter", "data-meter": name }, label, figure);
  const show = (/** @type {number} */ cents) => {
    const words = amount(cents);
    text(figure, words);
    marked(figure, "data-long", words.length > 10 ? "very" : words.length > 7 ? "yes" : null);
  };
  return { node, label, show };
}

/** Count up to a win, and the credit with it, once; show any other value at once. @param {ReturnType<typeof meter>} meter */
function counted({ show }) {
  let shown = 0;
  const count = countUp(show);
  return (/** @type {number} */ cents, /** @type {boolean} */ celebrated) => {
    if (cents !== shown) count(celebrated ? Math.min(shown, cents) : cents, cents);
    // Only the way of writing may have changed.
    else if (!celebrated) count(cents, cents);
    shown = cents;
  };
}
