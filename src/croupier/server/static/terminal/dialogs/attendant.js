// The call for an attendant: on the bar, and the dialog that says what it is about.

import { openDialog } from "../../shared/dialog.js";
import { button, h, icon } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { clockOf } from "../../shared/times.js";
import { Reply } from "./response.js";

/** @typedef {import("../controller.js").Controller} Controller */

/** What a call may be about. @type {("bet" | "money" | "screen" | "other")[]} */
const REASONS = ["bet", "money", "screen", "other"];

/**
 * The dialog of a call. Without a call it asks what it is about; each choice calls, and may be changed after that. It
 * closes when the call was answered or taken back.
 * @param {Controller} ui
 */
export function openAttendant(ui) {
  const response = new Reply(ui);
  const send = (/** @type {string} */ type, /** @type {object} */ more = {}) => {
    const { terminal } = ui.seated().fixture;
    void response.await(ui.session.sendCommand({ type, terminal, ...more }));
  };
  const reason = (/** @type {string} */ id) =>
    button(say(`attendant.${id}`), () => send("CallAttendant", { reason: id }), {
      key: id,
      "data-reason": id,
      "aria-pressed": String(ui.seated().seat.call?.reason === id),
    });
  const state = () => {
    const { seat: { call }, fixture: { terminal } } = ui.seated();
    const since = call && say("attendant.since", { terminal, time: clockOf(call.since_us) });
    return h(
      "p",
      { class: "called", role: "status", "data-called": Boolean(call) },
      h("span", { class: "ring" }, icon("bell")),
      h(
        "span",
        null,
        h("b", null, say(call ? "attendant.sent" : "attendant.ask")),
        h("span", null, since || say("attendant.stays")),
      ),
    );
  };
  let called = Boolean(ui.seated().seat.call);
  const dialog = openDialog({
    name: "attendant",
    title: say("attendant.title"),
    look: "narrow",
    body: () => [state(), response.tree(), h("div", { class: "reasons" }, REASONS.map(reason))],
    foot: () => [
      button(say("attendant.take-back"), () => send("WithdrawCall"), { hidden: !ui.seated().seat.call }),
      button(say("attendant.close"), () => dialog.close(), { class: "main" }),
    ],
    update: ({ seat }) => {
      if (called && !seat?.call) dialog.close();
      called = Boolean(seat?.call);
    },
  });
}
