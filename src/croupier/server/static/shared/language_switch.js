// The language switch of a bar.

import { h, icon } from "./render.js";
import { languageInUse, LANGUAGES, say } from "./text.js";

/** @param {(language: string) => void} choose */
export function languageSwitch(choose) {
  const inUse = languageInUse();
  const change = (/** @type {{target: HTMLSelectElement}} */ { target }) => choose(target.value);
  return h(
    "label",
    { class: "language" },
    icon("globe"),
    h("span", { class: "code", "aria-hidden": "true" }, inUse.slice(0, 2).toUpperCase()),
    h(
      "select",
      { "aria-label": say("language.label"), value: inUse, change },
      Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code }, name)),
    ),
  );
}
