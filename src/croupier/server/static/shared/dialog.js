// Native dialogs.

import { button, el, icon } from "./dom.js";
import { say } from "./text.js";

/**
 * @typedef {object} Wanted what a sheet is made of
 * @property {string} name one sheet of a name is open at a time
 * @property {string} title
 * @property {(Node | string)[]} body
 * @property {(Node | string)[]} [foot] what can be done with it, below what can be scrolled
 * @property {"middle" | "narrow" | "wide" | "side" | "corner"} [look] "side" leaves the felt to be seen, "corner"
 *   leaves
 *   it to be played on
 * @property {boolean} [light] whether a touch beside it closes it; not where something would be lost
 * @property {boolean} [firm] whether it stays until it is closed in so many words: what it tells is told once
 * @property {(view: any) => void} [update] told whenever something has changed
 * @property {() => void} [tick] told once a second
 * @property {() => void} [closed] told when it is closed
 *
 * @typedef {{name: string, node: HTMLDialogElement, wanted: Wanted, close: () => void}} Sheet
 */

/** The sheets that are open, the last one on top. @type {Sheet[]} */
let sheets = [];
let made = 0;

/** Open a sheet. Whatever had the focus has it again when it is closed. @param {Wanted} wanted @returns {Sheet} */
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

/** Come up without taking the focus from whoever is playing. What comes into a place that is there is read out as news.
 * @param {HTMLDialogElement} node */
function appear(node) {
  const page = /** @type {HTMLElement} */ (node.firstElementChild);
  const content = [...page.childNodes];
  page.replaceChildren();
  node.open = true;
  requestAnimationFrame(() => page.append(...content));
}

/** The open sheet of a name. @param {string} name */
export const sheetNamed = (name) => sheets.find((sheet) => sheet.name === name);

/** Whether a sheet stands before the rest of the page. */
export const isCovered = () => sheets.some(({ wanted }) => wanted.look !== "corner");

/** Tell every open sheet what there is now. @param {any} view */
export function updateSheets(view) {
  for (const { wanted } of sheets) wanted.update?.(view);
}

/** Tell every open sheet that time has gone on. */
export function tickSheets() {
  for (const { wanted } of sheets) wanted.tick?.();
}

export function closeSheets() {
  for (const sheet of [...sheets].reverse()) sheet.close();
}

/** @param {Wanted} wanted @returns {HTMLDialogElement} */
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

/** A browser lets itself be kept from closing a dialog once, and from hearing a key every time.
 * @param {HTMLDialogElement} node */
function holdOpen(node) {
  node.addEventListener("cancel", (event) => event.preventDefault());
  node.addEventListener("keydown", (event) => event.key === "Escape" && event.preventDefault());
}

/** A touch that begins and ends beside a sheet closes it. @param {HTMLDialogElement} node */
function dismissBeside(node) {
  let began = false;
  node.addEventListener("pointerdown", (event) => {
    began = event.target === node;
  });
  node.addEventListener("click", (event) => {
    if (began && event.target === node) node.close();
  });
}
