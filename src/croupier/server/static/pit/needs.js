// What needs action: a card for everything that waits for somebody, the worst first.

import { each, el, shown, text } from "../kit/dom.js";
import { keyOf, needCard } from "./needscard.js";
import { noticesPart } from "./needsnotices.js";
import { titleOf } from "./needswords.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").Need} Need
 */

/** @param {Desk} desk @returns {import("../staff/desk.js").Part} */
export function needsPart(desk) {
  const cards = needCard(desk);
  const became = noticesPart(desk);
  const list = el("ol", { class: "cards" });
  const none = el("p", { class: "none" }, "Nothing waits for anybody.");
  const more = el("p", { class: "none" });
  const news = el("p", { class: "unseen", role: "status" });
  const frame = el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Needs action" },
    became.node,
    list,
    none,
    more,
  );
  const node = el("section", { class: "needs" }, el("h2", { class: "label" }, "Needs action"), news, frame);
  /** @type {Set<string> | null} */
  let known = null;
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const needs = view.floor?.needs ?? [];
    became.update(view);
    each(list, needs, keyOf, cards.make, cards.update);
    shown(none, needs.length === 0);
    const rest = view.floor?.needs_more ?? 0;
    text(more, `${rest} more wait behind these.`);
    shown(more, rest > 0);
    const keys = new Set(needs.map(keyOf));
    const fresh = needs.filter((need) => known !== null && !known.has(keyOf(need)));
    if (fresh.length > 0) text(news, `New: ${fresh.map(titleOf).join("; ")}`);
    known = view.floor ? keys : null;
  };
  return { node, update, tick: cards.tick };
}
