// Session time and net result.

import { button, el, text } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { clockOf, lengthOf } from "../../shared/times.js";
import { netOf } from "../money.js";

/** @typedef {import("../controller.js").Controller} Controller */

/**
 * How long the current session has lasted, in microseconds; null where there is none.
 * @param {Controller} ui @returns {number | null}
 */
export function timePlayed(ui) {
  const since = ui.view().seat?.session?.since_us ?? null;
  const now = ui.session.now();
  return since === null || now === null ? null : Math.max(0, now - since);
}

// The session line: time of day, time played and net result. Pressing it opens the session dialog.

/** @param {Controller} ui @returns {{node: HTMLElement, update: () => void, tick: () => void}} */
export function sessionLine(ui) {
  const clock = el("span", { class: "clock" });
  const length = el("span", { class: "length" });
  const net = el("span", { class: "net" });
  const words = el("span", {}, clock, " ", length, " ", net);
  const node = button(words, () => ui.dialogs.session(), { class: "sessionline" });
  const update = () => {
    const now = ui.session.now();
    const time = timePlayed(ui);
    text(clock, now === null ? "" : clockOf(now));
    text(length, time === null ? "" : say("session.line-played", { length: lengthOf(time) }));
    text(net, time === null ? "" : say("session.line-net", { net: netOf(ui.view().seat?.session?.net ?? 0) }));
  };
  return { node, update, tick: update };
}
