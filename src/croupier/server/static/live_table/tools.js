// What the dealer enters chips with, and advice about bets outside the limits.

import { chipOf, figuresOf, valueOf } from "../felt/pieces.js";
import { button, h, icon } from "../shared/render.js";
import { say } from "../shared/text.js";
import { closeGap, openFloat } from "./float_sheet.js";
import { openPlayer } from "./player_sheet.js";
import { clauseSign } from "./table.js";
import { movesOf } from "./walk.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {{key: string, look: "warn" | "stop", title: string, text: string, clause: string | null | undefined, chip?: string,
 *   act?: {label: string, press: () => void}}} Card
 */

/** The pieces that a touch may add, or take off. */
const STEPS = [1, 5, 20, -1];
/** How a bet came to lie on the felt, with the id of its name. */
const MANNERS = { placed: "live.placed", assisted: "live.assisted", verbal: "live.verbal" };
/** The phases in which bets are closed and the number does not count yet. */
const SEALED = new Set(["closed", "running", "at_rest"]);

/** A chip with its value, if it has one on it. @param {string} chip */
export const blankChip = (chip) => {
  const cents = valueOf(chip);
  return chipOf(chip, cents === null ? "" : figuresOf(cents));
};

/** A button that chooses a chip. @param {LiveTable} live @param {string} chip @param {boolean} isChosen @param {() => void} press */
export const chipKey = (live, chip, isChosen, press) =>
  button(blankChip(chip), press, {
    key: chip,
    class: "plain",
    "aria-label": live.chipName(chip),
    "aria-pressed": String(isChosen),
  });

/** The chips, the number of pieces for each touch, undo, and how bets are placed. @param {LiveTable} live */
export function tools(live) {
  const { current, selected, betting } = live;
  const isEntering = betting && current !== null;
  const spots = current ? Object.keys(live.layoutOf(current)).length : 0;
  const note = !current
    ? say("live.pick-player")
    : betting
    ? say("live.on-spots", { amount: live.amount(live.stakedBy(current)), n: spots })
    : say("live.entry-closed");
  const stepKey = (/** @type {number} */ step) =>
    button(step < 0 ? "−" : `+${step}`, () => live.use({ step, late: false }), {
      dir: "ltr",
      "data-step": step,
      "aria-label": step < 0 ? say("live.take-one") : say("live.add", { n: step }),
      "aria-pressed": String(step === live.step),
      disabled: !isEntering,
    });
  const undo = { "aria-label": say("live.undo"), disabled: !isEntering || !live.canSend };
  const choose = (/** @type {any} */ { target }) => live.use({ manner: target.value });
  const late = { class: "late", "aria-pressed": String(live.late), disabled: current === null };
  return h(
    "section",
    { class: "tools card", "aria-label": say("live.entry") },
    h(
      "div",
      { class: "now" },
      h("b", null, current ? live.playerName(current) : say("live.no-player")),
      h("small", null, note),
      h(
        "div",
        { class: "chip-choice", role: "group", "aria-label": say("live.chip") },
        current &&
          live.chipsOf(current).map((chip) =>
            chipKey(live, chip, chip === selected?.chip, () => live.select(current, chip))
          ),
      ),
    ),
    h(
      "div",
      { class: "steps-of-chips", role: "group", "aria-label": say("live.each-touch") },
      STEPS.map(stepKey),
      button(icon("undo"), () => live.undo(), undo),
    ),
    h(
      "div",
      { class: "ways" },
      betting &&
        h(
          "select",
          { "aria-label": say("live.manner"), value: live.manner, change: choose },
          Object.entries(MANNERS).map(([manner, id]) => h("option", { value: manner }, say(id))),
        ),
      isSealed(live) && button(say("live.late"), () => live.use({ late: !live.late }), late),
      current && button(say("live.player-sheet"), () => openPlayer(live, current.position), { class: "whole" }),
    ),
  );
}

/** @param {LiveTable} live */
const isSealed = ({ state }) => SEALED.has(state?.phase ?? "");

/** Advice about bets outside the limits, and what a round waits for. @param {LiveTable} live */
export function advice(live) {
  const cards = [...waitingCards(live), ...movesCards(live), ...adviceCards(live)];
  return h(
    "section",
    { class: "advice", "aria-label": say("live.advice"), "aria-live": "polite" },
    h(
      "div",
      { class: "advice-list" },
      cards.map(({ key, look, title, text, clause, chip, act }) =>
        h(
          "article",
          { key, class: "advice-card", "data-look": look },
          h("span", { class: "whose" }, chip ? chipOf(chip, "") : icon("alert")),
          h(
            "div",
            null,
            h("p", null, h("b", { class: "title" }, title), " ", clauseSign(live.rulebook, clause)),
            h("p", { class: "words" }, text),
          ),
          h("div", { class: "acts" }, act && button(act.label, act.press, { class: look === "stop" && "main" })),
        )
      ),
    ),
    cards.length === 0 && h("p", { class: "quiet" }, say("live.no-advice")),
  );
}

/** What a correction of the last round moves while bets for the next are open. @param {LiveTable} live @returns {Card[]} */
const movesCards = (live) =>
  movesOf(live).map(({ position, spot, chip, name, text }) => ({
    key: `moves ${position} ${spot} ${chip}`,
    look: "stop",
    title: say("live.moves", { pocket: live.walk?.pocket ?? "" }),
    text: `${name}: ${text}`,
    clause: live.walk?.moves?.clause,
    chip,
  }));

/** Bets outside the limits, as the house advises. @param {LiveTable} live @returns {Card[]} */
function adviceCards(live) {
  return live.players.flatMap((player) =>
    player.advice.map(({ code, clause, spot, stake, limit }) => {
      const facts = {
        label: live.labelOf(player),
        spot: live.spotName(spot),
        stake: live.amount(stake),
        limit: live.amount(limit),
        rest: live.amount(stake - limit),
      };
      const [title, text] = code !== "stake_under_minimum"
        ? ["live.over", "live.over-words"]
        : player.advised
        ? ["live.under-again", "live.under-again-words"]
        : ["live.under", "live.under-words"];
      const act = live.betting ? { label: say("live.select"), press: () => live.select(player) } : undefined;
      return {
        key: `${player.position} ${spot} ${code}`,
        look: "warn",
        title: say(title, facts),
        text: say(text, facts),
        clause,
        chip: live.chipOf(player),
        act,
      };
    })
  );
}

/** What the next round waits for: the float, and the notice. @param {LiveTable} live @returns {Card[]} */
function waitingCards(live) {
  const { live: state, next } = live;
  /** @type {Card[]} */
  const cards = [];
  if (state.float === null) {
    cards.push({
      key: "float",
      look: "warn",
      title: say("live.float-closed"),
      text: say("live.float-closed-words"),
      clause: null,
      act: { label: say("live.open-float"), press: () => openFloat(live, "OpenFloat") },
    });
  }
  if (state.gap) {
    cards.push({
      key: "gap",
      look: "stop",
      title: say("live.gap-open"),
      text: state.gap.words,
      clause: null,
      act: { label: say("live.gap-close"), press: () => closeGap(live) },
    });
  }
  if (state.notice && !state.notice.checked) {
    const { clause, digest } = state.notice;
    cards.push({
      key: "notice",
      look: "warn",
      title: say("live.check-notice"),
      text: say("live.check-notice-words"),
      clause,
      act: {
        label: say("live.notice-shown"),
        press: () => void live.ask({ type: "AcknowledgeNotice", table: live.table, digest }),
      },
    });
  }
  if (next?.step === "open" && next.waits && cards.length === 0) {
    cards.push({
      key: "waits",
      look: "stop",
      title: say("live.waits"),
      text: next.waits.says,
      clause: next.waits.clause,
    });
  }
  return cards;
}
