// The layers of the racetrack, and how they are drawn.

import { Stacks, stackStates } from "../felt/stacks.js";
import { el, marked, shown, svg, text } from "../shared/dom.js";
import { sectorPlaces } from "./field.js";
import { centroid, GAP, isInside, outline, pocketAt, pointAt, sectorShape, track } from "./geometry.js";

/**
 * @typedef {import("./field.js").Call} Call
 * @typedef {import("../felt/stacks.js").FeltState} Look
 * @typedef {import("./field.js").Offer} Offer
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./field.js").Sector} Sector
 * @typedef {import("./geometry.js").Track} Track
 */

/**
 * @typedef {{pocket: string, colour: string}[]} Pockets
 * @typedef {{pocket: string} | {call: Call}} Target the target of a press
 * @typedef {{target: Target, under: Set<string>}} Aimed with the pockets that it covers
 */

/** A press this far beside the band still means the pocket. */
const SLACK = 3;
/** The distance of the label above a finger, and above a button. */
const ABOVE = { finger: 44, button: 4 };

export class Scene {
  /** @type {HTMLElement} */ #host;
  /** @type {Offer} */ #offer;
  /** @type {Pockets} */ #pockets;
  /** @type {"strip" | "view"} */ #shape;
  /** Null until there is space. @type {Track | null} */ track = null;
  /** Those printed. @type {Sector[]} */ #sectors = [];
  /** @type {Places[]} */ #places = [];
  /** @type {SVGTextElement[]} */ #numbers = [];
  /** @type {ReturnType<typeof marks> | null} */ #marks = null;
  #print = el("div", { class: "track-layer" });
  #over = el("div", { class: "track-layer" });
  #words = el("b", {});
  #price = el("span", {});
  #label = el("div", { class: "track-aim", hidden: true, "aria-hidden": "true" }, this.#words, this.#price);
  #stacks;

  /**
   * @param {HTMLElement} host
   * @param {{pockets: Pockets, offer: Offer, shape: "strip" | "view", money: () => import("../shared/money.js").MoneyFormat}} given
   */
  constructor(host, { pockets, offer, shape, money }) {
    this.#host = host;
    this.#pockets = pockets;
    this.#offer = offer;
    this.#shape = shape;
    this.#stacks = new Stacks(money);
  }

  /** The layers from bottom to top; `between` lies under the label. @param {...Node} between */
  layers(...between) {
    return [this.#print, this.#over, this.#stacks.node, ...between, this.#label];
  }

  /** Draw for the current size; returns whether it has changed. */
  lay() {
    const { clientWidth: width, clientHeight: height } = this.#host;
    // A hidden track keeps its drawing.
    if (width === 0 || height === 0) return false;
    if (this.track?.width === width && this.track.height === height) return false;
    const made = track({ count: this.#pockets.length, width, height, shape: this.#shape });
    this.track = made;
    this.#host.classList.toggle("is-drawn", made !== null);
    if (!made) return false;
    // Only those in places of their own are printed.
    const sectors = sectorPlaces(made, this.#shape, this.#offer)
      ? this.#offer.sectors.filter(({ within }) => !within)
      : [];
    this.#sectors = sectors;
    const { drawing, numbers } = drawTrack(made, this.#pockets, sectors);
    this.#places = this.#pockets.map((_, index) => placesIn(made, index));
    this.#numbers = numbers;
    this.#marks = marks(made, sectors);
    this.#print.replaceChildren(drawing);
    this.#over.replaceChildren(this.#marks.drawing);
    this.#stacks.lay((pocket) => this.#chipAt(pocket), this.#places[0].chip.size / 2);
    return true;
  }

  /** The centre of every pocket. */
  middles() {
    return this.#places.map(({ number }) => number.at);
  }

  /** @param {Look} look */
  draw(look) {
    if (!this.track) return;
    const { order } = this.#offer;
    // Only straight-up stakes are shown here.
    const piles = [...stackStates(look, (spot) => [spot])].filter(([, { spot }]) => order.includes(spot));
    const placed = new Set(piles.map(([, { spot }]) => spot));
    this.#stacks.set(new Map(piles));
    order.forEach((pocket, index) => {
      const { tucked, number } = this.#places[index];
      placeNumber(this.#numbers[index], placed.has(pocket) ? tucked : number);
    });
  }

  /** @param {string} pocket */
  #chipAt(pocket) {
    const [x, y] = this.#places[this.#offer.order.indexOf(pocket)].chip.at;
    return { x, y };
  }

  /** Mark the target, the neighbours set and the winner. @param {Look} look @param {Aimed | null} aimed */
  mark({ ringed, winning }, aimed) {
    const target = aimed?.target;
    this.#marks?.pockets.forEach((mark, index) => {
      const pocket = this.#offer.order[index];
      const isMiddle = target && "pocket" in target && target.pocket === pocket;
      marked(mark, "data-aim", isMiddle ? "middle" : aimed?.under.has(pocket) ? "under" : null);
      marked(mark, "data-ringed", ringed.includes(pocket) ? "" : null);
      marked(mark, "data-won", winning === pocket ? "" : null);
    });
    for (const [name, part] of this.#marks?.parts ?? []) {
      marked(part, "data-aim", target && "call" in target && target.call.name === name ? "under" : null);
    }
  }

  /** The target at a point. @param {{clientX: number, clientY: number}} point @returns {Target | null} */
  find({ clientX, clientY }) {
    const { left, top } = this.#host.getBoundingClientRect();
    /** @type {Point} */
    const point = [clientX - left, clientY - top];
    const made = this.track;
    if (!made) return null;
    const index = pocketAt(made, point, SLACK);
    if (index !== null) return { pocket: this.#offer.order[index] };
    const sector = this.#sectors.find(({ arcs }) => isInside(sectorShape(made, arcs, GAP), point));
    return sector ? { call: sector.call } : null;
  }

  /**
   * Show the label of the target.
   * @param {Target} target
   * @param {{words: string, price: string}} said
   * @param {boolean} touch
   */
  showLabel(target, { words, price }, touch) {
    if (!this.track) return;
    text(this.#words, words);
    text(this.#price, price);
    shown(this.#label, true);
    marked(this.#label, "data-above", touch || "call" in target ? "" : null);
    const [x, y] = this.#beside(this.track, target, touch);
    const half = this.#label.offsetWidth / 2;
    const middle = Math.min(Math.max(x, half), this.track.width - half);
    this.#label.style.setProperty("left", `${middle.toFixed(1)}px`);
    this.#label.style.setProperty("top", `${y.toFixed(1)}px`);
  }

  hideLabel() {
    shown(this.#label, false);
  }

  /**
   * Inside the band for a mouse, above the finger for touch, and above a button.
   * @type {(made: Track, target: Target, touch: boolean) => Point}
   */
  #beside(made, target, touch) {
    const above = touch ? ABOVE.finger : ABOVE.button;
    if ("call" in target) {
      const node = this.#host.querySelector(`[data-call="${target.call.name}"]`);
      const [over, { left, top }] = [node ?? this.#host, this.#host].map((one) => one.getBoundingClientRect());
      return [over.left + over.width / 2 - left, over.top - top - above];
    }
    const index = this.#offer.order.indexOf(target.pocket);
    const [x, y] = this.#places[index].number.at;
    return touch ? [x, y - above] : pointAt(made, index * made.step, -made.band / 2 - 24);
  }
}

// The drawing: what is printed once per size, and what is marked on it.

/**
 * @typedef {{pocket: string, colour: string}} Pocket
 * @typedef {{at: Point, size: number}} Spot position and size
 * @typedef {{number: Spot, tucked: Spot, chip: Spot}} Places of the number, of the number beside a chip, and of the chip
 */

/** The smallest font size. */
const PRINT_LEAST = 12;

/** A counter for unique gradient ids. */
let tracks = 0;

/**
 * Positions in a pocket: a chip at the inner edge, and its number at the outer edge.
 * @param {Track} track
 * @param {number} index
 * @returns {Places}
 */
function placesIn(track, index) {
  const { band, step } = track;
  const along = index * step;
  const small = Math.max(PRINT_LEAST, Math.min(band * 0.3, step * 0.42));
  const chip = Math.min(band - small - 6, step * 0.74, band * 0.52);
  return {
    number: { at: centroid(outline(track, index)), size: Math.min(band * 0.5, step * 0.56) },
    tucked: { at: pointAt(track, along, band / 2 - small * 0.62), size: small },
    chip: { at: pointAt(track, along, -band / 2 + chip / 2 + 3), size: chip },
  };
}

/**
 * The print: the rail, the pockets with their numbers, the field with its sectors.
 * @param {Track} track
 * @param {readonly Pocket[]} order
 * @param {readonly Sector[]} sectors
 */
function drawTrack(track, order, sectors) {
  tracks += 1;
  const shade = (/** @type {string} */ name) => `track${tracks}-${name}`;
  const numbers = order.map(({ pocket }) => svg("text", { class: "track-number" }, pocket));
  const cells = order.flatMap(({ colour }, index) => {
    const d = pathOf(outline(track, index));
    const cell = svg("path", { d, class: "track-pocket", "data-colour": colour });
    return colour === "red" ? [cell, svg("path", { d, class: "hatch", fill: `url(#${shade("hatch")})` })] : [cell];
  });
  const parts = sectors.filter(({ within }) => !within).map(({ arcs }) => pathOf(sectorShape(track, arcs, GAP)));
  const drawing = svg(
    "svg",
    { class: "track-print", width: track.width, height: track.height, "aria-hidden": "true" },
    gradients(shade),
    rounded(track, 0, { class: "track-rail", stroke: `url(#${shade("wood")})` }),
    rounded(track, track.frame - 3, { class: "track-brass" }),
    rounded(track, track.frame, { class: "track-bed" }),
    ...cells,
    rounded(track, track.frame + track.band + GAP, { class: "track-field", fill: `url(#${shade("felt")})` }),
    ...parts.map((d) => svg("path", { d, class: "track-part" })),
    ...numbers,
  );
  return { drawing, numbers };
}

/** @param {Point[]} shape */
const pathOf = (shape) => `M${shape.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join("L")}Z`;

/** A stadium shape with an inset. @param {Track} track @param {number} inset @param {Record<string, string>} look */
function rounded({ width, height }, inset, look) {
  const [w, h] = [width - 2 * inset, height - 2 * inset];
  return svg("rect", { x: inset, y: inset, width: w, height: h, rx: Math.min(w, h) / 2, ...look });
}

/** @param {(name: string) => string} shade */
function gradients(shade) {
  const stops = (/** @type {[number, string][]} */ ...given) =>
    given.map(([offset, name]) => svg("stop", { offset, class: name }));
  return svg(
    "defs",
    {},
    svg("radialGradient", { id: shade("felt"), r: 0.75 }, ...stops([0, "felt-lit"], [1, "felt-dim"])),
    svg(
      "linearGradient",
      { id: shade("wood"), x2: 0, y2: 1 },
      ...stops([0, "wood-lit"], [0.5, "wood-dim"], [1, "wood-lit"]),
    ),
    svg(
      "pattern",
      { id: shade("hatch"), width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 3.5, height: 9, class: "hatch-line" }),
    ),
  );
}

/** Position a number. @param {SVGTextElement} text @param {Spot} spot */
function placeNumber(text, { at: [x, y], size }) {
  marked(text, "x", x.toFixed(2));
  marked(text, "y", y.toFixed(2));
  marked(text, "font-size", size.toFixed(1));
}

/**
 * The marks: one for every pocket, and one for every sector by call.
 * @param {Track} track
 * @param {readonly Sector[]} sectors
 */
function marks(track, sectors) {
  const pockets = Array.from(
    { length: track.count },
    (_, index) => svg("path", { d: pathOf(outline(track, index)), class: "track-mark" }),
  );
  const parts = new Map(
    sectors
      .filter(({ within }) => !within)
      .map(({ call, arcs }) => [
        call.name,
        svg("path", { d: pathOf(sectorShape(track, arcs, GAP)), class: "track-mark" }),
      ]),
  );
  const drawing = svg(
    "svg",
    { class: "track-marks", width: track.width, height: track.height, "aria-hidden": "true" },
    ...parts.values(),
    ...pockets,
  );
  return { drawing, pockets, parts };
}
