// The moment of a result: what is shown when, and how large a win is.

import { isMotionReduced } from "../shared/dom.js";
import { PAID_MS, stakeTotals } from "../shared/result_delay.js";

/**
 * @typedef {import("./controller.js").GameState} GameState
 * @typedef {import("../shared/result_delay.js").Settled} Settled
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 */

/**
 * What is shown of a result: the number in the wheel, then the felt as it was, then the marker and what lost, then what
 * is paid.
 * @typedef {"none" | "number" | "felt" | "marker" | "paid"} Stage
 * @typedef {"large" | "small" | "less" | "none"} Mood how large a win is: less than was staked is none
 */

/** When each stage ends, in milliseconds since the result was first drawn. @type {[Stage, number][]} */
const STAGES = [
  ["number", 900],
  ["felt", 1600],
  ["marker", PAID_MS],
];
/** A net win of so many times the stake is a large one. */
const LARGE = 3;
const SPINS = new Set(["closed", "running", "at_rest"]);

/** Whether a ball may be running at a table whose bets are closed. @param {TableState} table */
export const isSpinning = ({ phase, pocket }) => SPINS.has(phase) && (pocket ?? null) === null;

export class Timeline {
  /** @param {() => void} redraw */
  constructor(redraw) {
    this.redraw = redraw;
    /** The result that is shown, and when it was first drawn. */
    this.of = "";
    this.since = -Infinity;
    this.sawSpin = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** The stage now. @param {TableState} table @returns {Stage} */
  stage(table) {
    const pocket = table.pocket ?? null;
    const of = pocket === null ? "" : `${table.round}/${table.spin}`;
    // A page that did not show the spin shows its result as it is.
    if (of !== this.of) [this.of, this.since] = [of, this.sawSpin ? performance.now() : -Infinity];
    this.sawSpin = isSpinning(table);
    if (pocket === null) return "none";
    const elapsed = isMotionReduced() ? Infinity : performance.now() - this.since;
    const [stage, until] = STAGES.find(([, end]) => elapsed < end) ?? ["paid", 0];
    clearTimeout(this.timer);
    if (stage !== "paid") this.timer = setTimeout(this.redraw, until - elapsed);
    return /** @type {Stage} */ (stage);
  }
}

/**
 * What a round brought.
 * @typedef {object} Brought
 * @property {number} staked
 * @property {number} won beyond the winning stakes
 * @property {number} returned winnings, winning stakes, and halves of losing ones
 * @property {Mood} mood
 * @property {Record<string, number>} paid winnings by spot
 */

/** @param {GameState} at @param {Settled | null} settled @returns {Brought | null} null where nothing was staked */
export function broughtBy({ table, mine, data }, settled) {
  if (settled === null || settled.pocket === null || Object.keys(settled.stakes).length === 0) return null;
  const { pocket, stakes } = settled;
  let { kept, lost } = stakeTotals(stakes, pocket, data.covers);
  const won = mine.won ?? 0;
  // La partage and surrender: half of these stakes came back, which is no win.
  const halves = (data.halved[pocket] ?? []).reduce((sum, spot) => sum + Math.floor((stakes[spot] ?? 0) / 2), 0);
  const paid = Object.fromEntries(
    Object.entries(stakes)
      .filter(([spot]) => data.covers.get(spot)?.includes(pocket))
      .map(([spot, stake]) => [spot, wonBy(data, spot, stake, table.multiples)]),
  );
  // What was won beyond the odds is of the pot. One that must be won is won on every number.
  const ofPot = won - Object.values(paid).reduce((sum, each) => sum + each, 0);
  for (const spot of Object.keys(table.pots ?? {}).filter((each) => ofPot > 0 && each in stakes)) {
    if (!(spot in paid)) [kept, lost] = [kept + stakes[spot], lost - stakes[spot]];
    paid[spot] = ofPot;
  }
  const [staked, net] = [kept + lost, won - lost + halves];
  /** @type {Mood} */
  const mood = net >= LARGE * staked ? "large" : net > 0 ? "small" : kept > 0 ? "less" : "none";
  return { staked, won, returned: won + kept + halves, mood, paid };
}

/**
 * The winnings of a stake: each part of it at the odds of its step, in whole cents, up to the cap.
 * @param {GameState["data"]} data @param {string} spot @param {number} stake
 * @param {Record<string, number>} [multiples] what was drawn for the spin
 */
export function wonBy(data, spot, stake, multiples = {}) {
  const row = data.kinds.find(({ kind }) => kind === data.spotsByKey.get(spot)?.kind);
  if (!row) return 0;
  if (row.kind === "straight" && spot in multiples) return stake * multiples[spot];
  const bounds = [0, ...row.steps.map(([over]) => over), stake];
  const odds = [row.pays, ...row.steps.map(([, pays]) => pays)];
  const parts = odds.map((pays, at) => Math.max(0, Math.min(bounds[at + 1], stake) - bounds[at]) * valueOf(pays));
  // Fractions of a cent are cut off, but not those that floating point adds to whole cents.
  const won = Math.floor(parts.reduce((sum, part) => sum + part, 0) + 1e-6);
  return row.win_most === null ? won : Math.min(won, row.win_most);
}

/** Odds to one: a number, or a fraction such as 6/5. @param {number | string} pays */
function valueOf(pays) {
  const [over, under = "1"] = String(pays).split("/");
  return Number(over) / Number(under);
}

/** How long an amount is counted up. */
const COUNT_MS = 900;

/** Count an amount up, or show it at once where no motion is wanted. @param {(cents: number) => void} show */
export function countUp(show) {
  let counts = 0;
  return (/** @type {number} */ from, /** @type {number} */ to) => {
    const [mine, begun] = [counts += 1, performance.now()];
    const step = () => {
      if (mine !== counts) return;
      const part = isMotionReduced() ? 1 : Math.min(1, (performance.now() - begun) / COUNT_MS);
      show(part < 1 ? Math.floor((to - (to - from) * (1 - part) ** 3) / 100) * 100 : to);
      if (part < 1) requestAnimationFrame(step);
    };
    step();
  };
}
