// The dialog with the figures of a session.

import { openDialog } from "../../shared/dialog.js";
import { button, el, text } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { clockOf, lengthOf } from "../../shared/times.js";
import { timePlayed } from "./session.js";
import { amount, netOf } from "../money.js";

/** @typedef {import("../controller.js").Controller} Controller */

/** @param {Controller} ui */
export function openSession(ui) {
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
          )
        ),
      ),
      el("p", { class: "quiet" }, say("session.about")),
    ],
    foot: [
      button(say("menu.own"), () => {
        dialog.close();
        ui.dialogs.own();
      }),
      button(say("session.collect"), () => {
        dialog.close();
        ui.dialogs.collect();
      }),
    ],
    update,
    tick: update,
  });
  update();
}
