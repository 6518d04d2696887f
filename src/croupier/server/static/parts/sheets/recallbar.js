// The recall bar: what lies on the felt as ghosts after a recall, to be placed or let go. Nothing is staked before.

import { button, el, enabled, shown, text } from "../../kit/dom.js";
import { amount } from "../../kit/money.js";
import { say } from "../../kit/words.js";
import { isReduced, sum } from "./chips.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui @returns {{node: HTMLElement, update: (view: any) => void}} */
export function recallBar(ui) {
  const words = el("p", { role: "status" });
  const confirm = button(say("recall.confirm"), () => ui.ask("ConfirmRecall"), { class: "main" });
  const cancel = button(say("recall.cancel"), () => ui.ask("CancelRecall"));
  const node = el("div", { class: "recallbar", hidden: true }, words, confirm, cancel);
  const update = (/** @type {any} */ view) => {
    const ghosts = view.seat?.games[ui.focus()]?.ghosts ?? {};
    const there = Object.keys(ghosts).length > 0;
    shown(node, there);
    if (!there) return text(words, "");
    const total = amount(sum(ghosts));
    text(words, isReduced(view.seat, ghosts) ? say("recall.place-reduced", { total }) : say("recall.place", { total }));
    for (const control of [confirm, cancel]) enabled(control, ui.isOpen());
  };
  return { node, update };
}
