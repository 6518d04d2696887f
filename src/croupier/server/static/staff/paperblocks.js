// The blocks of a document, drawn as they stand on paper: words, pairs, grids, bars and lines to sign on.

import { el } from "../kit/dom.js";
import { svg } from "../kit/svg.js";

/** @typedef {import("../kit/consoles.js").AnyBlock} Block */
/** @typedef {import("../kit/consoles.js").GridBlock} GridBlock */
/** @typedef {import("../kit/consoles.js").BarcodeBlock} BarcodeBlock */

/** How high bars are, in the parts that they are wide. */
const BAR_HEIGHT = 60;
/** What a reader needs of white on either side, in the same parts. */
const QUIET = 10;
/** How wide one part is on a screen: a whole number of its points, as a reader sees the edges best so. */
const PART_PX = 2;

/** @param {Block} block @returns {HTMLElement} */
export function blockOf(block) {
  switch (block.type) {
    case "text":
      return el("p", { class: "words", "data-look": block.look, "data-align": block.align }, block.words);
    case "heading":
      return el("h3", {}, block.words);
    case "pair":
      return el(
        "p",
        { class: "pair", "data-look": block.look },
        el("span", {}, block.label),
        el("span", {}, block.value),
      );
    case "grid":
      return gridOf(block);
    case "barcode":
      return barcode(block);
    case "signature":
      return el("p", { class: "signature" }, block.label);
    case "rule":
      return el("hr", {});
    case "gap":
      return el("p", { class: "gap" });
  }
}

/** @param {GridBlock} block */
function gridOf({ heads, rows, total }) {
  const row = (/** @type {string[]} */ cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)));
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows.map(row)),
    el("tfoot", {}, row(total)),
  );
}

/** @param {BarcodeBlock} block */
function barcode({ digits, width, bars }) {
  const drawn = bars.map(([x, wide]) => svg("rect", { x: x + QUIET, y: 0, width: wide, height: BAR_HEIGHT }));
  const parts = width + 2 * QUIET;
  const size = { viewBox: `0 0 ${parts} ${BAR_HEIGHT}`, width: parts * PART_PX, preserveAspectRatio: "none" };
  const look = { ...size, role: "img", "aria-label": `Barcode of ${digits}` };
  return el("div", { class: "barcode" }, svg("svg", look, ...drawn));
}
