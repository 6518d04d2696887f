// The credit, bet and win meters.

import { el, isMotionReduced, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { amount } from "./money.js";

/** How long a win is counted up. */
const COUNT_MS = 900;
const NAMES = /** @type {const} */ (["credit", "bet", "win", "held"]);

/** @typedef {{credit: number, bet: number, win: number, isFresh: boolean, held: number, celebrated: boolean}} Figures
 *   isFresh: the win is of the number shown now */

export function meters() {
  const made = Object.fromEntries(NAMES.map((name) => [name, meter(name)]));
  const node = el("dl", { class: "meters" }, ...NAMES.map((name) => made[name].node));
  const counted = counter((cents) => made.win.show(cents));

  /** @param {Figures} figures */
  const update = (figures) => {
    made.credit.show(figures.credit);
    made.bet.show(figures.bet);
    made.held.show(figures.held);
    shown(made.held.node, figures.held > 0);
    marked(made.win.node, "data-won", figures.celebrated ? "" : null);
    text(made.win.label, say(figures.isFresh || figures.win === 0 ? "meter.win" : "meter.last-win"));
    counted(figures.win, figures.celebrated);
  };
  return { node, update };
}

/** @param {string} name */
function meter(name) {
  const [label, figure] = [el("dt", {}, say(`meter.${name}`)), el("dd", {})];
  const node = el("div", { class: "meter", "data-meter": name }, label, figure);
  const show = (/** @type {number} */ cents) => {
    const refusals = amount(cents);
    text(figure, refusals);
    marked(figure, "data-long", refusals.length > 10 ? "very" : refusals.length > 7 ? "yes" : null);
  };
  return { node, label, show };
}

/** Count up to a win once; show any other value at once. @param {(cents: number) => void} show */
function counter(show) {
  let [target, begun, counts] = [0, 0, false];
  const step = () => {
    if (!counts) return;
    const part = Math.min(1, (performance.now() - begun) / COUNT_MS);
    counts = part < 1;
    show(counts ? Math.floor((target * (1 - (1 - part) ** 3)) / 100) * 100 : target);
    if (counts) requestAnimationFrame(step);
  };
  return (/** @type {number} */ cents, /** @type {boolean} */ celebrated) => {
    if (counts && cents === target) return;
    counts = cents !== target && celebrated && !isMotionReduced();
    target = cents;
    begun = performance.now();
    if (counts) step();
    else show(cents);
  };
}
