// Native dialogs.

import { button, el, icon } from "./dom.js";
import { say } from "./text.js";

/** @typedef {import("./store.js").View} View */

/**
 * @template {View} [V=View]
 * @typedef {object} Wanted what a dialog is made of
 * @property {string} name at most one dialog of a name is open
 * @property {string} title
 * @property {(Node | string)[]} body
 * @property {(Node | string)[]} [foot] the buttons below the scrolling part
 * @property {"middle" | "narrow" | "wide" | "side" | "corner"} [look] "side" leaves the felt visible, "corner" leaves
 *   it usable
 * @property {boolean} [light] whether a press outside closes it; false where input would be lost
 * @property {boolean} [firm] whether only its own buttons close it: its content is shown once
 * @property {(view: V) => void} [update] called after every change of the view
 * @property {() => void} [tick] called once a second
 * @property {() => void} [closed] called when it is closed
 */

/** @typedef {{name: string, node: HTMLDialogElement, wanted: Wanted<any>, close: () => void}} Sheet */

/** The open dialogs, the topmost last. @type {Sheet[]} */
let sheets = [];
let made = 0;

/** Open a dialog. Closing it returns the focus to where it was. @template {View} V @param {Wanted<V>} wanted @returns {Sheet} */
export function openSheet(wanted) {
  sheetNamed(wanted.name)?.close();
  const node = drawn(wanted);
  const sheet = { name: wanted.name, node, wanted, close: () => node.close() };
  node.addEventListener("close", () => {
    sheets = sheets.filter((one) => one !== sheet);
    node.remove();
    wanted.closed?.();
  });
  if (wanted.firm) holdOpen(node);
  else if (wanted.light ?? true) dismissBeside(node);
  sheets.push(sheet);
  document.body.append(node);
  if (wanted.look === "corner") appear(node);
  else node.showModal();
  return sheet;
}

/**
 * Show the dialog without taking the focus. Content added to an existing region is read out by screen readers.
 * @param {HTMLDialogElement} node
 */
function appear(node) {
  const page = /** @type {HTMLElement} */ (node.firstElementChild);
  const content = [...page.childNodes];
  page.replaceChildren();
  node.open = true;
  requestAnimationFrame(() => page.append(...content));
}

/** The open dialog of a name. @param {string} name */
export const sheetNamed = (name) => sheets.find((sheet) => sheet.name === name);

/** Whether a dialog covers the page. */
export const isCovered = () => sheets.some(({ wanted }) => wanted.look !== "corner");

/** Pass the current view to every open dialog. @param {View} view */
export function updateSheets(view) {
  for (const { wanted } of sheets) wanted.update?.(view);
}

/** Pass the tick to every open dialog. */
export function tickSheets() {
  for (const { wanted } of sheets) wanted.tick?.();
}

export function closeSheets() {
  for (const sheet of [...sheets].reverse()) sheet.close();
}

/** @param {Wanted<any>} wanted @returns {HTMLDialogElement} */
function drawn({ name, title, body, foot = [], look = "middle", firm = false }) {
  const id = `sheet-${(made += 1)}`;
  const corner = look === "corner";
  const heading = el("h2", { id, tabindex: corner ? null : "-1", autofocus: !corner }, title);
  const node = el("dialog", { class: `sheet ${look}`, "aria-labelledby": id, "data-sheet": name });
  node.append(
    el(
      "div",
      { class: "page", role: corner ? "status" : null },
      el("div", { class: "lid" }, heading, firm ? null : wayOut(node)),
      el("div", { class: "body", tabindex: corner ? null : "0" }, ...body),
      ...(foot.length > 0 ? [el("div", { class: "foot" }, ...foot)] : []),
    ),
  );
  return node;
}

/** @param {HTMLDialogElement} node */
const wayOut = (node) => button(icon("close"), () => node.close(), { class: "out", "aria-label": say("sheet.close") });

/**
 * A browser honours `preventDefault` on `cancel` only once, and on the Escape key every time.
 * @param {HTMLDialogElement} node
 */
function holdOpen(node) {
  node.addEventListener("cancel", (event) => event.preventDefault());
  node.addEventListener("keydown", (event) => event.key === "Escape" && event.preventDefault());
}

/** A press that begins and ends outside the dialog closes it. @param {HTMLDialogElement} node */
function dismissBeside(node) {
  let began = false;
  node.addEventListener("pointerdown", (event) => {
    began = event.target === node;
  });
  node.addEventListener("click", (event) => {
    if (began && event.target === node) node.close();
  });
}
