// The live wheel of a table on the display, with a countdown ring around it.

import { el, isMotionReduced, marked, shown, svg, text } from "../shared/dom.js";
import { BETTING } from "../shared/store.js";
import { secondsLeft, zone } from "../shared/table_status.js";
import { say } from "../shared/text.js";
import { lookOf } from "../wheel/spin.js";
import { Wheel } from "../wheel/wheel.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

const RING = 2 * Math.PI * 48;
/** The longest landing: a number is shown then, whatever the picture does. */
const LANDING_US = 5.4e6;
const SPINS = new Set(["closed", "running", "at_rest"]);

export function liveWheel() {
  const arc = svg("circle", { r: 48, class: "arc", "stroke-dasharray": RING.toFixed(1) });
  const ring = svg("svg", { viewBox: "-50 -50 100 100", class: "countdown" }, svg("circle", { r: 48 }), arc);
  const host = el("div", {});
  const [seconds, unit] = [el("b", {}), el("span", {})];
  const centre = el("p", { class: "centre", "aria-hidden": "true" }, seconds, unit);
  const node = el("div", { class: "live-wheel", hidden: true });
  node.append(ring, host, centre);
  /** @type {Wheel | null} */
  let wheel = null;
  /** The felt whose wheel is drawn, the spin whose ball has come to rest, the current one, and how long bets are open. */
  let [drawn, landed, current, opened, whole] = ["", "", "", "", 1];

  /** Whether the ball of a number is still on its way. @param {TableState} table @param {number | null} now */
  const isLanding = (table, now) => {
    const { pocket, number_at: at = null, launched_at: launched = null } = table;
    if (!pocket || at === null || launched === null || now === null || isMotionReduced()) return false;
    return now < at + LANDING_US && landed !== spinOf(table);
  };

  /**
   * @param {TableState} table @param {Felt | null} felt @param {number | null} now @param {boolean} isSeen
   * @param {boolean} [isIdle] whether it also turns without a round
   */
  const update = (table, felt, now, isSeen, isIdle = false) => {
    const left = BETTING.has(table.phase) && !table.closed ? secondsLeft(table.closes_at, now) : null;
    const isSpin = SPINS.has(table.phase) || isLanding(table, now);
    const isLive = isSeen && felt !== null && (left !== null || isSpin || isIdle);
    shown(node, isLive);
    if (!isLive || !felt) return isLive;
    if (drawn !== felt.hash) {
      wheel?.destroy();
      drawn = felt.hash;
      wheel = new Wheel(host, { order: felt.wheel, say, on: { rest: () => (landed = current) } });
    }
    current = spinOf(table);
    wheel?.set({ ...lookOf(table), now, reduced: isMotionReduced() });
    if (opened !== `${table.round}` && left !== null) [opened, whole] = [`${table.round}`, Math.max(1, left)];
    marked(node, "data-zone", left !== null ? zone(left) : isSpin ? "over" : "none");
    const part = left === null || now === null || !table.closes_at ? 1 : (table.closes_at - now) / 1e6 / whole;
    arc.setAttribute("stroke-dashoffset", (RING * (1 - Math.min(1, Math.max(0, part)))).toFixed(1));
    shown(centre, left !== null);
    text(seconds, left ?? "");
    text(unit, say("timer.unit"));
    return isLive;
  };
  return { node, update, isLanding };
}

/** @param {TableState} table */
const spinOf = ({ round, spin }) => `${round}/${spin}`;
