// The call for an attendant: on the bar, and the dialog that says what it is about.

import { openDialog } from "../../shared/dialog.js";
import { button, el, icon, marked, shown, text } from "../../shared/dom.js";
import { isReady } from "../../shared/store.js";
import { say } from "../../shared/text.js";
import { clockOf } from "../../shared/times.js";
import { reply } from "./response.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** What a call may be about. @type {("bet" | "money" | "screen" | "other")[]} */
const REASONS = ["bet", "money", "screen", "other"];

/**
 * The dialog of a call. Without a call it asks what it is about; each choice calls, and may be changed after that.
 * @param {Controller} ui
 */
export function openAttendant(ui) {
  const response = reply();
  const send = (/** @type {string} */ type, /** @type {object} */ more = {}) => {
    const { fixture } = ui.seated();
    if (!isReady(ui.view())) return response.await(null);
    response.await(ui.session.sendCommand({ type, terminal: fixture.terminal, ...more }));
  };
  const title = el("b", {});
  const about = el("span", {});
  const state = el(
    "p",
    { class: "called", role: "status" },
    el("span", { class: "ring" }, icon("bell")),
    el("span", {}, title, about),
  );
  const keys = REASONS.map((reason) =>
    button(say(`attendant.${reason}`), () => send("CallAttendant", { reason }), {
      "data-reason": reason,
      "aria-pressed": "false",
    })
  );
  const back = button(say("attendant.take-back"), () => send("WithdrawCall"));
  let called = false;
  const update = (/** @type {TerminalView} */ view) => {
    const { call } = view.seat;
    marked(state, "data-called", call ? "" : null);
    text(title, say(call ? "attendant.sent" : "attendant.ask"));
    text(
      about,
      call
        ? say("attendant.since", { terminal: view.fixture.terminal, time: clockOf(call.since_us) })
        : say("attendant.stays"),
    );
    for (const key of keys) marked(key, "aria-pressed", String(call?.reason === key.dataset.reason));
    shown(back, Boolean(call));
    response.update(view);
    // The call was answered or taken back.
    if (called && !call) return dialog.close();
    called = Boolean(call);
  };
  const dialog = openDialog({
    name: "attendant",
    title: say("attendant.title"),
    look: "narrow",
    body: [state, response.node, el("div", { class: "reasons" }, ...keys)],
    foot: [back, button(say("attendant.close"), () => dialog.close(), { class: "main" })],
    update,
  });
  update(ui.seated());
}
