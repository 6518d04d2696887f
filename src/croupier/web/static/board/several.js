// Several tables on one board: a card for each, four at a time; where there are more, the next four take their turn.

import { each, el, text } from "../kit/dom.js";
import { counts, phase } from "./foot.js";
import { past } from "./past.js";
import { ring } from "./ring.js";

const AT_ONCE = 4;
const TURN_MS = 15_000;
const PAST_MOST = 8;

/** @typedef {import("./whole.js").Shown} Shown */
/** @typedef {{node: HTMLElement, update: (shows: Shown, now: number | null) => void}} Card */

/** The place of the first table that is shown at a time. @param {number} tables @param {number} at_ms */
const firstAt = (tables, at_ms) => (Math.floor(at_ms / TURN_MS) % Math.max(1, Math.ceil(tables / AT_ONCE))) * AT_ONCE;

/** Which of many tables are shown at a time. @template T @param {T[]} all @param {number} at_ms @returns {T[]} */
export const onTurn = (all, at_ms) => all.slice(firstAt(all.length, at_ms)).slice(0, AT_ONCE);

/** Say which that are, where not all are shown at once. @param {number} tables @param {number} at_ms */
export function turnWords(tables, at_ms) {
  const first = firstAt(tables, at_ms);
  return tables > AT_ONCE ? `Tables ${first + 1} to ${Math.min(first + AT_ONCE, tables)} of ${tables}` : "";
}

/** @returns {{node: HTMLElement, update: (shows: Shown[], now: number | null) => void}} */
export function several() {
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
  const [number, before, foot] = [ring(), past(PAST_MOST), phase()];
  const rule = el("p", { class: "rule" });
  const node = el("article", { class: "card" }, el("header", {}, name, foot.node), number.node, before.node, rule);
  /** @param {Shown} shows @param {number | null} now */
  const update = ({ table, felt, telling, arrived }, now) => {
    const isAway = telling.is === "away";
    text(name, `Table ${table.table}`);
    number.update(telling);
    before.update(isAway ? [] : (table.numbers ?? []), felt?.colours);
    foot.update(isAway ? undefined : table, now);
    text(rule, counts(table.rulebook, arrived));
  };
  return { node, update };
}
