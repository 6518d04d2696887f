// Over the print: what is aimed at, what is ringed, what won, and how often each number came; the dolly and the limits
// above all.

import { manner } from "../kit/money.js";
import { svg } from "../kit/svg.js";
import { bounds } from "./bounds.js";

/**
 * @typedef {import("./draw.js").Drawing} Drawing
 * @typedef {import("./geometry.js").Place} Place
 * @typedef {import("./geometry.js").Spot} Spot
 * @typedef {import("./piles.js").Look} Look
 */

export class Over {
  /** @param {string} id @param {(cents: number) => string} amount */
  constructor(id, amount) {
    this.amount = amount;
    this.marks = svg("g");
    this.highlight = svg("path", { class: "felt-aimed" });
    this.ring = svg("circle", { class: "felt-ring" });
    this.group = svg("g", { id: `${id}-over` }, this.marks, this.highlight, this.ring);
    this.node = svg("svg", { class: "layer over", "aria-hidden": "true" }, this.group);
    this.top = svg("svg", { class: "layer top", "aria-hidden": "true" });
    /** @type {Drawing | null} */
    this.drawing = null;
    this.shown = "";
    this.aim(null, null);
  }

  /** @param {Drawing} drawing the print that is marked from now on */
  lay(drawing) {
    this.drawing = drawing;
    this.shown = "";
    for (const layer of [this.node, this.top]) {
      layer.setAttribute("width", String(drawing.laid.width));
      layer.setAttribute("height", String(drawing.laid.height));
    }
    this.aim(null, null);
  }

  /** Light up what a spot covers.
   * @param {Spot | null} spot @param {Place | null} place @param {"point" | "key" | "erase"} [by] */
  aim(spot, place, by = "point") {
    const paths = this.drawing?.outlines;
    const keys = spot ? [...spot.covers, ...(paths?.has(spot.key) ? [spot.key] : [])] : [];
    this.highlight.setAttribute("d", keys.map((key) => paths?.get(key) ?? "").join(""));
    for (const mark of [this.highlight, this.ring]) mark.setAttribute("data-by", by);
    const radius = place && this.drawing ? this.drawing.chip * 1.16 : 0;
    for (const [name, value] of Object.entries({ cx: place?.x ?? 0, cy: place?.y ?? 0, r: radius })) {
      this.ring.setAttribute(name, value.toFixed(1));
    }
  }

  /** @param {Look} look */
  set({ ringed, winning, dolly, heat, limits }) {
    const wanted = JSON.stringify([ringed, winning, dolly, heat, limits, limits && manner()]);
    if (wanted === this.shown || !this.drawing) return;
    this.shown = wanted;
    const shapes = Object.entries(heat ?? {}).flatMap(([pocket, share]) => this.#warmth(pocket, share));
    for (const [place, spot] of ringed.entries())
      shapes.push(this.#shape(spot, place === 0 ? "felt-ringed felt-first" : "felt-ringed"));
    if (winning !== null) shapes.push(this.#shape(winning, "felt-winner"));
    this.marks.replaceChildren(...shapes);
    const told = limits ? bounds(this.drawing, limits, this.amount) : [];
    this.top.replaceChildren(...(dolly === null ? [] : this.#dolly(dolly)), ...told);
  }

  /** @param {string} key @param {string} name */
  #shape(key, name) {
    return svg("path", { d: this.drawing?.outlines.get(key) ?? "", class: name });
  }

  /** Warmth is told by a bar as well as by colour. @param {string} pocket @param {number} share */
  #warmth(pocket, share) {
    const cell = this.drawing?.data.cells.find((one) => one.pocket === pocket);
    if (!cell || !this.drawing) return [];
    const room = this.drawing.laid.area(cell);
    const high = Math.max(3, room.height * 0.07);
    const wide = room.width * 0.76;
    const bar = { x: room.x + room.width * 0.12, y: room.y + room.height - high - 4, height: high, rx: high / 2 };
    const warm = this.#shape(pocket, "felt-warmth");
    warm.setAttribute("fill-opacity", (0.04 + share * 0.5).toFixed(2));
    const number = /** @type {SVGElement} */ (this.drawing.prints.get(pocket)?.node.cloneNode(true));
    number.setAttribute("class", "felt-number felt-warm");
    return [
      warm,
      number,
      svg("rect", { ...bar, width: wide, class: "felt-gauge" }),
      svg("rect", { ...bar, width: Math.max(high, wide * share), class: "felt-level" }),
    ];
  }

  /** The marker that a dealer puts on the number. @param {string} pocket */
  #dolly(pocket) {
    const cell = this.drawing?.data.cells.find((one) => one.pocket === pocket);
    if (!cell || !this.drawing) return [];
    const room = this.drawing.laid.area(cell);
    const size = Math.min(this.drawing.chip * 0.92, room.height * 0.42);
    // It stands beside the chips of its number, its head over the edge where the cell is low.
    const high = room.height > 2.6 * this.drawing.chip ? size * 0.45 : room.height / 2 - size * 0.2;
    const at = `translate(${(room.x + room.width - size * 0.75).toFixed(1)} ${(room.y + high).toFixed(1)})`;
    return [
      svg(
        "g",
        { class: "dolly", transform: `${at} scale(${(size / 10).toFixed(3)})` },
        svg("ellipse", { cx: 2.5, cy: 9.4, rx: 9.5, ry: 3.2, class: "shade" }),
        svg("path", { d: "M-8 8.2Q0 12.6 8 8.2L7 4.6Q0 7.8 -7 4.6Z", class: "foot" }),
        svg("path", { d: "M-7 4.6Q0 7.8 7 4.6Q3.4 2 2.8 -3.6L-2.8 -3.6Q-3.4 2 -7 4.6Z", class: "body" }),
        svg("circle", { cy: -6.8, r: 4.6, class: "head" }),
        svg("circle", { cx: -1.6, cy: -8.4, r: 1.5, class: "glint" }),
      ),
    ];
  }
}
