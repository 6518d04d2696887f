// The dialog of a held win.

import { clauseSign } from "../../shared/clause.js";
import { openDialog } from "../../shared/dialog.js";
import { button, h, icon } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { amount } from "../money.js";

/** The dialog closes when the win was released or paid by hand. @param {import("../controller.js").Controller} ui */
export function openHeldWin(ui) {
  const dialog = openDialog({
    name: "hold",
    title: say("hold.title"),
    body: () => {
      const { held = 0, holds = [] } = ui.seated().seat;
      return [
        h("div", { class: "sign" }, icon("form")),
        h("p", null, say("hold.why")),
        h("p", { class: "sum" }, h("bdi", null, amount(held))),
        h(
          "ul",
          { class: "log" },
          holds.map(({ amount: cents, clause }) =>
            h(
              "li",
              { class: "one" },
              h("p", null, say("hold.win", { amount: amount(cents) })),
              clauseSign(clause, (one) => ui.dialogs.rules(one)),
            )
          ),
        ),
        h("p", { class: "next" }, icon("alert"), h("span", null, say("hold.attendant"))),
        h("p", { class: "quiet" }, say("hold.after")),
      ];
    },
    foot: () => [
      button(say("hold.back"), () => dialog.close()),
      button(say("attendant.title"), () => ui.dialogs.attendant(), { class: "main" }),
    ],
    update: ({ seat }) => seat?.held || dialog.close(),
  });
}
