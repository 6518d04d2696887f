// The session line: the time of day, the time played and the net result, always to be seen; pressed, it tells more.

import { button, el, text } from "../../kit/dom.js";
import { say } from "../../kit/words.js";
import { openCollect } from "./collect.js";
import { netOf, openSession, played } from "./session.js";
import { clockOf, lengthOf } from "./when.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui @returns {{node: HTMLElement, update: () => void, tick: () => void}} */
export function sessionLine(ui) {
  const clock = el("span", { class: "clock" });
  const length = el("span", { class: "length" });
  const net = el("span", { class: "net" });
  const words = el("span", {}, clock, " ", length, " ", net);
  const node = button(words, () => openSession(ui, () => openCollect(ui)), { class: "sessionline" });
  const update = () => {
    const now = ui.session.now();
    const time = played(ui);
    text(clock, now === null ? "" : clockOf(now));
    text(length, time === null ? "" : say("session.line-played", { length: lengthOf(time) }));
    text(net, time === null ? "" : say("session.line-net", { net: netOf(ui.view().seat.session.net ?? 0) }));
  };
  return { node, update, tick: update };
}
