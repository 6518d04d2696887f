// The printed felt and its texture.

import { svg, text } from "../shared/dom.js";
import { COLOURS } from "../shared/pocket.js";
import { ownBoxes } from "./geometry.js";
import { areasOf, atCorner, besideChip, fitted, isUpright, lengthOf, middle, outlines } from "./outline.js";

/**
 * @typedef {import("./geometry.js").FeltData} FeltData
 * @typedef {import("./outline.js").Placement} Lie
 * @typedef {import("./geometry.js").Projection} Projection
 * @typedef {import("./geometry.js").Rect} Rect
 */

/**
 * @typedef {{node: SVGElement, home: Lie, aside: Lie}} PrintedLabel
 */

/** A second place for a bet on more numbers shows its name instead. */
const NUMBERS_NAMED = 6;

export class Drawing {
  /** @param {FeltData} data
   * @param {Projection} projection @param {{id: string, chip: number}} made its unique id, and the chip radius */
  constructor(data, projection, { id, chip }) {
    this.data = data;
    this.laid = projection;
    this.id = id;
    this.chip = chip;
    /** The path of each printed shape. */
    this.outlines = outlines(data, projection);
    /** @type {Map<string, PrintedLabel>} */
    this.prints = new Map();
    /** @type {Set<string>} */
    this.covered = new Set();
    this.group = svg("g", { id: `${id}-print` });
    this.node = svg(
      "svg",
      { class: "print", "aria-hidden": "true", width: projection.width, height: projection.height },
      definitions(id),
      this.group,
    );
    this.#draw();
  }

  /** Move labels out of the way of chips, and back. @param {Set<string>} covered */
  cover(covered) {
    for (const [key, print] of this.prints) {
      if (covered.has(key) !== this.covered.has(key)) {
        placeLabel(print.node, covered.has(key) ? print.aside : print.home);
      }
    }
    this.covered = covered;
  }

  #draw() {
    const { data, group, outlines: paths } = this;
    const colours = new Map(data.cells.map((cell) => [cell.pocket, cell.colour]));
    const labels = new Map(data.boxes.map((box) => [box.bet, box.label]));
    for (const { name, label } of ownBoxes(data)) labels.set(name, label);
    for (const [key] of areasOf(data)) {
      group.append(svg("path", { d: paths.get(key) ?? "", class: `felt-${colours.get(key) ?? "box"}` }));
    }
    // One path for all outlines: shared borders are drawn once.
    group.append(svg("path", { d: [...paths.values()].join(""), class: "felt-lines" }));
    for (const [key, area] of areasOf(data)) {
      const room = this.laid.area(area);
      const label = labels.get(key);
      const print = label === undefined ? this.#number(key, room) : this.#boxed(key, label, room);
      placeLabel(print.node, print.home);
      this.prints.set(key, print);
      group.append(print.node);
    }
    for (const alias of data.aliases) if (!labels.has(alias.name)) group.append(...this.#alias(alias));
  }

  /** The smaller side of a cell, which all sizes are proportional to. */
  get #side() {
    return Math.min(this.laid.cell.along, this.laid.cell.across);
  }

  /** The vertical middle of the numbers. */
  get #waist() {
    const rooms = this.data.cells.map(this.laid.area);
    const ends = rooms.flatMap(({ y, height }) => [y, y + height]);
    return (Math.min(...ends) + Math.max(...ends)) / 2;
  }

  /** @param {string} key @param {Rect} room @returns {PrintedLabel} */
  #number(key, room) {
    const { cell, orientation } = this.laid;
    // A cell much higher than wide has space for larger digits.
    const share = orientation === "landscape" && cell.across < 1.5 * cell.along ? 0.48 : 0.56;
    const size = fitted(key, { size: this.#side * share, room: room.width });
    const home = { ...middle(room), size };
    // The label of a zero moves away from the border that it shares with the other zero.
    const end = room.height <= 1.3 * cell.across ? null : home.y > this.#waist ? "foot" : "top";
    return { node: written(key, "felt-number"), home, aside: atCorner(room, { size, radius: this.chip, end }) };
  }

  /** @param {string} key @param {string} label @param {Rect} room @returns {PrintedLabel} */
  #boxed(key, label, room) {
    const spot = this.data.spots.find((one) => one.key === key);
    const drawn = { radius: this.chip, chip: spot ? this.laid.point(...spot.anchor) : middle(room) };
    if (key === "red" || key === "black") {
      const { node, length } = diamond(key, label, room);
      const home = { ...middle(room), size: 1 };
      return { node, home, aside: besideChip(room, { ...drawn, home, length }) };
    }
    const turned = isUpright(room);
    const most = Math.max(this.#side * 0.26, Math.min(12, this.#side * 0.36));
    const size = fitted(label, { size: most, room: turned ? room.height : room.width });
    const home = { ...middle(room), size, turned, words: label };
    const length = size * lengthOf(label);
    return { node: written(label, "felt-label"), home, aside: besideChip(room, { ...drawn, home, length }) };
  }

  /** @param {FeltData["aliases"][number]} alias */
  #alias(alias) {
    const { x, y } = this.laid.point(...alias.anchor);
    const size = this.#side * (this.laid.orientation === "landscape" ? 0.16 : 0.25);
    const covers = this.data.spots.find((spot) => spot.key === alias.spot)?.covers ?? [];
    const words = covers.length > NUMBERS_NAMED ? alias.label : covers.join(" · ");
    const [width, height] = [size * (words.length * 0.5 + 1.6), size * 2];
    const box = { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2, class: "felt-alias" };
    const print = written(words, "felt-aliased");
    placeLabel(print, { x, y, size });
    return [svg("rect", box), print];
  }
}

/** @param {SVGElement} node @param {Lie} at */
function placeLabel(node, { x, y, size, words, turned }) {
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  if (node.localName === "g") node.setAttribute("transform", `${place} scale(${size.toFixed(3)})`);
  else {
    node.setAttribute("transform", turned ? `${place} rotate(-90)` : place);
    node.setAttribute("font-size", size.toFixed(1));
    if (words !== undefined) text(node, words);
  }
}

/** @param {string} words @param {string} name */
const written = (words, name) => svg("text", { class: name }, words);

/**
 * The diamond of a colour; its word is visible in the colour-blind mode.
 * @param {string} colour @param {string} label @param {Rect} room
 */
function diamond(colour, label, room) {
  const half = Math.min(room.width, 2.3 * room.height) * 0.245;
  const tall = Math.min(room.height, 2.3 * room.width) * 0.3;
  const shape = (/** @type {number} */ part) =>
    `M${-half * part} 0L0 ${-tall * part}L${half * part} 0L0 ${tall * part}Z`;
  const node = svg(
    "g",
    {},
    svg("path", { d: shape(1), class: `felt-diamond felt-${colour}` }),
    svg("path", { d: shape(0.8), class: "felt-inlay" }),
    svg("text", { class: "felt-word", "font-size": Math.min(half * 0.42, tall * 0.7) }, label),
  );
  return { node, length: 2 * (isUpright(room) ? tall : half) };
}

/** The fills of cells. The colours come from the stylesheet. @param {string} id */
function definitions(id) {
  const fill = (/** @type {string} */ colour) =>
    svg(
      "linearGradient",
      { id: `${id}-${colour}`, x1: 0, y1: 0, x2: 0, y2: 1 },
      svg("stop", { offset: 0, class: `felt-${colour}-1` }),
      svg("stop", { offset: 1, class: `felt-${colour}-2` }),
    );
  const hatch = { id: `${id}-hatch`, width: 9, height: 9, patternUnits: "userSpaceOnUse" };
  return svg(
    "defs",
    {},
    ...COLOURS.map(fill),
    svg(
      "pattern",
      { ...hatch, patternTransform: "rotate(45)" },
      svg("rect", { width: 9, height: 9, class: "felt-hatch-1" }),
      svg("rect", { width: 3.4, height: 9, class: "felt-hatch-2" }),
    ),
  );
}

// The texture of the felt: a seamless tile of fibres, made once.

const SIDE = 128;
/** The contrast of a fibre, out of 255. */
const STRONGEST = 30;

/** @type {string | null} */
let made = null;

/** The background image of a felt. */
export function feltTexture() {
  made ??= makeTexture();
  return made;
}

function makeTexture() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d");
  if (!context) return "none";
  const image = context.createImageData(SIDE, SIDE);
  for (let at = 0; at < SIDE * SIDE; at += 1) {
    // Each fibre lies diagonally over its neighbours, so that the noise has a direction, like brushed wool.
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    const light = (grain(x, y) + grain(x - 1, y + 1) + grain(x - 2, y + 2)) / 3 - 0.5;
    const shade = light > 0 ? 255 : 0;
    image.data.set([shade, shade, shade, Math.round(Math.abs(light) * 2 * STRONGEST)], at * 4);
  }
  context.putImageData(image, 0, 0);
  return `url("${canvas.toDataURL()}")`;
}

/** Deterministic noise: the same on every screen. @param {number} x @param {number} y */
function grain(x, y) {
  const at = ((y + SIDE) % SIDE) * SIDE + ((x + SIDE) % SIDE);
  const mixed = Math.imul(at ^ (at >>> 7), 0x9e3779b1);
  const again = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((again ^ (again >>> 13)) >>> 0) / 2 ** 32;
}
