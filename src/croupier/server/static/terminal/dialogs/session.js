// Session time and net result.

import { openDialog } from "../../shared/dialog.js";
import { button, el, text } from "../../shared/dom.js";
import { amount } from "../../shared/money.js";
import { say } from "../../shared/text.js";
import { openCollect } from "./money.js";
import { clockOf, lengthOf } from "./slip.js";

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

/** A result with its sign. @param {number} cents */
export const netOf = (cents) => (cents > 0 ? `+${amount(cents)}` : amount(cents));

/** @param {Controller} ui @param {() => void} collect */
export function openSession(ui, collect) {
  const rows = ["clock", "played", "in", "out", "games", "net"].map((name) => ({ name, value: el("bdi", {}) }));
  const words = {
    clock: say("session.clock"),
    played: say("session.played"),
    in: say("session.in"),
    out: say("session.out"),
    games: say("session.games"),
    net: say("session.net"),
  };
  const update = () => {
    const now = ui.session.now();
    const length = timePlayed(ui);
    const session = ui.view().seat?.session;
    /** @type {Record<string, string>} */
    const values = {
      clock: now === null ? "–" : clockOf(now),
      played: length === null ? "–" : lengthOf(length),
      in: amount(session?.put_in ?? 0),
      out: amount(session?.taken_out ?? 0),
      games: String(session?.games ?? 0),
      net: netOf(session?.net ?? 0),
    };
    for (const { name, value } of rows) text(value, values[name]);
  };
  const dialog = openDialog({
    name: "session",
    title: say("session.title"),
    look: "narrow",
    body: [
      el(
        "dl",
        { class: "facts" },
        ...rows.map(({ name, value }) =>
          el(
            "div",
            { class: name },
            el("dt", {}, words[/** @type {keyof typeof words} */ (name)]),
            el("dd", {}, value),
          ),
        ),
      ),
      el("p", { class: "quiet" }, say("session.about")),
    ],
    foot: [
      button(say("session.collect"), () => {
        dialog.close();
        collect();
      }),
    ],
    update,
    tick: update,
  });
  update();
}

// The session line: time of day, time played and net result. Pressing it opens the session dialog.

/** @param {Controller} ui @returns {{node: HTMLElement, update: () => void, tick: () => void}} */
export function sessionLine(ui) {
  const clock = el("span", { class: "clock" });
  const length = el("span", { class: "length" });
  const net = el("span", { class: "net" });
  const words = el("span", {}, clock, " ", length, " ", net);
  const node = button(words, () => openSession(ui, () => openCollect(ui)), { class: "sessionline" });
  const update = () => {
    const now = ui.session.now();
    const time = timePlayed(ui);
    text(clock, now === null ? "" : clockOf(now));
    text(length, time === null ? "" : say("session.line-played", { length: lengthOf(time) }));
    text(net, time === null ? "" : say("session.line-net", { net: netOf(ui.view().seat?.session?.net ?? 0) }));
  };
  return { node, update, tick: update };
}
