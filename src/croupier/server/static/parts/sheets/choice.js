// Choices: a switch, and one of several, each with its words.

import { el } from "../../kit/dom.js";

/** A switch.
 * @param {string} words @param {() => boolean} read @param {(on: boolean) => void} write @param {string} [about] */
export function toggle(words, read, write, about = "") {
  const box = el("input", { type: "checkbox", role: "switch" });
  box.addEventListener("change", () => write(box.checked));
  const told = el("span", { class: "words" }, words, about ? el("small", {}, about) : null);
  const node = el("label", { class: "toggle" }, told, box, el("span", { class: "track", "aria-hidden": "true" }));
  const update = () => {
    box.checked = read();
  };
  update();
  return { node, update };
}

/**
 * One of several. A choice may be of another language than the page.
 * @template {string | number} T
 * @param {string} words
 * @param {{value: T, words: string, lang?: string}[]} choices
 * @param {() => T} read @param {(value: T) => void} write
 */
export function choice(words, choices, read, write) {
  const name = `choice-${(made += 1)}`;
  const boxes = choices.map(({ value }) => {
    const box = el("input", { type: "radio", name, value: String(value) });
    box.addEventListener("change", () => write(value));
    return box;
  });
  const labels = choices.map((one, place) =>
    el("label", {}, boxes[place], el("bdi", { lang: one.lang ?? null }, one.words)),
  );
  const node = el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, words),
    el("div", { class: "segments" }, ...labels),
  );
  const update = () => {
    for (const [place, { value }] of choices.entries()) boxes[place].checked = value === read();
  };
  update();
  return { node, update };
}

let made = 0;
