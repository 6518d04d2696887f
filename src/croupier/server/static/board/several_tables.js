// Several tables on one display, page by page in rotation.

import { each, el, marked, text } from "../shared/dom.js";
import { locale, say } from "../shared/text.js";
import { liveWheel } from "./live_wheel.js";
import { authorityRule, numberRing, pastNumbers, phase } from "./one_table.js";
import { nameOf } from "./table_state.js";
import { tableMessage } from "../shared/phase.js";

/** @typedef {import("./one_table.js").Shown} Shown */

const PAST_MOST = 8;

/** @typedef {{node: HTMLElement, update: (shows: Shown, now: number | null) => void}} Card */

/** @returns {{node: HTMLElement, update: (shows: Shown[], now: number | null) => void}} */
export function severalTables() {
  const node = el("div", { class: "several" });
  /** @type {WeakMap<HTMLElement, Card>} */
  const cards = new WeakMap();
  const made = () => {
    const one = card();
    cards.set(one.node, one);
    return one.node;
  };
  /** @param {Shown[]} shows @param {number | null} now */
  const update = (shows, now) =>
    each(
      node,
      shows,
      ({ table }) => table.table,
      made,
      (one, each_) => cards.get(one)?.update(each_, now),
    );
  return { node, update };
}

/** @returns {Card} */
function card() {
  const name = el("h2", {});
  const [number, before, foot] = [numberRing(), pastNumbers(PAST_MOST), phase()];
  const rule = el("p", { class: "rule" });
  const live = liveWheel();
  number.node.append(live.node);
  const node = el("article", { class: "card" }, el("header", {}, name, foot.node), number.node, before.node, rule);
  /** @param {Shown} shows @param {number | null} now */
  const update = ({ table, sent = table, felt, display, arrived }, now) => {
    const isAway = display.is === "away";
    text(name, nameOf(table.table));
    // The header of the card shows the phase already.
    number.update({ ...display, words: display.words.filter((words) => words !== tableMessage(table)) });
    // A wheel instead of an empty disc; it has the number already, so that the ball lands in it.
    const isLive = live.update(sent, felt, now, display.is === "none", table.phase === "between");
    marked(number.node, "data-live", isLive ? "" : null);
    before.update(isAway ? [] : (table.numbers ?? []), felt?.colours);
    foot.update(isAway ? undefined : table, now);
    text(rule, authorityRule(table.rulebook, arrived));
  };
  return { node, update };
}

// Rotation: which of many tables the display shows now. A table with a new number is shown at once.

const AT_ONCE = 4;
const TURN_MS = 15_000;
/** The least time that a number is shown. */
const FRESH_MS = 10_000;

export class Rotation {
  /** The last number of each table, and since when it is shown. @type {Map<string, {of: string, at_ms: number}>} */
  #shownSince = new Map();

  /** Choose from all tables, in order. @param {Shown[]} all @param {number} at_ms @returns {Shown[]} */
  shows(all, at_ms) {
    for (const one of all) this.#note(one, at_ms);
    const fresh = all.filter((one) => this.#since(one) > at_ms - FRESH_MS);
    fresh.sort((one, other) => this.#since(other) - this.#since(one));
    const chosen = [...new Set([...fresh, ...inRotation(all, at_ms)])].slice(0, AT_ONCE);
    return all.filter((one) => chosen.includes(one));
  }

  /** @param {Shown} one @param {number} at_ms */
  #note({ table, display }, at_ms) {
    const of = `${table.round} ${display.number}`;
    if (display.is === "number" && this.#shownSince.get(table.table)?.of !== of) {
      this.#shownSince.set(table.table, { of, at_ms });
    }
  }

  /** @param {Shown} one */
  #since({ table }) {
    return this.#shownSince.get(table.table)?.at_ms ?? -Infinity;
  }
}

/** @template T @param {T[]} all @param {number} at_ms @returns {T[]} */
function inRotation(all, at_ms) {
  const turn = Math.floor(at_ms / TURN_MS) % Math.max(1, Math.ceil(all.length / AT_ONCE));
  return all.slice(turn * AT_ONCE).slice(0, AT_ONCE);
}

/** Name the tables shown, where not all are. @param {Shown[]} all @param {Shown[]} shown */
export function rotationText(all, shown) {
  if (shown.length === all.length) return "";
  const places = shown.map((one) => all.indexOf(one) + 1);
  const [first, last] = [places[0], places[places.length - 1]];
  const isRow = places.length > 1 && last - first === places.length - 1;
  const list = isRow ? `${first}–${last}` : new Intl.ListFormat(locale()).format(places.map(String));
  return say("board.rotation", { n: places.length, tables: list, all: all.length });
}
