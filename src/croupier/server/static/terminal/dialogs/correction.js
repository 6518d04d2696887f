// A correction of a settled round: what it changed, until the player has acknowledged it.

import { clauseInfo } from "../../shared/clause.js";
import { openDialog } from "../../shared/dialog.js";
import { button, el } from "../../shared/dom.js";
import { say, seatMessageText } from "../../shared/text.js";
import { amount } from "../money.js";

/** @param {import("../controller.js").Controller} ui @param {import("../../shared/types/wire.js").MessageView} message */
export function openCorrection(ui, message) {
  const dialog = openDialog({
    name: "correction",
    title: say(message.kind === "returned" ? "status.no_spin" : "correction.title"),
    light: false,
    body: [
      el("p", { dir: "auto" }, seatMessageText(message, amount)),
      clauseInfo((one) => ui.dialogs.rules(one), message.clause).node,
    ],
    foot: [button(say("correction.ok"), () => dialog.close(), { class: "main" })],
  });
}
