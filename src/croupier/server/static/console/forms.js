// Command forms. One press sends one request.

import { clauseInfo } from "../shared/clause.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, field, form, shown, text } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";
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
 * @property {(Node | string)[]} [about] text before the fields
 * @property {Node[]} [below] content after them
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
  const reply = refusalLine();
  const main = el("button", { class: wanted.grave ? "grave" : "main", form: id }, does);
  const made = form(
    { class: "fields", id },
    async (given) => {
      main.disabled = true;
      const answer = await wanted.send(read(fields, given));
      main.disabled = false;
      reply.update(answer.refusal);
      if (answer.refusal) return;
      dialog.close();
      wanted.done?.(answer);
    },
    ...fields.map(input),
  );
  const signs = wanted.dual ? [el("p", { class: "dual" }, say("form.dual"))] : [];
  const body = [...about, ...signs, made, reply.node, ...(wanted.below ?? [])];
  const { does: leaves, act } = wanted.back ?? { does: say("form.leave"), act: () => dialog.close() };
  const { update, tick } = wanted;
  const dialog = openDialog({ name, title, look, light: false, body, foot: [button(leaves, act), main], update, tick });
  made.querySelector("input, textarea, select")?.dispatchEvent(new Event("focus"));
  return dialog;
}

/** The line that says why a request was refused, with its clause behind an ⓘ. @param {string} [look] its class */
export function refusalLine(look = "reply") {
  const words = el("span", {});
  const clause = clauseInfo();
  const node = el("p", { class: look, role: "alert", hidden: true }, words, " ", clause.node);
  /** @param {Pick<import("../shared/types/wire.js").RefusalBody, "code" | "says" | "facts" | "clause"> | null | undefined} no */
  const update = (no) => {
    text(words, no ? refusedText(no) : "");
    clause.update(no?.clause);
    shown(node, Boolean(no));
  };
  /** Say something else, such as why a file cannot be made. @param {string} says */
  const report = (says) => {
    text(words, says);
    clause.update(null);
    shown(node, says !== "");
  };
  return { node, update, report };
}

/** @param {Field} one */
function input(one) {
  const { name, label, kind = "text", optional = false, value = null, about } = one;
  if (kind === "tick")
    return el("label", { class: "tick" }, el("input", { type: "checkbox", name, checked: Boolean(value) }), label);
  const notes = [about, optional && say("form.optional")].filter(Boolean).map((note) => el("small", {}, ` ${note}`));
  const words = el("span", {}, label, ...notes);
  if (kind === "pick") return radioGroup(one);
  if (kind === "choice") return field(words, list(one));
  if (kind === "words") {
    const area = el("textarea", { name, required: !optional, maxlength: 500, rows: 3 });
    area.value = String(value ?? "");
    return field(words, area);
  }
  const looks = INPUT_ATTRIBUTES[kind] ?? { maxlength: 128 };
  return field(words, el("input", { name, required: !optional, autocomplete: "off", value: value ?? "", ...looks }));
}

/** Nothing is preselected. @param {Field} one */
function list({ name, choices = [], value = null, optional = false }) {
  const begins = optional || value !== null || choices.some(([key]) => key === "") ? [] : [["", say("form.choose")]];
  const options = [...begins, ...choices].map(([key, says]) =>
    el("option", { value: key, selected: key === value }, says),
  );
  return el("select", { name, required: !optional }, ...options);
}

/** @param {Field} one */
function radioGroup({ name, label, choices = [], value = null, optional = false }) {
  const rows = choices.map(([key, says, clause]) => {
    const radio = el("input", { type: "radio", name, value: key, required: !optional, checked: key === value });
    return el("div", { class: "pick" }, el("label", {}, radio, el("span", {}, says)), clauseInfo(undefined, clause).node);
  });
  return el("fieldset", { class: "picks" }, el("legend", {}, label), ...rows);
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
