// Hardware keys: a digit takes the step of its place or, while a number is asked for, is a digit of it.

import { button, el, marked, shown, text } from "../kit/dom.js";
import { isCovered } from "../kit/sheet.js";
import { callNoSpin } from "./nospin.js";
import { takeStep } from "./steps.js";
import { callSupervisor } from "./supervisor.js";

/** @typedef {import("./deal.js").Deal} Deal */

const MEMORY = "croupier:dealer:keys";
/** Where keys are letters. A number of the pad is a radio, and takes none. */
const WRITING = "input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]";

const areOn = () => localStorage.getItem(MEMORY) !== "off";

/** Hear keys for as long as the page is open: while nothing is being written, no sheet is open and they are wanted.
 * @param {Deal} deal */
export function hearKeys(deal) {
  addEventListener("keydown", (event) => {
    const { key, target, repeat, ctrlKey, altKey, metaKey } = event;
    if (repeat || ctrlKey || altKey || metaKey || isCovered() || !areOn() || deal.desk.who === null) return;
    if (!(target instanceof Element) || target.closest(WRITING)) return;
    if (pressed(deal, key.toLowerCase(), target)) event.preventDefault();
  });
}

/** Do what a key is for; tell whether it is for anything.
 * @param {Deal} deal @param {string} key @param {Element} target */
function pressed(deal, key, target) {
  if (/^\d$/.test(key)) return digit(deal, key);
  if (key === "n") callNoSpin(deal);
  else if (key === "s") callSupervisor(deal);
  else if (key === "enter" && deal.wants && !target.closest("button, a")) void deal.say();
  else if ((key === "backspace" || key === "escape") && deal.wants) deal.forget();
  else return false;
  return true;
}

/** @param {Deal} deal @param {string} key */
function digit(deal, key) {
  if (deal.wants) return (deal.type(key), true);
  const row = deal.steps[Number(key) - 1];
  if (row?.next && row.command && deal.free) takeStep(deal, row);
  return true;
}

/** Which key is for what, and a way to do without them.
 * @param {Deal} deal @returns {import("../staff/desk.js").Part} */
export function legend(deal) {
  const number = el("span", {}, el("kbd", {}, "0–9"), " number ", el("kbd", {}, "Enter"), " confirm");
  const step = el("span", {}, el("kbd", {}), " the step that is next");
  const other = el("span", {}, el("kbd", {}, "N"), " no spin ", el("kbd", {}, "S"), " supervisor");
  const flip = button("", () => (localStorage.setItem(MEMORY, areOn() ? "off" : "on"), draw()), { class: "small" });
  const node = el("div", { class: "legend" }, el("p", {}, number, step, other), flip);
  const draw = () => {
    text(step.firstElementChild, `1–${deal.steps.length || 1}`);
    shown(number, areOn() && deal.wants !== null);
    shown(step, areOn() && deal.wants === null);
    shown(other, areOn());
    marked(flip, "aria-pressed", String(areOn()));
    text(flip, areOn() ? "Keys on" : "Keys off");
  };
  return { node, update: draw };
}
