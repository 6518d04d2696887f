// Several tables on one board: a card for each, four at a time; where there are more they take turns.

import { each, el, text } from "../kit/dom.js";
import { saysOf } from "../staff/words.js";
import { counts, phase } from "./foot.js";
import { past } from "./past.js";
import { ring } from "./ring.js";

const PAST_MOST = 8;

/** @typedef {import("./whole.js").Shown} Shown */
/** @typedef {{node: HTMLElement, update: (shows: Shown, now: number | null) => void}} Card */

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
    // The head of the card says the phase already.
    number.update({ ...telling, words: telling.words.filter((words) => words !== saysOf(table)) });
    before.update(isAway ? [] : (table.numbers ?? []), felt?.colours);
    foot.update(isAway ? undefined : table, now);
    text(rule, counts(table.rulebook, arrived));
  };
  return { node, update };
}
