// The language switch of a bar.

import { el, icon } from "./dom.js";
import { languageInUse, LANGUAGES, say } from "./text.js";

/** @param {(language: string) => void} choose */
export function languageSwitch(choose) {
  const inUse = languageInUse();
  const options = Object.entries(LANGUAGES).map(([code, name]) =>
    el("option", { value: code, lang: code, selected: code === inUse }, name)
  );
  const select = el("select", { "aria-label": say("language.label") }, ...options);
  select.addEventListener("change", () => choose(select.value));
  const shortName = el("span", { class: "code", "aria-hidden": "true" }, inUse.slice(0, 2).toUpperCase());
  return el("label", { class: "language" }, icon("globe"), shortName, select);
}
