// The ask box: any command of the house, written by hand. The house decides who may ask for what.

import { el, field, form, shown, text } from "../kit/dom.js";

const EXAMPLE = '{"type": "SendMessage", "terminals": [], "words": "The bar closes at two."}';

/** @param {(command: object) => void} ask */
export function askBox(ask) {
  const wrong = el("p", { class: "notice", role: "alert", hidden: true });
  const words = el("textarea", { name: "command", rows: 4, spellcheck: "false", placeholder: EXAMPLE, required: true });
  const node = form(
    { class: "panel" },
    ({ command }) => {
      let read = null;
      try {
        read = JSON.parse(command);
      } catch (error) {
        text(wrong, `That is no JSON: ${/** @type {Error} */ (error).message}`);
      }
      shown(wrong, read === null);
      if (read !== null) ask(read);
    },
    el("h2", {}, "Ask for anything"),
    el("p", {}, "A command as JSON, by its type and fields. The page on the wire lists them all."),
    field("Command", words),
    wrong,
    el("button", {}, "Ask"),
  );
  return node;
}
