// The scanner: one field that has the focus whenever nothing else needs it, as a scanner types and presses Enter.

import { el, field, form } from "../kit/dom.js";
import { isCovered } from "../kit/sheet.js";

/** @param {import("./till.js").Till} till @returns {import("../staff/desk.js").Part} */
export function scan(till) {
  const input = el("input", {
    name: "number",
    inputmode: "numeric",
    autocomplete: "off",
    maxlength: 32,
    placeholder: "Scan, or type the 18 digits",
  });
  const made = form(
    { class: "row" },
    ({ number }) => {
      input.value = "";
      if (number.trim()) void till.lookUp(number.trim());
    },
    field("Number of a slip or ticket", input),
    el("button", {}, "Look up"),
  );
  const node = el("section", { class: "card scan", "aria-label": "Scanner" }, made);
  const isFree = () => till.desk.who !== null && !isCovered();
  const back = () => {
    if (!isFree()) return;
    input.focus();
    // What was left there is no part of the next number.
    input.select();
  };
  document.addEventListener("keydown", (event) => {
    if (isFree() && isTyped(event) && !isField(event.target)) back();
  });
  // What was pressed is done: the next scan lands here. A sheet that was opened by it keeps the focus.
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button")) back();
  });
  document.addEventListener("close", () => requestAnimationFrame(back), true);
  const tick = () => {
    if (till.desk.who === null) input.value = "";
    if (document.activeElement === document.body || document.activeElement === null) back();
  };
  const update = () => {
    if (till.belong()) input.value = "";
    tick();
  };
  return { node, update, tick };
}

/** @param {KeyboardEvent} event */
const isTyped = ({ key, ctrlKey, altKey, metaKey }) => /^[0-9A-Za-z-]$/.test(key) && !(ctrlKey || altKey || metaKey);

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
