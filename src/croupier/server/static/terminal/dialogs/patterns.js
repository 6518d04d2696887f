// Saved bet patterns.

import { thumbnail } from "../../felt/chips.js";
import { openDialog } from "../../shared/dialog.js";
import { button, h } from "../../shared/render.js";
import { isReady } from "../../shared/store.js";
import { say } from "../../shared/text.js";
import { inCents, sum } from "../calls.js";
import { Reply } from "./response.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 */

/** @param {Controller} ui */
export function openPatterns(ui) {
  const data = ui.data(ui.focus());
  const slots = Array.from({ length: data?.patterns ?? 0 }, (_, place) => place + 1);
  /** The full slot that may be overwritten, once a save to it was asked for. */
  let doubted = 0;
  let lastSaved = 0;
  const response = new Reply(ui, (no) => {
    if (no.code === "slot_taken") doubt(Number(no.facts?.slot ?? lastSaved));
    return no.code === "slot_taken";
  });
  const doubt = (/** @type {number} */ slot) => {
    const from = slot || doubted;
    doubted = slot;
    dialog.redraw();
    /** @type {HTMLElement | null} */ (dialog.node.querySelector(`[data-slot="${from}"] .first`))?.focus();
  };
  const save = (/** @type {number} */ slot, /** @type {boolean} */ override) => {
    lastSaved = slot;
    void response.await(ui.sendCommand("SavePattern", { slot, override }));
    if (override) doubt(0);
  };
  // The recalled pattern is previewed on the felt, so the dialog closes.
  const recall = (/** @type {number} */ slot) =>
    void response.await(ui.sendCommand("RecallPattern", { slot }), () => dialog.close());
  const field = (/** @type {number} */ slot) => {
    const { seat } = ui.seated();
    const pattern = seat.patterns?.[slot] ?? null;
    const name = say("patterns.slot", { slot });
    // Stakes can be saved while they are on the felt, and recalled only while bets are open.
    const canSave = isReady(ui.view()) && Object.keys(ui.game()?.bets ?? {}).length > 0;
    const canRecall = ui.isOpen() && pattern !== null;
    return h(
      "div",
      { class: "slot", role: "group", "aria-label": name, "data-slot": slot },
      h("h3", null, name),
      h("div", { class: "thumb" }, data && thumbnail(data, inCents(pattern ?? {}, seat.denomination))),
      h(
        "p",
        { class: "total" },
        pattern
          ? say("patterns.total", { n: sum(pattern), spots: Object.keys(pattern).length })
          : say("patterns.empty"),
      ),
      slot === doubted
        ? h(
          "div",
          { class: "question" },
          h("p", null, say("patterns.sure")),
          h(
            "div",
            { class: "action-row" },
            button(say("patterns.override"), () => save(slot, true), { disabled: !canSave }),
            button(say("patterns.cancel"), () => doubt(0), { class: "first" }),
          ),
        )
        : h(
          "div",
          { class: "action-row" },
          button(say("patterns.save"), () => (pattern ? doubt(slot) : save(slot, false)), {
            class: "first",
            disabled: !canSave,
          }),
          button(say("patterns.recall"), () => recall(slot), { class: "main", disabled: !canRecall }),
        ),
    );
  };
  const dialog = openDialog({
    name: "patterns",
    title: say("patterns.title"),
    look: "wide",
    body: () => [
      h("p", { class: "quiet" }, say("patterns.about")),
      !ui.isOpen() && h("p", { class: "quiet" }, say("patterns.shut")),
      h("div", { class: "slots" }, slots.map(field)),
    ],
    foot: () => response.tree(),
  });
}
