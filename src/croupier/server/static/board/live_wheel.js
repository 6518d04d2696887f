// The live wheel of a table on the display, with a countdown ring around it.

import { isMotionReduced } from "../shared/dom.js";
import { h } from "../shared/render.js";
import { ring } from "../shared/ring.js";
import { BETTING } from "../shared/store.js";
import { secondsLeft, zone } from "../shared/table_status.js";
import { say } from "../shared/text.js";
import { lookOf } from "../wheel/spin.js";
import { Wheel } from "../wheel/wheel.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

/** The longest landing: a number is shown then, whatever the picture does. */
const LANDING_US = 5.4e6;
const SPINS = new Set(["closed", "running", "at_rest"]);

export class LiveWheel {
  /** Where the wheel turns. */
  #host = document.createElement("div");
  /** @type {Wheel | null} */
  #wheel = null;
  /** The felt whose wheel is drawn, the spin whose ball has come to rest, the current one, and how long bets are open. */
  #drawn = "";
  #landed = "";
  #current = "";
  #opened = { round: 0, seconds: 1 };

  /** Whether the ball of a number is still on its way. @param {TableState} table @param {number | null} now */
  isLanding(table, now) {
    const { pocket, number_at: at = null, launched_at: launched = null } = table;
    if (!pocket || at === null || launched === null || now === null || isMotionReduced()) return false;
    return now < at + LANDING_US && this.#landed !== spinOf(table);
  }

  /**
   * The wheel, or null where it has nothing to show.
   * @param {TableState} table @param {Felt | null} felt @param {number | null} now @param {boolean} isSeen
   * @param {boolean} [isIdle] whether it also turns without a round
   */
  draw(table, felt, now, isSeen, isIdle = false) {
    const left = BETTING.has(table.phase) && !table.closed ? secondsLeft(table.closes_at, now) : null;
    const isSpin = SPINS.has(table.phase) || this.isLanding(table, now);
    if (!isSeen || felt === null || (left === null && !isSpin && !isIdle)) return null;
    this.#turn(table, felt, now);
    if (this.#opened.round !== table.round && left !== null) {
      this.#opened = { round: table.round, seconds: Math.max(1, left) };
    }
    const part = left === null || now === null || !table.closes_at
      ? 1
      : (table.closes_at - now) / 1e6 / this.#opened.seconds;
    return h(
      "div",
      { class: "live-wheel", "data-zone": left !== null ? zone(left) : isSpin ? "over" : "none" },
      ring(part, 48),
      this.#host,
      left !== null &&
        h("p", { class: "centre", "aria-hidden": "true" }, h("b", null, left), h("span", null, say("timer.unit"))),
    );
  }

  /** @param {TableState} table @param {Felt} felt @param {number | null} now */
  #turn(table, felt, now) {
    if (this.#drawn !== felt.hash) {
      this.#wheel?.destroy();
      this.#drawn = felt.hash;
      const rest = () => (this.#landed = this.#current);
      this.#wheel = new Wheel(this.#host, { order: felt.wheel, say, on: { rest } });
    }
    this.#current = spinOf(table);
    this.#wheel?.set({ ...lookOf(table), now, reduced: isMotionReduced() });
  }
}

/** @param {TableState} table */
const spinOf = ({ round, spin }) => `${round}/${spin}`;
