// The strip above everything: what kind of seat this is, and what has to be told now.

import { el, shown, text } from "../kit/dom.js";
import { say } from "../kit/words.js";

/** @typedef {import("./ui.js").Ui} Ui */

/**
 * @param {Ui} ui @param {HTMLElement | null} demo what the document says of a demonstration
 * @param {HTMLElement} news
 */
export function strip(ui, demo, news) {
  const practice = el("p", { class: "practice", hidden: true }, say("strip.practice"));
  const venue = el("h1", {}, ui.session.place.venue);
  const terminal = el("p", { class: "terminal-name" });
  text(demo, say("strip.demo"));
  const marks = el("div", { class: "marks" }, demo, practice);
  const node = el("div", { class: "strip" }, marks, news, el("div", { class: "where" }, venue, terminal));
  const update = () => {
    const { fixture } = ui.view();
    shown(practice, Boolean(fixture?.practice));
    text(terminal, say("strip.terminal", { terminal: fixture?.terminal ?? "" }));
  };
  return { node, update };
}
