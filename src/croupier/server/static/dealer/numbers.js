// Number entry by touch and by keyboard.

import { labelOf } from "../console/text.js";
import { isModalOpen } from "../shared/dialog.js";
import { button, el, enabled, marked, shown, text } from "../shared/dom.js";
import { numberPad, repaintTile, tiles } from "../shared/pocket.js";
import { callNoSpin } from "./no_spin.js";
import { callSupervisor } from "./round.js";
import { takeStep } from "./steps.js";

/** @typedef {import("./round.js").Deal} Deal */

const PAST_MOST = 15;

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function numbers(deal) {
  const label = el("h2", {});
  const keys = numberPad({ label: "Numbers, as they lie on the felt", pick: (pocket) => deal.choosePocket(pocket) });
  const past = tiles("Last numbers, the newest first");
  const meant = chosenNumber(deal);
  const node = el(
    "section",
    { class: "numbers", "aria-label": "Number" },
    el("div", { class: "card cloth" }, label, keys.node),
    meant.node,
    el("div", { class: "card past" }, el("h2", {}, "Last numbers"), past.node),
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
  if (!wants) return "Numbers";
  if (wants.step === "confirm") return "Winning number: touch to correct, then confirm";
  if (entry.first !== null) return "The same number once more, as the ball lies";
  return `Winning number: ${wants.asks.includes("again") ? "entered by hand, twice" : "touch, then confirm"}`;
}

/** The chosen number in full, and its next action. @param {Deal} deal */
function chosenNumber(deal) {
  const big = el("span", { class: "tile big" });
  const name = el("p", { class: "name", "aria-live": "polite" });
  const about = el("p", { class: "about" });
  const say = button("", () => void deal.sendNumber(), { class: "go say" });
  const back = button("", () => deal.clearEntry(), { class: "back" });
  const help = button("", () => callSupervisor(deal, differenceText(deal)), { class: "help" });
  const node = el("div", { class: "card word" }, big, el("div", {}, name, about), back, help, say);
  const update = () => {
    const { numberStep: wants, entry, state, felt, differs } = deal;
    const pocket = wants ? entry.pocket : (state?.pocket ?? null);
    repaintTile(big, pocket, felt?.colours);
    const none = wants ? "Which number?" : "No number yet";
    text(name, pocket === null ? none : `${pocket} ${labelOf(felt?.colours.get(pocket) ?? "")}`);
    text(about, explanation(deal));
    marked(node, "data-differs", differs ? "true" : null);
    const twice = wants?.asks.includes("again") && entry.first === null;
    text(say, pocket === null ? "Confirm" : `${twice ? "Enter" : "Confirm"} ${pocket}`);
    enabled(say, deal.canSend && pocket !== null);
    shown(say, Boolean(wants) && !differs);
    shown(help, differs);
    text(help, "Have it attested");
    shown(back, differs || (Boolean(wants) && (entry.first !== null || entry.typed !== "")));
    text(back, differs ? `Back to ${deal.floor?.reported}` : "Begin again");
  };
  return { node, update };
}

const DIFFERS =
  "Another number counts only once two people of the pit have attested it, each on a device of their own.";

/** The explanation for the number. @param {Deal} deal */
function explanation({ numberStep: wants, entry, floor, differs, state, next }) {
  if (differs) return `The sensor reads ${floor?.reported}, and ${entry.pocket} was touched. ${DIFFERS}`;
  if (wants?.step === "confirm" && floor?.doubtful) return doubtText(floor);
  if (wants?.step === "confirm") return `The sensor reads ${floor?.reported}. Look at the ball, then confirm.`;
  if (entry.first !== null) return `Entered once: ${entry.first}. Look again, and enter what you see.`;
  if (wants) return "No sensor has reported: enter where the ball lies.";
  if (state?.pocket) return "The dolly stands on it.";
  return next?.step === "number" ? "The wheel reports it." : "It is asked for once the ball has come to rest.";
}

/** @param {import("../shared/types/console.js").FloorTable} floor */
const doubtText = ({ reported, seen }) =>
  `The sensor reads ${reported}, but saw the spin go wrong or contradicts itself: ${seen.join("; ")}. ` +
  "Confirm only a valid spin; otherwise call no spin.";

/** @param {Deal} deal */
const differenceText = ({ floor, entry }) => `The sensor reads ${floor?.reported}; the ball lies in ${entry.pocket}.`;

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
  const number = el("span", {}, el("kbd", {}, "0–9"), " number ", el("kbd", {}, "Enter"), " confirm");
  const step = el("span", {}, el("kbd", {}), " the step that is next");
  const other = el("span", {}, el("kbd", {}, "N"), " no spin ", el("kbd", {}, "S"), " supervisor");
  const flip = button("", () => (localStorage.setItem(MEMORY, areOn() ? "off" : "on"), draw()), { class: "small" });
  const node = el("div", { class: "legend" }, el("p", {}, number, step, other), flip);
  const draw = () => {
    text(step.firstElementChild, `1–${deal.steps.length || 1}`);
    shown(number, areOn() && deal.numberStep !== null);
    shown(step, areOn() && deal.numberStep === null);
    shown(other, areOn());
    marked(flip, "aria-pressed", String(areOn()));
    text(flip, areOn() ? "Keys on" : "Keys off");
  };
  return { node, update: draw };
}
