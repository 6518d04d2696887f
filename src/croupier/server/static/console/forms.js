// Command forms. One press sends one request.

import { clauseSign } from "../shared/clause.js";
import { openDialog } from "../shared/dialog.js";
import { centsOf } from "../shared/money.js";
import { button, field, form, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { refusedText } from "./text.js";

/**
 * @typedef {import("./client.js").CommandResponse} Answer
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 */

/**
 * @typedef {object} Field an input
 * @property {string} name of the command's field
 * @property {string} label
 * @property {"words" | "text" | "name" | "amount" | "number" | "choice" | "pick" | "tick"} [kind] "words" is a reason
 *   in plain words, "name" is a person or a device, "pick" shows all choices
 * @property {[value: string, words: string, clause?: string | null][]} [choices]
 * @property {string | number | boolean | null} [value] the initial value
 * @property {boolean} [optional]
 * @property {string} [about] what it is for
 *
 * @typedef {object} FormOptions
 * @property {string} name of the dialog
 * @property {string} title
 * @property {import("../shared/render.js").Child | (() => import("../shared/render.js").Child)} [about] text before the fields
 * @property {import("../shared/render.js").Child | (() => import("../shared/render.js").Child)} [below] content after them
 * @property {Field[]} [fields]
 * @property {string} [does] the label of the button
 * @property {boolean} [dual] whether a second person must sign
 * @property {boolean} [grave] whether it cannot be undone
 * @property {{does: string, act: () => void}} [back] what its first button does instead of closing it
 * @property {"middle" | "narrow" | "wide"} [look]
 * @property {(given: Record<string, any>) => Promise<Answer>} send
 * @property {(answer: Answer) => void} [done]
 * @property {(view: any) => void} [update]
 * @property {() => void} [tick]
 */

/**
 * Ask for what a command needs, and send it; a refusal is shown in the dialog, which stays open.
 * @param {FormOptions} wanted
 */
export function openForm({ name, title, about = [], fields = [], does = say("form.do"), look = "narrow", ...wanted }) {
  const id = `${name}-form`;
  let isBusy = false;
  /** @type {Answer["refusal"]} */
  let refusal = null;
  const submit = async (/** @type {Record<string, any>} */ given) => {
    isBusy = true;
    dialog.redraw();
    const answer = await wanted.send(read(fields, given));
    isBusy = false;
    refusal = answer.refusal;
    dialog.redraw();
    if (refusal) return;
    dialog.close();
    wanted.done?.(answer);
  };
  const { does: leaves, act } = wanted.back ?? { does: say("form.leave"), act: () => dialog.close() };
  const { update, tick } = wanted;
  const dialog = openDialog({
    name,
    title,
    look,
    light: false,
    body: () => [
      drawn(about),
      wanted.dual && h("p", { class: "dual" }, say("form.dual")),
      form({ class: "fields", id }, submit, ...fields.map(input)),
      refusalText(refusal),
      drawn(wanted.below),
    ],
    foot: () => [
      button(leaves, act),
      h("button", { class: wanted.grave ? "grave" : "main", form: id, disabled: isBusy }, does),
    ],
    update,
    tick,
  });
  dialog.node.querySelector("form :is(input, textarea, select)")?.dispatchEvent(new Event("focus"));
  return dialog;
}

/** @param {FormOptions["about"]} content */
const drawn = (content) => (typeof content === "function" ? content() : content);

/**
 * Why a request was refused, with its clause behind an ⓘ; nothing where it was not.
 * @param {Pick<import("../shared/types/wire.js").RefusalBody, "code" | "says" | "facts" | "clause"> | null | undefined} refusal
 * @param {string} [look] its class
 */
export const refusalText = (refusal, look = "reply") =>
  refusal &&
  h("p", { class: look, role: "alert" }, h("span", null, refusedText(refusal)), " ", clauseSign(refusal.clause));

/** @param {Field} one */
function input(one) {
  const { name, label, kind = "text", optional = false, value = null, about } = one;
  if (kind === "tick") {
    return h("label", { class: "tick" }, h("input", { type: "checkbox", name, defaultChecked: Boolean(value) }), label);
  }
  if (kind === "pick") return radioGroup(one);
  const notes = [about, optional && say("form.optional")].filter(Boolean).map((note) => h("small", null, ` ${note}`));
  const labelled = (/** @type {import("../shared/render.js").VNode} */ control) => field([label, notes], control);
  const common = { name, required: !optional };
  if (kind === "choice") return labelled(h("select", common, options(one)));
  const initial = { ...common, defaultValue: String(value ?? "") };
  if (kind === "words") return labelled(h("textarea", { ...initial, maxlength: 500, rows: 3 }));
  return labelled(h("input", { ...initial, autocomplete: "off", ...(INPUT_ATTRIBUTES[kind] ?? { maxlength: 128 }) }));
}

/** Nothing is preselected. @param {Field} one */
function options({ choices = [], value = null, optional = false }) {
  const isChosen = optional || value !== null || choices.some(([key]) => key === "");
  const begin = isChosen ? [] : [["", say("form.choose")]];
  return [...begin, ...choices].map(([key, label]) =>
    h("option", { key, value: key, defaultSelected: key === value }, label)
  );
}

/** @param {Field} one */
function radioGroup({ name, label, choices = [], value = null, optional = false }) {
  const row = (/** @type {[value: string, label: string, clause?: string | null]} */ [key, words, clause]) =>
    h(
      "div",
      { class: "pick", key },
      h(
        "label",
        null,
        h("input", { type: "radio", name, value: key, required: !optional, defaultChecked: key === value }),
        h("span", null, words),
      ),
      clauseSign(clause),
    );
  return h("fieldset", { class: "picks" }, h("legend", null, label), choices.map(row));
}

/** Input attributes by kind. @type {Record<string, Record<string, string | number>>} */
const INPUT_ATTRIBUTES = {
  amount: { inputmode: "decimal", pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*" },
  number: { inputmode: "numeric", pattern: "\\s*[0-9]{1,9}\\s*" },
  name: { maxlength: 64 },
};

/** @param {Field[]} fields @param {Record<string, any>} given @returns {Record<string, any>} */
function read(fields, given) {
  /** @type {Record<string, any>} */
  const found = {};
  for (const { name, kind = "text" } of fields) {
    const value = String(given[name] ?? "").trim();
    if (kind === "tick") found[name] = given[name] !== undefined;
    else if (kind === "amount") found[name] = value === "" ? null : centsOf(value);
    else if (kind === "number") found[name] = value === "" ? null : Number(value);
    else found[name] = value;
  }
  return found;
}

// One press, one request: further presses are ignored until the response arrives.

/** @type {WeakSet<Element>} */
const busy = new WeakSet();

/**
 * Run the action of a button, unless it is running. The button keeps the focus.
 * @param {Element} key the button @param {() => unknown} action which may be asynchronous
 */
export async function pressOnce(key, action) {
  if (busy.has(key)) return;
  busy.add(key);
  key.setAttribute("aria-busy", "true");
  try {
    await action();
  } finally {
    busy.delete(key);
    key.removeAttribute("aria-busy");
  }
}
