// Number entry by touch and by keyboard.

import { isModalOpen } from "../shared/dialog.js";
import { button, el, enabled, marked, shown, text } from "../shared/dom.js";
import { numberPad, repaintTile, tiles } from "../shared/pocket.js";
import { sightingText } from "../console/text.js";
import { say } from "../shared/text.js";
import { callNoSpin } from "./no_spin.js";
import { callSupervisor } from "./round.js";
import { takeStep } from "./steps.js";

/** @typedef {import("./round.js").Deal} Deal */

const PAST_MOST = 15;

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function numbers(deal) {
  const label = el("h2", {});
  const keys = numberPad({ label: say("numbers.pad"), pick: (pocket) => deal.choosePocket(pocket) });
  const past = tiles(say("history.label"));
  const meant = chosenNumber(deal);
  const node = el(
    "section",
    { class: "numbers", "aria-label": say("numbers.title") },
    el("div", { class: "card cloth" }, label, keys.node),
    meant.node,
    el("div", { class: "card past" }, el("h2", {}, say("numbers.last")), past.node),
  );
  return {
    node,
    update: () => {
      const { felt, entry, numberStep: wants, state } = deal;
      text(label, heading(deal));
      marked(keys.node, "data-live", wants ? "true" : null);
      keys.update(felt, wants ? entry.pocket : null, !wants || !deal.canSend, state?.pocket ?? null);
      meant.update();
      past.update(state?.numbers ?? [], felt?.colours, PAST_MOST);
    },
  };
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
  const big = el("span", { class: "tile big" });
  const name = el("p", { class: "name", "aria-live": "polite" });
  const about = el("p", { class: "about" });
  const confirm = button("", () => void deal.sendNumber(), { class: "go say" });
  const back = button("", () => deal.clearEntry(), { class: "back" });
  const help = button("", () => callSupervisor(deal, differenceText(deal)), { class: "help" });
  const node = el("div", { class: "card word" }, big, el("div", {}, name, about), back, help, confirm);
  const update = () => {
    const { numberStep: wants, entry, state, felt, differs } = deal;
    const pocket = wants ? entry.pocket : (state?.pocket ?? null);
    repaintTile(big, pocket, felt?.colours);
    const colour = pocket === null ? undefined : felt?.colours.get(pocket);
    const none = wants ? say("dealer.which-number") : say("result.none");
    text(name, pocket && colour ? say("number", { pocket, colour: say(`colour.${colour}`) }) : (pocket ?? none));
    text(about, explanation(deal));
    marked(node, "data-differs", differs ? "true" : null);
    const twice = wants?.asks.includes("again") && entry.first === null;
    text(
      confirm,
      pocket === null ? say("recall.confirm") : say(twice ? "numbers.enter" : "dealer.confirm", { pocket }),
    );
    enabled(confirm, deal.canSend && pocket !== null);
    shown(confirm, Boolean(wants) && !differs);
    shown(help, differs);
    text(help, say("numbers.attest"));
    shown(back, differs || (Boolean(wants) && (entry.first !== null || entry.typed !== "")));
    text(back, differs ? say("numbers.back", { pocket: deal.floor?.reported ?? "" }) : say("numbers.restart"));
  };
  return { node, update };
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

/**
 * The legend of the keys, with a switch to disable them.
 * @param {Deal} deal @returns {import("../console/client.js").Part}
 */
export function legend(deal) {
  const number = el(
    "span",
    {},
    el("kbd", {}, "0–9"),
    ` ${say("keys.number")} `,
    el("kbd", {}, "Enter"),
    ` ${say("keys.confirm")}`,
  );
  const step = el("span", {}, el("kbd", {}), ` ${say("keys.step")}`);
  const other = el(
    "span",
    {},
    el("kbd", {}, "N"),
    ` ${say("keys.no-spin")} `,
    el("kbd", {}, "S"),
    ` ${say("keys.supervisor")}`,
  );
  const flip = button("", () => (localStorage.setItem(MEMORY, areOn() ? "off" : "on"), draw()), { class: "small" });
  const node = el("div", { class: "legend" }, el("p", {}, number, step, other), flip);
  const draw = () => {
    text(step.firstElementChild, `1–${deal.steps.length || 1}`);
    shown(number, areOn() && deal.numberStep !== null);
    shown(step, areOn() && deal.numberStep === null);
    shown(other, areOn());
    marked(flip, "aria-pressed", String(areOn()));
    text(flip, areOn() ? say("keys.on") : say("keys.off"));
  };
  return { node, update: draw };
}
