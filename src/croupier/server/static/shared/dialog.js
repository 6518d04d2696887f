// Native dialogs.

import { button, el, icon } from "./dom.js";
import { render } from "./render.js";
import { say } from "./text.js";

/**
 * @typedef {import("./store.js").View} View
 * @typedef {(Node | string)[] | (() => import("./render.js").Child)} Content nodes, or what draws them after every change
 */

/**
 * @template {View} [V=View]
 * @typedef {object} DialogOptions what a dialog is made of
 * @property {string} name at most one dialog of a name is open
 * @property {string} title
 * @property {Content} body
 * @property {Content} [foot] the buttons below the scrolling part
 * @property {"middle" | "narrow" | "wide" | "side" | "corner"} [look] "side" leaves the felt visible, "corner" leaves
 *   it usable
 * @property {boolean} [light] whether a press outside closes it; false where input would be lost
 * @property {boolean} [firm] whether only its own buttons close it: its content is shown once
 * @property {(view: V) => void} [update] called after every change of the view
 * @property {() => void} [tick] called once a second
 * @property {() => void} [closed] called when it is closed
 */

/**
 * @typedef {{name: string, node: HTMLDialogElement, options: DialogOptions<any>, close: () => void, redraw: () => void,
 *   retitle: (title: string) => void}} Dialog
 */

/** The open dialogs, the topmost last. @type {Dialog[]} */
let dialogs = [];
let made = 0;

/** Open a dialog. Closing it returns the focus to where it was. @template {View} V @param {DialogOptions<V>} options @returns {Dialog} */
export function openDialog(options) {
  dialogNamed(options.name)?.close();
  const { node, heading, redraw } = build(options);
  const retitle = (/** @type {string} */ title) => (heading.textContent = title);
  const dialog = { name: options.name, node, options, close: () => node.close(), redraw, retitle };
  node.addEventListener("close", () => {
    dialogs = dialogs.filter((one) => one !== dialog);
    node.remove();
    options.closed?.();
  });
  if (options.firm) holdOpen(node);
  else if (options.light ?? true) dismissOutside(node);
  dialogs.push(dialog);
  document.body.append(node);
  if (options.look === "corner") appear(node);
  else node.showModal();
  return dialog;
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
export const dialogNamed = (name) => dialogs.find((dialog) => dialog.name === name);

/** Whether a dialog covers the page. */
export const isModalOpen = () => dialogs.some(({ options }) => options.look !== "corner");

/** Pass the current view to every open dialog. @param {View} view */
export function updateDialogs(view) {
  for (const { options, redraw } of dialogs) {
    redraw();
    options.update?.(view);
  }
}

/** Pass the tick to every open dialog. */
export function tickDialogs() {
  for (const { options, redraw } of dialogs) {
    redraw();
    options.tick?.();
  }
}

export function closeDialogs() {
  for (const dialog of [...dialogs].reverse()) dialog.close();
}

/** @param {DialogOptions<any>} options @returns {{node: HTMLDialogElement, heading: HTMLElement, redraw: () => void}} */
function build({ name, title, body, foot = [], look = "middle", firm = false }) {
  const id = `dialog-${(made += 1)}`;
  const corner = look === "corner";
  const heading = el("h2", { id, tabindex: corner ? null : "-1", autofocus: !corner }, title);
  const node = el("dialog", { class: `dialog ${look}`, "aria-labelledby": id, "data-dialog": name });
  const middle = el("div", { class: "body", tabindex: corner ? null : "0" });
  const below = el("div", { class: "foot" });
  const redraw = () => {
    if (typeof body === "function") render(middle, body());
    if (typeof foot === "function") render(below, foot());
  };
  if (Array.isArray(body)) middle.append(...body);
  if (Array.isArray(foot)) below.append(...foot);
  redraw();
  const lid = el("div", { class: "lid" }, heading, firm ? null : closeButton(node));
  const hasFoot = typeof foot === "function" || foot.length > 0;
  node.append(el("div", { class: "page", role: corner ? "status" : null }, lid, middle, hasFoot ? below : null));
  return { node, heading, redraw };
}

/** @param {HTMLDialogElement} node */
const closeButton = (node) =>
  button(icon("close"), () => node.close(), { class: "out", "aria-label": say("dialog.close") });

/**
 * A browser honours `preventDefault` on `cancel` only once, and on the Escape key every time.
 * @param {HTMLDialogElement} node
 */
function holdOpen(node) {
  node.addEventListener("cancel", (event) => event.preventDefault());
  node.addEventListener("keydown", (event) => event.key === "Escape" && event.preventDefault());
}

/** A press that begins and ends outside the dialog closes it. @param {HTMLDialogElement} node */
function dismissOutside(node) {
  let began = false;
  node.addEventListener("pointerdown", (event) => {
    began = event.target === node;
  });
  node.addEventListener("click", (event) => {
    if (began && event.target === node) node.close();
  });
}
