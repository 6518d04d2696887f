// Thumbnails: a felt so small that only its colours and its chips are seen, for patterns and for what was played.

import { svg } from "../kit/svg.js";
import { bodyOf, colourOf } from "./chips.js";
import { projection } from "./geometry.js";
import { areasOf, outlines } from "./outline.js";

/** @typedef {import("./geometry.js").FeltData} FeltData */

const CELL_PX = { along: 12, across: 14 };
const CHIP_PX = 4.6;
/** Between the print and the edge of the cloth. */
const MARGIN_PX = 5;

/** @param {FeltData} data @param {Record<string, number>} stakes in cents */
export function thumb(data, stakes) {
  const laid = projection(data, { cell: CELL_PX, orientation: "landscape" });
  const paths = outlines(data, laid);
  const colours = new Map(data.cells.map((cell) => [cell.pocket, cell.colour]));
  const diamonds = new Set(["red", "black"]);
  const shapes = areasOf(data).map(([key]) => {
    const colour = colours.get(key) ?? (diamonds.has(key) ? key : "box");
    return svg("path", { d: paths.get(key) ?? "", class: colour });
  });
  const chips = data.spots
    .filter((spot) => stakes[spot.key] > 0)
    .map((spot) => {
      const { x, y } = laid.point(...spot.anchor);
      return svg("circle", { cx: x, cy: y, r: CHIP_PX, fill: bodyOf(colourOf(stakes[spot.key])), class: "chip" });
    });
  const [wide, high] = [laid.width + 2 * MARGIN_PX, laid.height + 2 * MARGIN_PX];
  return svg(
    "svg",
    { class: "thumbnail", viewBox: `${-MARGIN_PX} ${-MARGIN_PX} ${wide} ${high}`, "aria-hidden": "true" },
    svg("rect", { x: -MARGIN_PX, y: -MARGIN_PX, width: wide, height: high, rx: 6, class: "ground" }),
    ...shapes,
    ...chips,
  );
}
