// A correction of a settled round: what it changed, until the player has acknowledged it.

import { clauseSign } from "../../shared/clause.js";
import { openDialog } from "../../shared/dialog.js";
import { button, h } from "../../shared/render.js";
import { say, seatMessageText } from "../../shared/text.js";
import { amount } from "../money.js";

/** @param {import("../controller.js").Controller} ui @param {import("../../shared/types/wire.js").MessageView} message */
export function openCorrection(ui, message) {
  const dialog = openDialog({
    name: "correction",
    title: say(message.kind === "returned" ? "status.no_spin" : "correction.title"),
    light: false,
    body: () => [
      h("p", { dir: "auto" }, seatMessageText(message, amount)),
      clauseSign(message.clause, (one) => ui.dialogs.rules(one)),
    ],
    foot: () => button(say("correction.ok"), () => dialog.close(), { class: "main" }),
  });
}
