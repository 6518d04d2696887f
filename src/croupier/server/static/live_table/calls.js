// The bar at the foot of a live table: the calls of the round, the number, and the next step of the payment.

import { stepName, timeOf } from "../console/text.js";
import { callNoSpin, mayCall } from "../dealer/no_spin.js";
import { hueOf } from "../felt/pieces.js";
import { pocketTile } from "../shared/pocket.js";
import { button, h, icon } from "../shared/render.js";
import { secondsLeft } from "../shared/table_status.js";
import { say } from "../shared/text.js";
import { openNote } from "./walk.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("../shared/types/console.js").StepRow} StepRow
 */

/** The calls that have a button; what follows from them has none. */
const CALLS = new Set(["open", "spin", "warn", "close", "reset"]);

/** @param {LiveTable} live */
export function bar(live) {
  const content = live.mode === "enter" ? callBar : live.mode === "number" ? numberBar : walkBar;
  return h("footer", { class: "bar" }, content(live));
}

/** The calls of the round. @param {LiveTable} live */
function callBar(live) {
  const call = (/** @type {StepRow} */ row) =>
    button(
      [h("b", null, row.says || stepName(row)), h("small", null, noteOf(live, row))],
      () => void live.takeStep(row),
      {
        key: row.step,
        class: "call",
        "data-step": row.step,
        disabled: !live.canSend || row.command === null,
        "data-next": row.next && row.command !== null && row.by !== "pit" && "true",
      },
    );
  const noSpin = [h("b", null, say("live.no-spin")), h("small", null, say("live.no-spin-note"))];
  return h(
    "div",
    { class: "call-bar", key: "calls" },
    h(
      "div",
      { class: "calls", role: "group", "aria-label": say("live.calls") },
      live.steps.filter(({ step }) => CALLS.has(step)).map(call),
    ),
    button(noSpin, () => callNoSpin(live), { class: "call grave", disabled: !live.canSend || !mayCall(live) }),
  );
}

/** When a call was made, when it is due, or what it waits for. @param {LiveTable} live @param {StepRow} row */
function noteOf(live, row) {
  if (row.at_us !== null) return say("live.called", { time: timeOf(row.at_us) });
  if (row.waits) return say("live.not-yet");
  const left = secondsLeft(row.due_us, live.client.session.now());
  if (left !== null) return say("live.in-seconds", { n: left });
  return row.says && row.says !== row.words ? stepName(row) : "";
}

/** The number: what the sensor reads or the dealer touches, and the dolly on it. @param {LiveTable} live */
function numberBar(live) {
  const { entry, felt, numberStep, floor, differs } = live;
  const { pocket, first } = entry;
  const reported = floor?.reported ?? "";
  const isFirstOfTwo = numberStep?.asks.includes("again") && first === null;
  const about = differs
    ? say("live.differs", { reported })
    : numberStep?.step === "confirm"
    ? say("live.sensor", { reported })
    : first !== null
    ? say("live.again", { first })
    : say("live.touch-number");
  const go = pocket === null
    ? say("live.dolly-where")
    : say(isFirstOfTwo ? "live.enter-number" : "live.dolly-on", { pocket });
  return h(
    "div",
    { class: "number-bar", key: "number" },
    pocketTile(pocket, felt?.colours),
    h(
      "div",
      { class: "say" },
      h(
        "b",
        { role: "status" },
        pocket === null ? say("live.which-number") : `${pocket} ${felt?.colours.get(pocket) ?? ""}`,
      ),
      h("span", { class: "soft" }, about),
    ),
    (first !== null || differs) && button(say("live.begin-again"), () => live.clearEntry()),
    button(say("live.no-spin"), () => callNoSpin(live), { class: "grave", disabled: !live.canSend }),
    button(go, () => void live.placeDolly(), {
      class: "go big",
      disabled: !live.canSend || pocket === null || differs,
    }),
  );
}

/** Collecting and paying, one payment at a time. @param {LiveTable} live */
function walkBar(live) {
  const { walk, payment, canSend } = live;
  if (!walk) return null;
  const { collected, over } = walk;
  const dot = (
    /** @type {import("../shared/types/wire.js").WalkPayment} */ { position, made },
    /** @type {number} */ place,
  ) => {
    const [colour] = live.player(position)?.colours ?? [];
    const isNow = place === live.viewed && collected && !over;
    return h("li", {
      "data-is": isNow ? "now" : made ? "done" : "next",
      "data-chip": colour ? hueOf(colour) : "value",
    });
  };
  const finish = { disabled: !canSend || !walk.payments.every(({ made }) => made) };
  const canGo = canSend && (!collected || payment !== null || (over && Boolean(live.next?.command)));
  return h(
    "div",
    { class: "walk-bar", key: "walk" },
    button(icon("back"), () => live.look(-1), {
      "aria-label": say("live.previous"),
      disabled: !collected || live.viewed <= 0,
    }),
    button([icon("form"), h("span", null, say("live.dispute"))], () => openNote(live)),
    !collected && live.betsRecorded && mayCall(live) &&
      button(say("live.no-spin"), () => callNoSpin(live), { class: "grave" }),
    h("ol", { class: "dots", "aria-label": say("live.payments") }, walk.payments.map(dot)),
    !live.betsRecorded && collected && !over &&
      button(say("live.finish-paying"), () => void live.finishPaying(), finish),
    button([h("span", null, nextWords(live)), icon("forward")], () => void live.nextPayment(), {
      class: "main big",
      disabled: !canGo,
    }),
  );
}

/** What the main button of the payment does. @param {LiveTable} live */
function nextWords(live) {
  const { walk, payment } = live;
  if (walk && live.wantsDolly) return say("live.dolly-on", { pocket: walk.pocket });
  if (!walk?.collected) return say(walk?.moves ? "live.moved" : "live.collected");
  if (payment && !payment.made) {
    const left = walk.payments.filter(({ made }) => !made).length;
    return say(left > 1 ? "live.paid-next" : "live.paid-last", {
      amount: live.amount(live.worth(live.chosenWay(payment).chips) || payment.paid),
    });
  }
  if (walk.over) return (live.next && (live.next.says || stepName(live.next))) || say("live.all-paid");
  return say("live.to-next");
}
