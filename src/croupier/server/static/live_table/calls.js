// The bar at the foot of a live table: the calls of the round, the number, and the next step of the payment.

import { timeOf } from "../console/text.js";
import { callNoSpin, mayCall } from "../dealer/no_spin.js";
import { button, each, el, enabled, icon, marked, shown, text } from "../shared/dom.js";
import { repaintTile } from "../shared/pocket.js";
import { secondsLeft } from "../shared/table_status.js";
import { say } from "../shared/text.js";
import { openNote } from "./walk.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("../console/client.js").Part} Part
 * @typedef {import("../shared/types/console.js").StepRow} StepRow
 */

/** The calls that have a button; what follows from them has none. */
const CALLS = new Set(["open", "spin", "warn", "close", "reset"]);

/** @param {LiveTable} live @param {() => string} mode what the page shows @returns {Part} */
export function bar(live, mode) {
  const bars = { calls: calls(live), number: numberBar(live), walk: walkBar(live) };
  const node = el("footer", { class: "bar" }, ...Object.values(bars).map((one) => one.node));
  const current = () => ({ collect: "walk", pay: "walk", done: "walk", tap: "walk", number: "number" })[mode()] ?? "calls";
  return {
    node,
    update: (view) => {
      for (const [name, part] of Object.entries(bars)) {
        shown(part.node, name === current());
        if (name === current()) part.update(view);
      }
    },
    tick: () => bars.calls.tick?.(),
  };
}

/** The calls of the round. @param {LiveTable} live @returns {Part} */
function calls(live) {
  const list = el("div", { class: "calls", role: "group", "aria-label": say("live.calls") });
  const off = button(el("b", {}, say("live.no-spin")), () => callNoSpin(live), { class: "call grave" });
  off.append(el("small", {}, say("live.no-spin-note")));
  const node = el("div", { class: "call-bar" }, list, off);
  const draw = () => {
    each(
      list,
      live.steps.filter(({ step }) => CALLS.has(step)),
      ({ step }) => step,
      ({ step }) => {
        const key = button(el("b"), () => take(live, step), { class: "call", "data-step": step });
        key.append(el("small"));
        return key;
      },
      (key, row) => {
        marked(key, "data-next", row.next && row.command !== null && row.by !== "pit" ? "true" : null);
        text(key.querySelector("b"), row.says || row.words);
        text(key.querySelector("small"), noteOf(live, row));
        enabled(key, live.canSend && row.command !== null);
      },
    );
    enabled(off, live.canSend && mayCall(live));
  };
  return { node, update: draw, tick: draw };
}

/** @param {LiveTable} live @param {string} step */
function take(live, step) {
  const row = live.steps.find((one) => one.step === step);
  if (row) void live.takeStep(row);
}

/** When a call was made, when it is due, or what it waits for. @param {LiveTable} live @param {StepRow} row */
function noteOf(live, row) {
  if (row.at_us !== null) return say("live.called", { time: timeOf(row.at_us) });
  if (row.waits) return say("live.not-yet");
  const left = secondsLeft(row.due_us, live.client.session.now());
  if (left !== null) return say("live.in-seconds", { n: left });
  return row.says && row.says !== row.words ? row.words : "";
}

/** The number: what the sensor reads or the dealer touches, and the dolly on it. @param {LiveTable} live @returns {Part} */
function numberBar(live) {
  const tile = el("span", { class: "tile big" });
  const name = el("b", { role: "status" });
  const about = el("span", { class: "soft" });
  const off = button(say("live.no-spin"), () => callNoSpin(live), { class: "grave" });
  const again = button(say("live.begin-again"), () => live.clearEntry());
  const go = button("", () => void live.placeDolly(), { class: "go big" });
  const node = el("div", { class: "number-bar" }, tile, el("div", { class: "say" }, name, about), again, off, go);
  const update = () => {
    const { entry, felt, numberStep: wants, floor, differs } = live;
    const { pocket, first } = entry;
    repaintTile(tile, pocket, felt?.colours);
    text(name, pocket === null ? say("live.which-number") : `${pocket} ${felt?.colours.get(pocket) ?? ""}`);
    const twice = wants?.asks.includes("again") && first === null;
    text(about, differs ? say("live.differs", { reported: floor?.reported ?? "" }) : wants?.step === "confirm" ? say("live.sensor", { reported: floor?.reported ?? "" }) : first !== null ? say("live.again", { first }) : say("live.touch-number"));
    text(go, pocket === null ? say("live.dolly-where") : say(twice ? "live.enter-number" : "live.dolly-on", { pocket }));
    enabled(go, live.canSend && pocket !== null && !differs);
    enabled(off, live.canSend);
    shown(again, first !== null || differs);
  };
  return { node, update };
}

/** Collecting and paying, one payment at a time. @param {LiveTable} live @returns {Part} */
function walkBar(live) {
  const back = button(icon("back"), () => live.look(-1), { "aria-label": say("live.previous") });
  const note = button(icon("form"), () => openNote(live), {});
  note.append(el("span", {}, say("live.dispute")));
  const off = button(say("live.no-spin"), () => callNoSpin(live), { class: "grave" });
  const dots = el("ol", { class: "dots", "aria-label": say("live.payments") });
  const finish = button(say("live.finish-paying"), () => void live.finishPaying());
  const go = button(el("span"), () => void live.nextPayment(), { class: "main big" });
  go.append(icon("forward"));
  const node = el("div", { class: "walk-bar" }, back, note, off, dots, finish, go);
  const update = () => {
    const { walk } = live;
    if (!walk) return;
    const viewing = live.payment;
    enabled(back, walk.collected && live.viewed > 0);
    shown(off, !walk.collected && live.betsRecorded && mayCall(live));
    each(
      dots,
      walk.payments.map((payment, place) => ({ payment, place })),
      ({ place }) => place,
      () => el("li", {}),
      (dot, { payment, place }) => {
        const player = live.player(payment.position);
        marked(dot, "data-is", place === live.viewed && walk.collected && !walk.over ? "now" : payment.made ? "done" : "next");
        marked(dot, "data-chip", player ? (player.colours[0]?.split("/")[0] ?? "value") : "value");
      },
    );
    shown(finish, !live.betsRecorded && walk.collected && !walk.over);
    enabled(finish, live.canSend && walk.payments.every(({ made }) => made));
    text(go.firstElementChild, nextWords(live, viewing));
    enabled(go, live.canSend && (!walk.collected || viewing !== null || (walk.over && Boolean(live.next?.command))));
  };
  return { node, update };
}

/** @param {LiveTable} live @param {import("../shared/types/wire.js").WalkPayment | null} viewing */
function nextWords(live, viewing) {
  const { walk } = live;
  if (walk && live.wantsDolly) return say("live.dolly-on", { pocket: walk.pocket });
  if (!walk?.collected) return say(walk?.moves ? "live.moved" : "live.collected");
  if (viewing && !viewing.made) {
    const left = walk.payments.filter(({ made }) => !made).length;
    return say(left > 1 ? "live.paid-next" : "live.paid-last", { amount: live.amount(live.worth(live.chosenWay(viewing).chips) || viewing.paid) });
  }
  if (walk.over) return live.next?.says || live.next?.words || say("live.all-paid");
  return say("live.to-next");
}
