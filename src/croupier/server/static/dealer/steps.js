// The steps of a round, the dealer's call with its countdown, and the main button of a small screen.

import { stepName, timeOf } from "../console/text.js";
import { clauseLink } from "../console/widgets.js";
import { button, each, el, enabled, icon, marked, shown, svg, text } from "../shared/dom.js";
import { repaintTile } from "../shared/pocket.js";
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

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function steps(deal) {
  const node = el("ol", { class: "steps", "aria-label": say("dealer.steps") });
  const draw = () => {
    marked(node, "data-off", isReady(deal.client.view) ? null : "true");
    each(
      node,
      numbered(deal),
      ({ row }) => row.step,
      (item) => step(deal, item.row),
      (item, { row, place }) => {
        const key = /** @type {HTMLButtonElement} */ (item.firstElementChild);
        marked(item, "data-is", statusOf(deal, row));
        marked(item, "aria-current", row.next ? "step" : null);
        text(key.querySelector("i"), row.at_us === null ? place : "✓");
        text(key.querySelector("b"), stepName(row));
        text(key.querySelector("small"), noteOf(deal, row));
        enabled(key, deal.canSend && row.command !== null);
      },
    );
  };
  return { node, update: draw, tick: draw };
}

/**
 * Take a step: a number is entered at the number pad, and a no spin is confirmed.
 * @param {Deal} deal @param {StepRow} row
 */
export function takeStep(deal, row) {
  if (row.step === "no_spin") callNoSpin(deal, row.command);
  else if (row === deal.numberStep) {
    /** @type {HTMLElement | null} */ (document.querySelector(".numbers .say"))?.focus();
  } else void deal.takeStep(row);
}

/** @param {Deal} deal @param {StepRow} row */
function step(deal, { step: name }) {
  const press = () => {
    const row = deal.steps.find((one) => one.step === name);
    if (row) takeStep(deal, row);
  };
  const key = button(el("i", { "aria-hidden": "true" }), press, { "data-step": name });
  key.append(el("span", {}, el("b", {}), el("small", {})));
  return el("li", {}, key);
}

/** @param {Deal} deal */
const numbered = ({ steps: rows }) => rows.map((row, place) => ({ row, place: place + 1 }));

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

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function call(deal) {
  const label = el("h2", {});
  const words = el("p", { class: "words", "aria-live": "polite" });
  const then = el("p", { class: "then" });
  const dial = ring();
  const lamp = el("p", { class: "lamp", role: "status" }, el("i", { "aria-hidden": "true" }), el("span", {}));
  const notice = el("p", { class: "notice", role: "status" });
  const head = el("div", {}, label, words, then);
  const node = el("section", { class: "card call", "aria-label": say("dealer.call") }, dial.node, head, lamp, notice);
  const tick = () => {
    const { state, floor, felt } = deal;
    const due = callOf(deal);
    marked(node, "data-is", due.is);
    dial.update(due, deal);
    text(label, labelOf(due));
    const pocket = due.is === "number" ? (deal.entry.pocket ?? floor?.reported ?? null) : null;
    text(words, wordsOf(due, state, pocket, felt));
    const waits = due.row?.waits;
    const cited = waits
      ? { says: refusalText(waits, (cents) => deal.client.amount(cents, deal.table)), clause: waits.clause }
      : { says: thenOf(due, deal), clause: due.row?.clause };
    showCited(then, cited.says, state?.rulebook, cited.clause);
  };
  return {
    node,
    tick,
    update: () => {
      const { state, floor } = deal;
      const spin = lampOf(deal);
      marked(lamp, "data-lit", floor?.safe_to_spin ? "true" : null);
      text(lamp.lastElementChild, spin);
      shown(lamp, spin !== "");
      showCited(notice, state?.notice ? noticeText(state.notice) : "", state?.rulebook, state?.notice?.clause);
      shown(notice, Boolean(state?.notice));
      tick();
    },
  };
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

const RADIUS = 38;
const AROUND = 2 * Math.PI * RADIUS;

/** The disc before the call: a countdown, a bell, the number that the wheel reports, or a wheel. */
function ring() {
  const arc = svg("circle", {
    r: RADIUS,
    class: "arc",
    transform: "rotate(-90)",
    "stroke-dasharray": AROUND.toFixed(1),
  });
  const track = svg("circle", { r: RADIUS, class: "track" });
  const picture = svg("svg", { viewBox: "-44 -44 88 88", "aria-hidden": "true" }, track, arc);
  const digits = el("b", {});
  const number = el("span", { class: "tile big" });
  const signs = el("span", { class: "signs" }, icon("bell"), icon("wheel"));
  const node = el("p", { class: "dial", role: "timer" }, picture, digits, number, signs);
  /** The longest time seen for a step: the whole circle. */
  let whole = { key: "", seconds: 1 };
  /** @param {Call} due @param {Deal} deal */
  const update = ({ is, row, left }, deal) => {
    const key = `${deal.table}:${deal.state?.round}:${row?.step}`;
    if (whole.key !== key) whole = { key, seconds: 1 };
    whole.seconds = Math.max(whole.seconds, left ?? 0);
    marked(arc, "stroke-dashoffset", (AROUND * (1 - (left ?? 0) / whole.seconds)).toFixed(1));
    text(digits, is === "next" ? left : "");
    repaintTile(
      number,
      is === "number" ? (deal.entry.pocket ?? deal.floor?.reported ?? null) : null,
      deal.felt?.colours,
    );
  };
  return { node, update };
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

/**
 * Show a text with a link to its clause; unchanged text is not redrawn.
 * @param {HTMLElement} node @param {string} says @param {string | undefined} rulebook
 * @param {string | null | undefined} clause
 */
function showCited(node, says, rulebook, clause) {
  const key = `${says}|${rulebook}|${clause}`;
  if (node.dataset.says === key) return;
  node.dataset.says = key;
  node.replaceChildren(says, " ", (says && clauseLink(rulebook, clause)) || "");
}

// The main button of a small screen: the next step in one place under the thumb.

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function mainButton(deal) {
  const press = () => {
    const { row } = callOf(deal);
    if (deal.numberStep) void deal.sendNumber();
    else if (row?.command) takeStep(deal, row);
    else if (deal.next?.command) takeStep(deal, deal.next);
  };
  const node = button("", press, { class: "primary" });
  const draw = () => {
    const due = callOf(deal);
    const { numberStep, entry, next } = deal;
    const row = due.row?.command ? due.row : next?.command ? next : null;
    marked(node, "data-is", numberStep ? "number" : due.is === "now" ? "now" : "calm");
    text(node, mainText(due, row, numberStep ? entry.pocket : null, Boolean(numberStep)));
    enabled(node, deal.canSend && (numberStep ? entry.pocket !== null && !deal.differs : row !== null));
  };
  return { node, update: draw, tick: draw };
}

/** @param {Call} due @param {StepRow | null} row @param {string | null} pocket @param {boolean} wanted */
function mainText({ is }, row, pocket, wanted) {
  if (wanted) return pocket === null ? say("dealer.which-number") : say("dealer.confirm", { pocket });
  if (row === null) return say("dealer.nothing");
  if ((is === "now" || is === "ready") && row.says) return say("dealer.called", { words: row.says });
  return is === "next" ? say("dealer.call-early") : stepName(row);
}
