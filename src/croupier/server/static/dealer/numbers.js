// Number entry by touch and by keyboard.

import { isModalOpen } from "../shared/dialog.js";
import { numberPad, pocketTile, pocketTiles } from "../shared/pocket.js";
import { button, h } from "../shared/render.js";
import { sightingText } from "../console/text.js";
import { say } from "../shared/text.js";
import { callNoSpin } from "./no_spin.js";
import { callSupervisor } from "./round.js";
import { takeStep } from "./steps.js";

/** @typedef {import("./round.js").Deal} Deal */

const PAST_MOST = 15;

/** @param {Deal} deal */
export function numbers(deal) {
  const { felt, entry, numberStep: wants, state } = deal;
  const pad = numberPad({
    name: "dealer-number",
    label: say("numbers.pad"),
    felt,
    chosen: wants ? entry.pocket : null,
    isShut: !wants || !deal.canSend,
    isLive: wants !== null,
    dolly: state?.pocket,
    pick: (pocket) => deal.choosePocket(pocket),
  });
  const past = (state?.numbers ?? []).slice(0, PAST_MOST);
  return h(
    "section",
    { class: "numbers", "aria-label": say("numbers.title") },
    h("div", { class: "card cloth" }, h("h2", null, heading(deal)), pad),
    chosenNumber(deal),
    h(
      "div",
      { class: "card past" },
      h("h2", null, say("numbers.last")),
      pocketTiles(say("history.label"), past, felt?.colours),
    ),
  );
}

/** @param {Deal} deal */
function heading({ numberStep: wants, entry }) {
  if (!wants) return say("numbers.later");
  if (wants.step === "confirm") return say("numbers.correct");
  if (entry.first !== null) return say("numbers.again");
  return wants.asks.includes("again") ? say("numbers.twice") : say("numbers.touch");
}

/** The chosen number in full, and its next action. @param {Deal} deal */
function chosenNumber(deal) {
  const { numberStep: wants, entry, state, felt, floor, differs, canSend } = deal;
  const pocket = wants ? entry.pocket : (state?.pocket ?? null);
  const colour = pocket === null ? undefined : felt?.colours.get(pocket);
  const none = wants ? say("dealer.which-number") : say("result.none");
  const isFirstOfTwo = wants?.asks.includes("again") && entry.first === null;
  const back = differs ? say("numbers.back", { pocket: floor?.reported ?? "" }) : say("numbers.restart");
  const confirm = pocket === null
    ? say("recall.confirm")
    : say(isFirstOfTwo ? "numbers.enter" : "dealer.confirm", { pocket });
  return h(
    "div",
    { class: "card word", "data-differs": differs },
    pocketTile(pocket, felt?.colours, "tile big"),
    h(
      "div",
      null,
      h(
        "p",
        { class: "name", "aria-live": "polite" },
        pocket && colour ? say("number", { pocket, colour: say(`colour.${colour}`) }) : (pocket ?? none),
      ),
      h("p", { class: "about" }, explanation(deal)),
    ),
    (differs || (wants && (entry.first !== null || entry.typed !== ""))) &&
      button(back, () => deal.clearEntry(), { class: "back" }),
    differs && button(say("numbers.attest"), () => callSupervisor(deal, differenceText(deal)), { class: "help" }),
    wants && !differs &&
      button(confirm, () => void deal.sendNumber(), { class: "go say", disabled: !canSend || pocket === null }),
  );
}

/** The explanation for the number. @param {Deal} deal */
function explanation({ numberStep: wants, entry, floor, differs, state, next }) {
  const reported = floor?.reported ?? "";
  if (differs) return say("numbers.differs", { reported, pocket: entry.pocket ?? "" });
  if (wants?.step === "confirm" && floor?.doubtful) return doubtText(floor);
  if (wants?.step === "confirm") return say("numbers.reads", { reported });
  if (entry.first !== null) return say("numbers.once", { pocket: entry.first });
  if (wants) return say("numbers.no-sensor");
  if (state?.pocket) return say("numbers.dolly");
  return next?.step === "number" ? say("numbers.wheel") : say("numbers.at-rest");
}

/** @param {import("../shared/types/console.js").FloorTable} floor */
const doubtText = ({ reported, seen }) =>
  say("numbers.doubt", { reported: reported ?? "", seen: seen.map(sightingText).join("; ") });

/** @param {Deal} deal */
const differenceText = ({ floor, entry }) =>
  say("numbers.difference", { reported: floor?.reported ?? "", pocket: entry.pocket ?? "" });

// Keyboard: a digit takes the step of that number or, while a number is being entered, is a digit of it.

const MEMORY = "croupier:dealer:keys";
/** Fields where keys are text. A number of the pad is a radio button, and takes no text. */
const WRITING = "input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]";

const areOn = () => localStorage.getItem(MEMORY) !== "off";

/**
 * Handle keys while the page is open, nothing is typed into a field, no dialog is open and the keyboard is enabled.
 * @param {Deal} deal
 */
export function handleKeys(deal) {
  addEventListener("keydown", (event) => {
    const { key, target, repeat, ctrlKey, altKey, metaKey } = event;
    if (repeat || ctrlKey || altKey || metaKey || isModalOpen() || !areOn() || deal.client.who === null) return;
    if (!(target instanceof Element) || target.closest(WRITING)) return;
    if (pressed(deal, key.toLowerCase(), target)) event.preventDefault();
  });
}

/** Handle a key. Returns whether it has a meaning. @param {Deal} deal @param {string} key @param {Element} target */
function pressed(deal, key, target) {
  if (/^\d$/.test(key)) return digit(deal, key);
  if (key === "n") callNoSpin(deal);
  else if (key === "s") callSupervisor(deal);
  else if (key === "enter" && deal.numberStep && !target.closest("button, a")) void deal.sendNumber();
  else if ((key === "backspace" || key === "escape") && deal.numberStep) deal.clearEntry();
  else return false;
  return true;
}

/** @param {Deal} deal @param {string} key */
function digit(deal, key) {
  if (deal.numberStep) return (deal.type(key), true);
  const row = deal.steps[Number(key) - 1];
  if (row?.next && row.command && deal.canSend) takeStep(deal, row);
  return true;
}

/** The legend of the keys, with a switch to disable them. @param {Deal} deal */
export function legend(deal) {
  const key = (/** @type {string} */ name, /** @type {string} */ words) => [h("kbd", null, name), ` ${say(words)} `];
  const flip = () => {
    localStorage.setItem(MEMORY, areOn() ? "off" : "on");
    deal.client.session.redraw();
  };
  const number = deal.numberStep
    ? h("span", null, key("0–9", "keys.number"), key("Enter", "keys.confirm"))
    : h("span", null, key(`1–${deal.steps.length || 1}`, "keys.step"));
  return h(
    "div",
    { class: "legend" },
    h(
      "p",
      null,
      areOn() && [number, h("span", null, key("N", "keys.no-spin"), key("S", "keys.supervisor"))],
    ),
    button(areOn() ? say("keys.on") : say("keys.off"), flip, { class: "small", "aria-pressed": String(areOn()) }),
  );
}
