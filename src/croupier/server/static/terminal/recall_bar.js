// The recall bar: confirms or cancels a recalled pattern. Nothing is staked before.

import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { isReduced, sum } from "./calls.js";
import { amount } from "./money.js";

/** @typedef {import("./controller.js").Controller} Controller */

/** The chips of a recalled pattern, which wait for confirmation. @param {Controller} ui */
const ghostsOf = (ui) => ui.game()?.ghosts ?? {};

/** Whether a recalled pattern waits: no chip is chosen meanwhile. @param {Controller} ui */
export const isRecalling = (ui) => Object.keys(ghostsOf(ui)).length > 0;

/** @param {Controller} ui */
export function recallBar(ui) {
  const [ghosts, disabled] = [ghostsOf(ui), !ui.isOpen()];
  const total = amount(sum(ghosts));
  const isShown = isRecalling(ui);
  const id = isReduced(ui.seated().seat, ghosts) ? "recall.place-reduced" : "recall.place";
  return h(
    "div",
    { class: "recallbar", hidden: !isShown },
    h("p", { role: "status" }, isShown && say(id, { total })),
    button(say("recall.confirm"), () => ui.sendCommand("ConfirmRecall"), { class: "main", disabled }),
    button(say("recall.cancel"), () => ui.sendCommand("CancelRecall"), { disabled }),
  );
}
