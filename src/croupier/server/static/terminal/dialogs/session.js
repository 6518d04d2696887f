// Session time and net result.

import { button, h } from "../../shared/render.js";
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

/** @param {Controller} ui */
export function sessionLine(ui) {
  const [now, time] = [ui.session.now(), timePlayed(ui)];
  const net = netOf(ui.view().seat?.session?.net ?? 0);
  return button(
    h(
      "span",
      null,
      h("span", { class: "clock" }, now === null ? "" : clockOf(now)),
      " ",
      h("span", { class: "length" }, time === null ? "" : say("session.line-played", { length: lengthOf(time) })),
      " ",
      h("span", { class: "net" }, time === null ? "" : say("session.line-net", { net })),
    ),
    () => ui.dialogs.session(),
    { class: "sessionline" },
  );
}
