// The steps of a round, the dealer's call with its countdown, and the main button of a small screen.

import { stepName, timeOf } from "../console/text.js";
import { ruleLink } from "../console/widgets.js";
import { pocketTile } from "../shared/pocket.js";
import { button, h, icon } from "../shared/render.js";
import { ring } from "../shared/ring.js";
import { BETTING, isReady } from "../shared/store.js";
import { secondsLeft } from "../shared/table_status.js";
import { noticeText, refusalText, say } from "../shared/text.js";
import { callNoSpin } from "./no_spin.js";
import { tableMessage } from "../shared/phase.js";

/**
 * @typedef {import("./round.js").Deal} Deal
 * @typedef {import("../shared/types/console.js").StepRow} StepRow
 */

/** In the last seconds before a step is taken by itself the dealer calls it. */
const CALL_S = 3;

/** @param {Deal} deal */
export function steps(deal) {
  const step = (/** @type {StepRow} */ row, /** @type {number} */ place) =>
    h(
      "li",
      { key: row.step, "data-is": statusOf(deal, row), "aria-current": row.next && "step" },
      button(
        [
          h("i", { "aria-hidden": "true" }, row.at_us === null ? place + 1 : "✓"),
          h("span", null, h("b", null, stepName(row)), h("small", null, noteOf(deal, row))),
        ],
        () => takeStep(deal, row),
        { "data-step": row.step, disabled: !deal.canSend || row.command === null },
      ),
    );
  return h(
    "ol",
    { class: "steps", "aria-label": say("dealer.steps"), "data-off": !isReady(deal.client.view) },
    deal.steps.map(step),
  );
}

/**
 * Take a step: a number is entered at the number pad, and a no spin is confirmed.
 * @param {Deal} deal @param {StepRow} row
 */
export function takeStep(deal, row) {
  if (row.step === "no_spin") callNoSpin(deal, row.command);
  else if (row.step === deal.numberStep?.step) {
    /** @type {HTMLElement | null} */ (document.querySelector(".numbers .say"))?.focus();
  } else void deal.takeStep(row);
}

/**
 * The status of a step: taken, next for the dealer, next for another, available early, or to come.
 * @param {Deal} deal @param {StepRow} row
 */
function statusOf({ numberStep: wants }, row) {
  if (row.at_us !== null) return "taken";
  if (!row.next) return row.command ? "open" : "to-come";
  if (row.waits) return "waits";
  return row.by === "dealer" || row === wants ? "next" : "others";
}

/**
 * The note of a step: when it was taken, why it waits, what the dealer calls, or who takes it.
 * @param {Deal} deal @param {StepRow} row
 */
function noteOf({ client, floor, table }, row) {
  const left = secondsLeft(row.due_us, client.session.now());
  const actor = row.by === "dealer" ? "auto" : row.by;
  const by = left === null ? (row.by === "dealer" ? "" : say(`by.${actor}`)) : say(`by-in.${actor}`, { n: left });
  if (row.at_us !== null) return timeOf(row.at_us);
  if (row.waits) return refusalText(row.waits, (cents) => client.amount(cents, table));
  if (row.step === "confirm" && row.next) {
    return floor?.reported ? say("dealer.sensor-reads", { pocket: floor.reported }) : say("dealer.sensor-nothing");
  }
  if (row.asks.length > 0 && row.by === "wheel") return say("dealer.or-entered", { by });
  if (row.command && !row.next) return say("dealer.early");
  const mine = row.by === "dealer" && left === null;
  return [row.says && say("dealer.call-words", { words: row.says }), mine ? "" : by].filter(Boolean).join(" · ");
}

// The call: what the dealer says, and when. Before a call is due its countdown runs; then it turns into "call now".

/**
 * @typedef {object} Call
 * @property {"now" | "next" | "ready" | "number" | "wait" | "table"} is ready: when the dealer chooses
 * @property {StepRow | null} row the step that is called or waited for
 * @property {number | null} left seconds until it is taken by itself
 */

/** What the dealer has to say now or next. @param {Deal} deal @returns {Call} */
export function callOf(deal) {
  const { next, steps: rows, numberStep, client } = deal;
  const now = client.session.now();
  if (numberStep) return { is: "number", row: numberStep, left: null };
  const row = next?.says
    ? next
    : (rows.find(({ at_us, due_us, says }) => at_us === null && due_us !== null && says) ?? null);
  const left = row ? secondsLeft(row.due_us, now) : null;
  const isBetting = BETTING.has(deal.state?.phase ?? "");
  if (row && row === next && !row.waits && left === null) return { is: isBetting ? "ready" : "now", row, left };
  if (row && row === next && !row.waits && left !== null && left <= CALL_S) return { is: "now", row, left };
  if (row && left !== null) return { is: "next", row, left };
  return { is: next && next.by !== "dealer" && !next.waits ? "wait" : "table", row: next, left: null };
}

/** @param {Deal} deal */
export function call(deal) {
  const { state, floor, felt, client, table } = deal;
  const due = callOf(deal);
  const pocket = due.is === "number" ? (deal.entry.pocket ?? floor?.reported ?? null) : null;
  const waits = due.row?.waits;
  const then = waits ? refusalText(waits, (cents) => client.amount(cents, table)) : thenOf(due, deal);
  const lamp = lampOf(deal);
  const notice = state?.notice ?? null;
  const cited = (/** @type {string} */ words, /** @type {string | null | undefined} */ clause) =>
    words && [words, " ", ruleLink(state?.rulebook, clause)];
  return h(
    "section",
    { class: "card call", "aria-label": say("dealer.call"), "data-is": due.is },
    dial(due, deal, pocket),
    h(
      "div",
      null,
      h("h2", null, labelOf(due)),
      h("p", { class: "words", "aria-live": "polite" }, wordsOf(due, state, pocket, felt)),
      h("p", { class: "then" }, cited(then, waits ? waits.clause : due.row?.clause)),
    ),
    h(
      "p",
      { class: "lamp", role: "status", hidden: lamp === "", "data-lit": floor?.safe_to_spin },
      h("i", { "aria-hidden": "true" }),
      h("span", null, lamp),
    ),
    h(
      "p",
      { class: "notice", role: "status", hidden: notice === null },
      notice && cited(noticeText(notice), notice.clause),
    ),
  );
}

/** @param {Call} due */
function labelOf({ is, left }) {
  if (is === "next") return say("dealer.next-call", { n: left ?? 0 });
  return say(`dealer-call.${is}`);
}

/**
 * @param {Call} due @param {import("../shared/types/wire.js").TableState | null} state @param {string | null} pocket
 * @param {import("../shared/felt_cache.js").Felt | null} felt
 */
function wordsOf({ is, row }, state, pocket, felt) {
  if (is === "number") {
    const colour = pocket ? felt?.colours.get(pocket) : undefined;
    return pocket && colour ? say("number", { pocket, colour: say(`colour.${colour}`) }) : say("dealer.which-number");
  }
  if ((is === "now" || is === "next" || is === "ready") && row) return row.says;
  return is === "wait" && row ? stepName(row) : state ? tableMessage(state) : "";
}

/** What follows the call. @param {Call} due @param {Deal} deal */
function thenOf({ is, row, left }, deal) {
  if (is === "number") {
    return deal.numberStep?.step === "confirm" ? say("dealer.look-confirm") : say("dealer.look-enter");
  }
  if (is === "now" && left !== null) return say("dealer.by-itself", { n: left });
  if (is === "wait") return say("dealer.no-call");
  const rows = deal.steps;
  const after = row ? rows.slice(rows.indexOf(row) + 1).find(({ says }) => says) : undefined;
  if (is === "next" && after?.due_us && row?.due_us) {
    return say("dealer.then-in", { words: after.says, n: Math.round((after.due_us - row.due_us) / 1e6) });
  }
  const next = is === "table" ? deal.next : (rows[rows.indexOf(/** @type {StepRow} */ (row)) + 1] ?? null);
  return next ? say("dealer.then", { words: stepName(next) }) : "";
}

/**
 * The disc before the call: a countdown, a bell, the number that the wheel reports, or a wheel.
 * @param {Call} due @param {Deal} deal @param {string | null} pocket
 */
const dial = ({ is, row, left }, { steps: rows, felt, client }, pocket) =>
  h(
    "p",
    { class: "dial", role: "timer" },
    ring(left === null ? 0 : shareLeft(row, rows, client.session.now() ?? 0)),
    h("b", null, is === "next" && left),
    pocketTile(pocket, felt?.colours, "tile big"),
    h("span", { class: "signs" }, icon("bell"), icon("wheel")),
  );

/** Which part of the time since the last step is left. @param {StepRow | null} row @param {StepRow[]} rows @param {number} now */
function shareLeft(row, rows, now) {
  const due = row?.due_us ?? now;
  const taken = rows.map(({ at_us }) => at_us ?? 0).filter((at) => at > 0);
  return (due - now) / Math.max(1, due - (taken.length > 0 ? Math.max(...taken) : now));
}

/**
 * The text of the lamp; empty where the rules have the ball spun while bets are open.
 * @param {import("./round.js").Deal} deal
 */
function lampOf({ steps, floor }) {
  if (floor?.safe_to_spin) return say("lamp.safe");
  const [spin, close] = ["spin", "close"].map((name) => steps.findIndex(({ step }) => step === name));
  if (steps.some(({ step, at_us }) => step === "number" && at_us)) return "";
  if (steps[spin]?.at_us) return say("lamp.running");
  return close < spin ? say("lamp.not-safe") : "";
}

// The main button of a small screen: the next step in one place under the thumb.

/** @param {Deal} deal */
export function mainButton(deal) {
  const { numberStep, entry, next } = deal;
  const due = callOf(deal);
  const row = due.row?.command ? due.row : next?.command ? next : null;
  const press = () => {
    if (numberStep) void deal.sendNumber();
    else if (row) takeStep(deal, row);
  };
  const canPress = numberStep ? entry.pocket !== null && !deal.differs : row !== null;
  return button(mainText(due, row, numberStep ? entry.pocket : null, numberStep !== null), press, {
    class: "primary",
    "data-is": numberStep ? "number" : due.is === "now" ? "now" : "calm",
    disabled: !deal.canSend || !canPress,
  });
}

/** @param {Call} due @param {StepRow | null} row @param {string | null} pocket @param {boolean} wanted */
function mainText({ is }, row, pocket, wanted) {
  if (wanted) return pocket === null ? say("dealer.which-number") : say("dealer.confirm", { pocket });
  if (row === null) return say("dealer.nothing");
  if ((is === "now" || is === "ready") && row.says) return say("dealer.called", { words: row.says });
  return is === "next" ? say("dealer.call-early") : stepName(row);
}
