// What the dealer enters chips with, and advice about bets outside the limits.

import { chipOf, valueOf } from "../felt/pieces.js";
import { button, each, el, enabled, icon, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { closeGap, openFloat } from "./float_sheet.js";
import { openPlayer } from "./player_sheet.js";
import { clauseSign } from "./table.js";
import { movesOf } from "./walk.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("../console/client.js").Part} Part
 */

/** The pieces that a touch may add. */
const STEPS = [1, 5, 20];

/** The chips, the number of pieces for each touch, undo, and how bets are placed. @param {LiveTable} live @returns {Part} */
export function tools(live) {
  const name = el("b");
  const note = el("small");
  const whole = button(say("live.player-sheet"), () => live.selected && openPlayer(live, live.selected.position), { class: "whole" });
  const chips = el("div", { class: "chip-choice", role: "group", "aria-label": say("live.chip") });
  const steps = [...STEPS, -1].map((step) =>
    button(step < 0 ? "−" : `+${step}`, () => live.use({ step, late: false }), {
      "data-step": step,
      "aria-label": step < 0 ? say("live.take-one") : say("live.add", { n: step }),
    }),
  );
  const undo = button(icon("undo"), () => live.undo(), { "aria-label": say("live.undo") });
  const manner = el(
    "select",
    { "aria-label": say("live.manner"), change: () => live.use({ manner: /** @type {any} */ (manner.value) }) },
    el("option", { value: "placed" }, say("live.placed")),
    el("option", { value: "assisted" }, say("live.assisted")),
    el("option", { value: "verbal" }, say("live.verbal")),
  );
  const late = button(say("live.late"), () => live.use({ late: !live.late }), { class: "late" });
  const node = el(
    "section",
    { class: "tools card", "aria-label": say("live.entry") },
    el("div", { class: "now" }, name, note, chips),
    el("div", { class: "steps-of-chips", role: "group", "aria-label": say("live.each-touch") }, ...steps, undo),
    el("div", { class: "ways" }, manner, late, whole),
  );
  const update = () => {
    const { current, selected, betting } = live;
    text(name, current ? live.playerName(current) : say("live.no-player"));
    text(note, current ? (betting ? noteOf(live) : say("live.entry-closed")) : say("live.pick-player"));
    shown(whole, current !== null);
    each(
      chips,
      current ? live.chipsOf(current) : [],
      (chip) => chip,
      (chip) => chipKey(live, chip),
      (key, chip) => marked(key, "aria-pressed", String(chip === selected?.chip)),
    );
    for (const key of steps) {
      marked(key, "aria-pressed", String(Number(key.dataset.step) === live.step));
      enabled(key, betting && current !== null);
    }
    enabled(undo, betting && current !== null && live.canSend);
    shown(manner, betting);
    shown(late, !betting && isSealed(live));
    marked(late, "aria-pressed", String(live.late));
    enabled(late, current !== null);
  };
  return { node, update };
}

/** Whether bets are closed and the number does not count yet. @param {LiveTable} live */
const isSealed = ({ state }) => ["closed", "running", "at_rest"].includes(state?.phase ?? "");

/** @param {LiveTable} live @param {string} chip */
function chipKey(live, chip) {
  const cents = valueOf(chip);
  const press = () => live.current && live.select(live.current, chip);
  const face = chipOf(chip, cents === null ? "" : cents % 100 === 0 ? cents / 100 : (cents / 100).toFixed(2));
  return button(face, press, { class: "plain", "aria-label": live.chipName(chip) });
}

/** @param {LiveTable} live */
function noteOf(live) {
  const { current } = live;
  const spots = current ? Object.keys(live.layoutOf(current)).length : 0;
  return say("live.on-spots", { amount: live.amount(current ? live.stakedBy(current) : 0), n: spots });
}

/** Advice about bets outside the limits, and what a round waits for. @param {LiveTable} live @returns {Part} */
export function advice(live) {
  const list = el("div", { class: "advice-list" });
  const none = el("p", { class: "quiet" }, say("live.no-advice"));
  const node = el("section", { class: "advice", "aria-label": say("live.advice"), "aria-live": "polite" }, list, none);
  const update = () => {
    const cards = [...waitingCards(live), ...movesCards(live), ...adviceCards(live)];
    shown(none, cards.length === 0);
    each(
      list,
      cards,
      ({ key }) => key,
      () =>
        el(
          "article",
          { class: "advice-card" },
          el("span", { class: "whose" }),
          el("div", {}, el("p", {}, el("b", { class: "title" }), el("span", { class: "why" })), el("p", { class: "words" })),
          el("div", { class: "acts" }),
        ),
      (item, card) => paintCard(live, item, card),
    );
  };
  return { node, update };
}

/**
 * @typedef {{key: string, look: "warn" | "stop", title: string, words: string, clause: string | null | undefined, chip?: string,
 *   act?: {label: string, press: () => void}}} Card
 */

/** @param {LiveTable} live @param {HTMLElement} item @param {Card} card */
function paintCard(live, item, { look, title, words, clause, chip, act }) {
  marked(item, "data-look", look);
  text(item.querySelector(".title"), title);
  text(item.querySelector(".words"), words);
  const why = /** @type {HTMLElement} */ (item.querySelector(".why"));
  if (why.dataset.of !== String(clause)) {
    why.dataset.of = String(clause);
    why.replaceChildren(" ", clauseSign(live.rulebook, clause) ?? "");
  }
  const whose = /** @type {HTMLElement} */ (item.querySelector(".whose"));
  if (whose.dataset.of !== chip) {
    whose.dataset.of = chip ?? "";
    whose.replaceChildren(...(chip ? [chipOf(chip, "")] : [icon("alert")]));
  }
  const acts = /** @type {HTMLElement} */ (item.querySelector(".acts"));
  const key = act?.label ?? "";
  if (acts.dataset.of !== key) {
    acts.dataset.of = key;
    acts.replaceChildren(...(act ? [button(act.label, act.press, { class: look === "stop" ? "main" : "" })] : []));
  }
}

/** What a correction of the last round moves while bets for the next are open. @param {LiveTable} live @returns {Card[]} */
const movesCards = (live) =>
  movesOf(live).map(({ position, spot, chip, name, words }) => ({
    ...{ key: `moves ${position} ${spot} ${chip}`, look: /** @type {"stop"} */ ("stop"), title: say("live.moves", { pocket: live.walk?.pocket ?? "" }) },
    ...{ words: `${name}: ${words}`, clause: live.walk?.moves?.clause, chip },
  }));

/** Bets outside the limits, as the house advises. @param {LiveTable} live @returns {Card[]} */
function adviceCards(live) {
  return live.players.flatMap((player) =>
    player.advice.map(({ code, clause, spot, stake, limit }) => {
      const under = code === "stake_under_minimum";
      const facts = {
        label: live.labelOf(player),
        spot: live.spotName(spot),
        stake: live.amount(stake),
        limit: live.amount(limit),
        rest: live.amount(stake - limit),
      };
      const words = under ? (player.advised ? "live.under-again-words" : "live.under-words") : "live.over-words";
      const title = under ? (player.advised ? "live.under-again" : "live.under") : "live.over";
      const back = { label: say("live.select"), press: () => live.select(player) };
      return {
        key: `${player.position} ${spot} ${code}`,
        look: /** @type {"warn"} */ ("warn"),
        title: say(title, facts),
        words: say(words, facts),
        clause,
        chip: live.chipOf(player),
        ...(live.betting ? { act: back } : {}),
      };
    }),
  );
}

/** What the next round waits for: the float, and the notice. @param {LiveTable} live @returns {Card[]} */
function waitingCards(live) {
  const { live: state, next } = live;
  /** @type {Card[]} */
  const cards = [];
  if (state.float === null)
    cards.push({
      key: "float",
      look: "warn",
      title: say("live.float-closed"),
      words: say("live.float-closed-words"),
      clause: null,
      act: { label: say("live.open-float"), press: () => openFloat(live, "OpenFloat") },
    });
  if (state.gap)
    cards.push({
      key: "gap",
      look: "stop",
      title: say("live.gap-open"),
      words: state.gap.words,
      clause: null,
      act: { label: say("live.gap-close"), press: () => closeGap(live) },
    });
  if (state.notice && !state.notice.checked)
    cards.push({
      key: "notice",
      look: "warn",
      title: say("live.check-notice"),
      words: say("live.check-notice-words"),
      clause: state.notice.clause,
      act: {
        label: say("live.notice-shown"),
        press: () => void live.ask({ type: "AcknowledgeNotice", table: live.table, digest: live.live.notice?.digest }),
      },
    });
  if (next?.step === "open" && next.waits && cards.length === 0)
    cards.push({ key: "waits", look: "stop", title: say("live.waits"), words: next.waits.says, clause: next.waits.clause });
  return cards;
}
