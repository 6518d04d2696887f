// The picture of a drill: the felt around the number with chips and dolly, and the marker buttons on the block.

import { dollyShapes } from "../felt/dolly.js";
import { chipOf } from "../felt/pieces.js";
import { h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { lineName } from "./score.js";

/**
 * @typedef {import("./score.js").Drill} Drill
 * @typedef {import("./score.js").DrillLine} DrillLine
 * @typedef {import("./score.js").Area} Area
 */

/** How much of the felt is in the picture, in quarters of a cell: beside the number, and across the table. */
const BESIDE = 2.9;
const ACROSS = { low: -1.5, high: 12.4 };

/** @param {Drill} drill */
export function picture(drill) {
  const { pocket, chip, lines, boxes, cells } = drill;
  const [from, to] = cells.find((cell) => cell.pocket === pocket)?.along ?? [0, 0];
  /** @type {Area} */
  const window = { along: [from - BESIDE, to + BESIDE], across: [ACROSS.low, ACROSS.high] };
  const bets = lines.map(({ placed, spot }) => say("trainer.on", { n: placed, spot })).join(", ");
  const markers = lines.filter(({ numbers }) => numbers);
  return h(
    "div",
    { class: "scene" },
    h(
      "div",
      { class: "picture", role: "img", "aria-label": `${say("trainer.number", { pocket })} ${chip}: ${bets}.` },
      h(
        "div",
        { class: "surface" },
        boxes.map((box) => h("div", { class: "box", style: styleOf(box, window) }, h("span", null, box.label))),
        cells.map((cell) => {
          const isHere = cell.pocket === pocket;
          return h(
            "div",
            { class: isHere ? "cell here" : "cell", "data-colour": cell.colour, style: styleOf(cell, window) },
            h("span", { class: "number" }, cell.pocket),
            isHere && h("svg", { class: "dolly", viewBox: "-10 -12 20 24", "aria-hidden": "true" }, dollyShapes()),
          );
        }),
        lines.map(({ along, across, placed }) => {
          if (along === undefined || across === undefined) return null;
          return chipOf(chip, placed, { style: styleOf({ along: [along, along], across: [across, across] }, window) });
        }),
      ),
    ),
    markers.length > 0 &&
      h(
        "section",
        { class: "block", "aria-label": say("trainer.block") },
        h("ul", { class: "buttons" }, markers.map((line) => marker(drill, line))),
      ),
  );
}

/**
 * Where something lies on the felt, which runs from left to right, with the dozens at the bottom. Of an area, the part in the
 * window is shown.
 * @param {Area} area @param {Area} window @returns {Record<string, string>}
 */
function styleOf(area, window) {
  const along = within(area.along, window.along);
  const across = within(area.across, window.across);
  const [width, height] = [window.along[1] - window.along[0], window.across[1] - window.across[0]];
  const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(3)}%`;
  const place = {
    left: percent((along[0] - window.along[0]) / width),
    top: percent((window.across[1] - across[1]) / height),
  };
  if (along[1] <= along[0]) return place;
  return { ...place, width: percent((along[1] - along[0]) / width), height: percent((across[1] - across[0]) / height) };
}

/** @param {[number, number]} span @param {[number, number]} window @returns {[number, number]} */
const within = ([from, to], [low, high]) => [Math.max(from, low), Math.min(to, high)];

/** A marker button with the chips below it. @param {Drill} drill @param {DrillLine} line */
function marker({ chip, pocket }, line) {
  const { placed, numbers = [] } = line;
  const middle = numbers.length >> 1;
  const rim = numbers.map((number, place) =>
    h("span", { class: place === middle ? "centre" : "rim", "data-hit": number === pocket && "true" }, number)
  );
  return h(
    "li",
    null,
    chipOf(chip, placed),
    h("span", { class: "marker", role: "img", "aria-label": lineName(line) }, rim),
  );
}
