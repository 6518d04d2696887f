// The credit, bet and win meters.

import { el } from "../shared/dom.js";
import { h, render } from "../shared/render.js";
import { say } from "../shared/text.js";
import { amount } from "./money.js";
import { countUp } from "./outcome.js";

/** @typedef {{credit: number, bet: number, win: number, isFresh: boolean, held: number, celebrated: boolean}} Figures
 *   isFresh: the win is of the number shown now */

export class Meters {
  constructor() {
    this.node = el("dl", { class: "meters" });
    /** @type {Figures} */
    this.figures = { credit: 0, bet: 0, win: 0, isFresh: false, held: 0, celebrated: false };
    /** What credit and win show while they are counted. */
    this.counted = { credit: 0, win: 0 };
    this.counts = { credit: this.#counter("credit"), win: this.#counter("win") };
  }

  /** Count up to a win, and the credit with it, once; show any other value at once. @param {Figures} figures */
  show(figures) {
    const before = this.figures;
    this.figures = figures;
    for (const name of /** @type {const} */ (["credit", "win"])) {
      const [was, is] = [before[name], figures[name]];
      if (was !== is || !figures.celebrated) {
        this.counts[name](figures.celebrated && was !== is ? Math.min(was, is) : is, is);
      }
    }
    this.#draw();
  }

  /** @param {"credit" | "win"} name */
  #counter(name) {
    return countUp((cents) => {
      this.counted[name] = cents;
      this.#draw();
    });
  }

  #draw() {
    const { bet, held, win, isFresh, celebrated } = this.figures;
    const last = isFresh || win === 0 ? "meter.win" : "meter.last-win";
    render(
      this.node,
      meter("credit", say("meter.credit"), this.counted.credit),
      meter("bet", say("meter.bet"), bet),
      meter("win", say(last), this.counted.win, { "data-won": celebrated }),
      meter("held", say("meter.held"), held, { hidden: held === 0 }),
    );
  }
}

/** @param {string} name @param {string} label @param {number} cents @param {Record<string, boolean>} [more] attributes */
function meter(name, label, cents, more = {}) {
  const words = amount(cents);
  const long = words.length > 10 ? "very" : words.length > 7 ? "yes" : null;
  return h(
    "div",
    { class: "meter", "data-meter": name, ...more },
    h("dt", null, label),
    h("dd", { "data-long": long }, words),
  );
}
