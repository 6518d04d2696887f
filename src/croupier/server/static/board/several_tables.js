// Several tables on one display, page by page in rotation.

import { drawnNumbers } from "../shared/multiples.js";
import { h } from "../shared/render.js";
import { locale, say, tableName } from "../shared/text.js";
import { authorityRule, numberRing, pastNumbers, phase } from "./one_table.js";
import { tableMessage } from "../shared/phase.js";

/** @typedef {import("./one_table.js").Shown} Shown */

const PAST_MOST = 8;

/** @param {Shown[]} shows @param {(table: string) => import("./live_wheel.js").LiveWheel} wheelOf */
export const severalTables = (shows, wheelOf) =>
  h("div", { class: "several" }, shows.map((one) => card(one, wheelOf(one.table.table))));

/** @param {Shown} shows @param {import("./live_wheel.js").LiveWheel} wheel */
function card({ table, sent, felt, display, arrived, now }, wheel) {
  const isAway = display.is === "away";
  // A wheel instead of an empty disc; it has the number already, so that the ball lands in it.
  const live = wheel.draw(sent, felt, now, display.is === "none", table.phase === "between");
  // The header of the card shows the phase already.
  const words = display.words.filter((word) => word !== tableMessage(table));
  return h(
    "article",
    { class: "card", key: table.table },
    h("header", null, h("h2", null, tableName(table.table)), phase(isAway ? undefined : table, now)),
    numberRing({ ...display, words }, live, !isAway && drawnNumbers(table.multiples, felt?.colours)),
    pastNumbers(isAway ? [] : (table.numbers ?? []), felt?.colours, PAST_MOST),
    h("p", { class: "rule" }, authorityRule(table.rulebook, arrived)),
  );
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
