// The session: the time of day, how long somebody has played here, what was put in, and what has come of it.

import { button, el, text } from "../../kit/dom.js";
import { amount } from "../../kit/money.js";
import { openSheet } from "../../kit/sheet.js";
import { say } from "../../kit/words.js";
import { clockOf, lengthOf } from "./when.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** How long somebody has played here by now, in microseconds; null where nobody has.
 * @param {Ui} ui @returns {number | null} */
export function played(ui) {
  const since = ui.view().seat?.session?.since_us ?? null;
  const now = ui.session.now();
  return since === null || now === null ? null : Math.max(0, now - since);
}

/** A result with its sign, which never looks better than it is. @param {number} cents */
export const netOf = (cents) => (cents > 0 ? `+${amount(cents)}` : amount(cents));

/** @param {Ui} ui @param {() => void} collect */
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
    const length = played(ui);
    const told = ui.view().seat?.session;
    /** @type {Record<string, string>} */
    const values = {
      clock: now === null ? "–" : clockOf(now),
      played: length === null ? "–" : lengthOf(length),
      in: amount(told?.put_in ?? 0),
      out: amount(told?.taken_out ?? 0),
      games: String(told?.games ?? 0),
      net: netOf(told?.net ?? 0),
    };
    for (const { name, value } of rows) text(value, values[name]);
  };
  const sheet = openSheet({
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
        sheet.close();
        collect();
      }),
    ],
    update,
    tick: update,
  });
  update();
}
