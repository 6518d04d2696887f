// The picture of a drill: the felt around the number with chips and dolly, and the marker buttons on the block.

import { chipOf } from "../felt/pieces.js";
import { el, marked, shown } from "../shared/dom.js";

/**
 * @typedef {import("./score.js").Drill} Drill
 * @typedef {import("./score.js").DrillLine} DrillLine
 * @typedef {import("./score.js").Area} Area
 */

/** How much of the felt is in the picture, in quarters of a cell: beside the number, and across the table. */
const BESIDE = 2.9;
const ACROSS = { low: -1.5, high: 12.4 };

/** The picture. */
export function picture() {
  const surface = el("div", { class: "surface" });
  const felt = el("div", { class: "picture", role: "img" }, surface);
  const buttons = el("ul", { class: "buttons" });
  const block = el("section", { class: "block", "aria-label": "The block" }, buttons);
  const node = el("div", { class: "scene" }, felt, block);
  /** @type {Drill | null} */
  let drawn = null;
  /** @param {Drill} drill */
  const update = (drill) => {
    if (drawn === drill) return;
    drawn = drill;
    marked(felt, "aria-label", descriptionOf(drill));
    surface.replaceChildren(...partsOf(drill));
    const markers = drill.lines.filter(({ numbers }) => numbers);
    shown(block, markers.length > 0);
    buttons.replaceChildren(...markers.map((line) => markerOf(drill, line)));
  };
  return { node, update };
}

/** The picture in words. @param {Drill} drill */
function descriptionOf({ pocket, chip, lines }) {
  const bets = lines.map(({ placed, spot }) => `${placed} on ${spot}`).join(", ");
  return `The number is ${pocket}. ${chip}: ${bets}.`;
}

/** @param {Drill} drill */
function* partsOf(drill) {
  const window = windowOf(drill);
  for (const box of drill.boxes) yield placed(el("div", { class: "box" }, el("span", {}, box.label)), box, window);
  for (const cell of drill.cells) {
    const here = cell.pocket === drill.pocket;
    const attributes = { class: here ? "cell here" : "cell", "data-colour": cell.colour };
    const inside = here ? [el("span", { class: "dolly" })] : [];
    yield placed(el("div", attributes, el("span", { class: "number" }, cell.pocket), ...inside), cell, window);
  }
  for (const { along, across, placed: count } of drill.lines) {
    if (along === undefined || across === undefined) continue;
    yield placed(chipOf(drill.chip, count), { along: [along, along], across: [across, across] }, window);
  }
}

/** The part of the felt that is shown. @param {Drill} drill @returns {Area} */
function windowOf({ cells, pocket }) {
  const [from, to] = cells.find((cell) => cell.pocket === pocket)?.along ?? [0, 0];
  return { along: [from - BESIDE, to + BESIDE], across: [ACROSS.low, ACROSS.high] };
}

/**
 * Place an element on the felt: it runs from left to right, with the dozens at the bottom. Of an area, the part in the
 * window is shown.
 * @template {HTMLElement} E
 * @param {E} node @param {Area} area @param {Area} window
 */
function placed(node, area, window) {
  const along = within(area.along, window.along);
  const across = within(area.across, window.across);
  const [width, height] = [window.along[1] - window.along[0], window.across[1] - window.across[0]];
  const set = (/** @type {string} */ name, /** @type {number} */ share) =>
    node.style.setProperty(name, `${(share * 100).toFixed(3)}%`);
  set("left", (along[0] - window.along[0]) / width);
  set("top", (window.across[1] - across[1]) / height);
  if (along[1] > along[0]) {
    set("width", (along[1] - along[0]) / width);
    set("height", (across[1] - across[0]) / height);
  }
  return node;
}

/** @param {[number, number]} span @param {[number, number]} window @returns {[number, number]} */
const within = ([from, to], [low, high]) => [Math.max(from, low), Math.min(to, high)];

/** A marker button with the chips below it. @param {Drill} drill @param {DrillLine} line */
function markerOf({ chip, pocket }, { placed: count, label, numbers = [] }) {
  const middle = numbers.length >> 1;
  const rim = numbers.map((number, place) =>
    el("span", { class: place === middle ? "centre" : "rim", "data-hit": number === pocket || null }, number),
  );
  return el("li", {}, chipOf(chip, count), el("span", { class: "marker", role: "img", "aria-label": label }, ...rim));
}
