// The recall bar: confirms or cancels a recalled pattern. Nothing is staked before.

import { button, el, enabled, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { isReduced, sum } from "./calls.js";
import { amount } from "./money.js";

/**
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui @returns {{node: HTMLElement, update: (view: TerminalView) => void}} */
export function recallBar(ui) {
  const words = el("p", { role: "status" });
  const confirm = button(say("recall.confirm"), () => ui.sendCommand("ConfirmRecall"), { class: "main" });
  const cancel = button(say("recall.cancel"), () => ui.sendCommand("CancelRecall"));
  const node = el("div", { class: "recallbar", hidden: true }, words, confirm, cancel);
  const update = (/** @type {TerminalView} */ view) => {
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
