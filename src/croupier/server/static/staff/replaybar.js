// The bar of a replay: play and pause, a step back or on, how fast, and where in the round it is.

import { button, el, enabled, marked, text } from "../kit/dom.js";
import { icon } from "../kit/icon.js";

/** How much faster than it was. */
export const SPEEDS = [1, 4, 16];

/**
 * @typedef {{toggle: () => void, go: (at: number) => void, hasten: (speed: number) => void}} Does
 * @typedef {{at: number, all: number, playing: boolean, speed: number, says: string}} Shown
 */

/** @param {Does} does */
export function bar({ toggle, go, hasten }) {
  let at = 0;
  const back = button(icon("back"), () => go(at - 1), { "aria-label": "A step back" });
  const on = button(icon("forward"), () => go(at + 1), { "aria-label": "A step on" });
  const play = button("Play", toggle, { class: "main play" });
  const slide = el("input", { type: "range", min: 0, step: 1, "aria-label": "Where in the round" });
  slide.addEventListener("input", () => go(Number(slide.value)));
  const speeds = SPEEDS.map((speed) =>
    button(`${speed}×`, () => hasten(speed), { "aria-label": `Speed ${speed} times` }),
  );
  const faster = el("div", { class: "speeds", role: "group", "aria-label": "How fast" }, ...speeds);
  const node = el("div", { class: "replay-bar" }, back, play, on, slide, faster);
  /** @param {Shown} shown */
  const update = (shown) => {
    at = shown.at;
    enabled(back, at > 0);
    enabled(on, at < shown.all - 1);
    text(play, shown.playing ? "Pause" : "Play");
    marked(slide, "max", shown.all - 1);
    if (slide.value !== String(at)) slide.value = String(at);
    marked(slide, "aria-valuetext", shown.says);
    speeds.forEach((one, place) => marked(one, "aria-pressed", String(SPEEDS[place] === shown.speed)));
  };
  return { node, update };
}
