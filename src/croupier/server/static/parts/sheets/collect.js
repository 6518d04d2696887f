// Collecting: all free credits, after one question, as a slip or ticket.

import { button, el, enabled, shown, text } from "../../kit/dom.js";
import { amount } from "../../kit/money.js";
import { openSheet } from "../../kit/sheet.js";
import { isReady } from "../../kit/store.js";
import { say } from "../../kit/words.js";
import { reply } from "./reply.js";
import { formWords } from "./slip.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui */
export function openCollect(ui) {
  const told = reply();
  const sum = el("bdi", {});
  const staying = el("p", {});
  const slip = formWords((ui.data()?.slip ?? "ticket").replaceAll(" ", "_"));
  const yes = button(say("collect.yes"), () => told.await(ui.session.wish("cash_out"), () => sheet.close()), {
    class: "main",
  });
  const update = (/** @type {any} */ view) => {
    const { seat } = view;
    const staked = Object.values(seat.games).reduce((all, game) => all + (game.staked ?? 0), 0);
    text(sum, amount(seat.credit));
    text(staying, say("collect.staked", { staked: amount(staked) }));
    shown(staying, staked > 0);
    enabled(yes, isReady(view));
    told.update(view);
  };
  const sheet = openSheet({
    name: "collect",
    title: say("collect.title"),
    look: "narrow",
    body: [el("p", {}, say("collect.about", { slip })), el("p", { class: "sum" }, sum), staying, told.node],
    foot: [button(say("collect.no"), () => sheet.close()), yes],
    update,
  });
  update(ui.view());
}
