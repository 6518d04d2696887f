// The dialog with the figures of a session.

import { openDialog } from "../../shared/dialog.js";
import { button, h } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { clockOf, lengthOf } from "../../shared/times.js";
import { timePlayed } from "./session.js";
import { amount, netOf } from "../money.js";

/** @typedef {import("../controller.js").Controller} Controller */

/** @param {Controller} ui */
export function openSession(ui) {
  const leave = (/** @type {() => void} */ open) => () => {
    dialog.close();
    open();
  };
  const dialog = openDialog({
    name: "session",
    title: say("session.title"),
    look: "narrow",
    body: () => [
      h("dl", { class: "facts" }, factsOf(ui).map(([name, title, words]) => fact(name, title, words))),
      h("p", { class: "quiet" }, say("session.about")),
    ],
    foot: () => [
      button(say("menu.own"), leave(() => ui.dialogs.own())),
      button(say("session.collect"), leave(() => ui.dialogs.collect())),
    ],
  });
}

/** @param {string} name @param {string} title @param {string} words */
const fact = (name, title, words) =>
  h("div", { class: name }, h("dt", null, title), h("dd", null, h("bdi", null, words)));

/** @param {Controller} ui @returns {[name: string, title: string, words: string][]} */
function factsOf(ui) {
  const [now, length] = [ui.session.now(), timePlayed(ui)];
  const session = ui.view().seat?.session;
  return [
    ["clock", say("session.clock"), now === null ? "–" : clockOf(now)],
    ["played", say("session.played"), length === null ? "–" : lengthOf(length)],
    ["in", say("session.in"), amount(session?.put_in ?? 0)],
    ["out", say("session.out"), amount(session?.taken_out ?? 0)],
    ["games", say("session.games"), String(session?.games ?? 0)],
    ["net", say("session.net"), netOf(session?.net ?? 0)],
  ];
}
