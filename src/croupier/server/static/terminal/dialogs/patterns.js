// Saved bet patterns.

import { thumbnail } from "../../felt/chips.js";
import { openDialog } from "../../shared/dialog.js";
import { button, el, enabled, shown, text } from "../../shared/dom.js";
import { isReady } from "../../shared/store.js";
import { say } from "../../shared/text.js";
import { inCents, sum } from "../calls.js";
import { reply } from "./response.js";

/**
 * @typedef {import("../calls.js").Chips} Chips
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui */
export function openPatterns(ui) {
  const data = ui.data(ui.focus());
  const slots = Array.from({ length: data?.patterns ?? 0 }, (_, place) => place + 1);
  const response = reply((no) => {
    if (no.code === "slot_taken") fields.get(Number(no.facts?.slot ?? lastSaved))?.doubt(true);
    return no.code === "slot_taken";
  });
  let lastSaved = 0;
  const save = (/** @type {number} */ slot, /** @type {boolean} */ override) => {
    lastSaved = slot;
    response.await(ui.sendCommand("SavePattern", { slot, override }));
  };
  // The recalled pattern is previewed on the felt, so the dialog closes.
  const recall = (/** @type {number} */ slot) =>
    response.await(ui.sendCommand("RecallPattern", { slot }), () => dialog.close());
  const fields = new Map(slots.map((slot) => [slot, field(slot, { data, save, recall })]));
  const update = (/** @type {TerminalView} */ view) => {
    const open = ui.isOpen();
    // Stakes can be saved while they are on the felt, and recalled only while bets are open.
    const placed = isReady(view) && Object.keys(ui.game()?.bets ?? {}).length > 0;
    for (const [slot, one] of fields)
      one.update(view.seat.patterns?.[slot] ?? null, { open, placed, credit: view.seat.denomination });
    shown(closed, !open);
    response.update(view);
  };
  const closed = el("p", { class: "quiet" }, say("patterns.shut"));
  const dialog = openDialog({
    name: "patterns",
    title: say("patterns.title"),
    look: "wide",
    body: [
      el("p", { class: "quiet" }, say("patterns.about")),
      closed,
      el("div", { class: "slots" }, ...[...fields.values()].map((one) => one.node)),
    ],
    foot: [response.node],
    update,
  });
  update(ui.seated());
}

/**
 * One pattern slot. A full one asks before it is overwritten.
 * @param {number} slot
 * @param {{data: any, save: (slot: number, override: boolean) => void, recall: (slot: number) => void}} on
 */
function field(slot, { data, save, recall }) {
  const picture = el("div", { class: "thumb" });
  const total = el("p", { class: "total" });
  const keep = button(say("patterns.save"), () => (full ? doubt(true) : save(slot, false)));
  const bring = button(say("patterns.recall"), () => recall(slot), { class: "main" });
  const over = button(say("patterns.override"), () => {
    save(slot, true);
    doubt(false);
  });
  const stay = button(say("patterns.cancel"), () => doubt(false));
  const actions = el("div", { class: "action-row" }, keep, bring);
  const sure = el("p", {}, say("patterns.sure"));
  const question = el("div", { class: "question", hidden: true }, sure, el("div", { class: "action-row" }, over, stay));
  const name = say("patterns.slot", { slot });
  const node = el(
    "div",
    { class: "slot", role: "group", "aria-label": name },
    el("h3", {}, name),
    picture,
    total,
    actions,
    question,
  );
  let full = false;
  let drawn = "";

  const doubt = (/** @type {boolean} */ on) => {
    shown(question, on);
    shown(actions, !on);
    (on ? stay : keep).focus();
  };
  /** @param {Chips | null} pattern @param {{open: boolean, placed: boolean, credit: number}} now */
  const update = (pattern, { open, placed, credit }) => {
    full = pattern !== null;
    const wanted = JSON.stringify([pattern, credit]);
    if (wanted !== drawn) {
      drawn = wanted;
      picture.replaceChildren(data ? thumbnail(data, inCents(pattern ?? {}, credit)) : "");
      text(total, pattern ? totalWords(pattern) : say("patterns.empty"));
    }
    enabled(keep, placed);
    enabled(over, placed);
    enabled(bring, open && full);
  };
  return { node, update, doubt };
}

/** @param {Chips} pattern */
const totalWords = (pattern) => say("patterns.total", { n: sum(pattern), spots: Object.keys(pattern).length });
