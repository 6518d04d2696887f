// The layers of the felt.

import { el, marked } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { Drawing, feltTexture } from "./draw.js";
import { cellIn, hitTester, projection } from "./geometry.js";
import { legend, Overlay } from "./overlay.js";
import { Stacks } from "./stacks.js";

/**
 * @typedef {import("./geometry.js").FeltData} FeltData
 * @typedef {import("./stacks.js").FeltState} Look
 * @typedef {import("./geometry.js").Orientation} Orientation
 * @typedef {import("./stacks.js").StackState} Pile
 * @typedef {import("./geometry.js").Place} Place
 * @typedef {import("./geometry.js").Point} Point
 */

/**
 * @typedef {{orientation: Orientation, mirrored: boolean}} Arrangement
 */

/** The smallest size that is drawn. */
const ROOM_LEAST_PX = 60;
/** Cells smaller than this are aimed at by sliding. */
const TIGHT_PX = 60;
/** The width of the frame and of the margin around the print: a fraction of the width, within bounds. */
const FRAME = { share: 0.011, least: 5, most: 9 };
const MARGIN = { share: 0.013, least: 7, most: 12 };

export class Scene {
  /** @param {FeltData} data @param {string} id @param {() => import("../shared/money.js").MoneyFormat} money */
  constructor(data, id, money) {
    this.data = data;
    this.id = id;
    this.spots = new Map(data.spots.map((spot) => [spot.key, spot]));
    this.stacks = new Stacks(money);
    this.overlay = new Overlay(id, money);
    this.legend = el("div", { class: "legend", "aria-hidden": "true" });
    this.surface = el("div", { class: "cloth" }, el("div", { class: "texture" }));
    this.surface.append(this.overlay.node, this.stacks.node, this.overlay.top, this.legend);
    this.root = el("div", { class: "felt" }, this.surface);
    /** The print, once the felt has a size. @type {Drawing | null} */
    this.drawing = null;
    /** The hit test of the print. @type {(x: number, y: number) => Place | null} */
    this.hitTest = () => null;
    this.edge = 0; // from the outside of the wood to the print
    /** The offset of the print inside the felt, once it is measured. @type {Point | null} */
    this.offset = null;
    this.legendKey = ""; // what the legend says
    this.root.style.setProperty("--texture", feltTexture());
    for (const colour of ["black", "green"]) this.#fill(colour, colour);
  }

  /** Lay everything out; returns whether there was space. @param {(room: {wide: number, high: number}) => Arrangement} arrange */
  lay(arrange) {
    const { clientWidth: wide, clientHeight: high } = this.root;
    const placed = arrange({ wide, high });
    this.offset = null;
    if (Math.min(wide, high) < ROOM_LEAST_PX) return false;
    const [frame, pad] = [FRAME, MARGIN].map(({ share, least, most }) =>
      Math.round(clamped(wide * share, least, most))
    );
    this.edge = frame + pad;
    const room = { width: wide - 2 * this.edge, height: high - 2 * this.edge };
    const { data, id } = this;
    const laid = projection(data, { ...placed, cell: cellIn(data, { ...room, orientation: placed.orientation }) });
    const chip = chipRadius(laid);
    this.#style({ frame, pad, stroke: chip < 17 ? 1.6 : 2 });
    marked(this.root, "data-lies", placed.orientation);
    this.surface.style.setProperty("width", `${laid.width + 2 * this.edge}px`);
    this.surface.style.setProperty("height", `${laid.height + 2 * this.edge}px`);
    this.#print(new Drawing(data, laid, { id, chip }));
    this.hitTest = hitTester(data, laid);
    this.stacks.lay((spot) => this.placeOf(spot), chip);
    return true;
  }

  /** @param {Look} look @param {Map<string, Pile>} states @param {Iterable<string>} covered other spots whose print gives way */
  draw(look, states, covered) {
    const { root } = this;
    marked(root, "data-open", look.open);
    marked(root, "data-sealed", look.sealed);
    marked(root, "data-limits", look.limits !== null);
    marked(root, "data-erases", look.chip === "eraser");
    marked(root, "data-assist", look.assist);
    this.#fill("red", look.assist ? "hatch" : "red");
    this.#explain(look);
    this.stacks.set(states);
    this.overlay.set(look);
    this.drawing?.cover(new Set([...[...states.values()].map(({ spot }) => spot), ...covered]));
  }

  /** The position of a spot on the print. @param {string} key @returns {Place | null} */
  placeOf(key) {
    const spot = this.spots.get(key);
    return spot && this.drawing ? { spot: key, alias: false, ...this.drawing.laid.point(...spot.anchor) } : null;
  }

  /** The spot at a screen position; null on a hidden felt. @param {number} x @param {number} y */
  spotAt(x, y) {
    if (this.surface.offsetParent === null) return null;
    const at = this.#onPrint(x, y);
    return this.hitTest(at.x, at.y);
  }

  /**
   * The spot with its chip nearest to a screen position, within a number of chip radii.
   * @param {Iterable<string>} spots @param {Point} point @param {number} reach @returns {Place | null}
   */
  nearest(spots, point, reach) {
    const at = this.#onPrint(point.x, point.y);
    let [found, least] = [/** @type {Place | null} */ (null), this.stacks.radius * reach];
    for (const spot of spots) {
      const place = this.placeOf(spot);
      const far = place ? Math.hypot(place.x - at.x, place.y - at.y) : Infinity;
      if (far <= least) [found, least] = [place, far];
    }
    return found;
  }

  /** The offset of the print inside the felt: measured once, as every measurement after a change costs a layout. @returns {Point} */
  corner() {
    this.offset ??= { x: this.surface.offsetLeft + this.edge, y: this.surface.offsetTop + this.edge };
    return this.offset;
  }

  isTight() {
    const cell = this.drawing?.laid.cell;
    return cell !== undefined && Math.min(cell.along, cell.across) < TIGHT_PX;
  }

  /** @param {Drawing} drawing */
  #print(drawing) {
    if (this.drawing) this.drawing.node.replaceWith(drawing.node);
    else this.surface.prepend(drawing.node);
    this.drawing = drawing;
    this.overlay.lay(drawing);
  }

  /** The legend of the symbols in use. @param {Look} look */
  #explain({ limits, live }) {
    const signs = limits ? legend() : live.length > 0 ? [{ name: "live", words: `↻ ${say("felt.live")}` }] : [];
    const wanted = JSON.stringify(signs);
    if (wanted === this.legendKey) return;
    this.legendKey = wanted;
    this.legend.replaceChildren(...signs.map(({ name, words }) => el("span", { class: name, dir: "auto" }, words)));
  }

  /** @param {Record<string, number>} sizes */
  #style(sizes) {
    const { style } = this.root;
    for (const [name, value] of Object.entries(sizes)) {
      // Everything on the felt inherits them, so that a change costs a new style for each.
      if (style.getPropertyValue(`--${name}`) !== `${value}px`) style.setProperty(`--${name}`, `${value}px`);
    }
  }

  /** @param {string} colour @param {string} paint */
  #fill(colour, paint) {
    const [name, url] = [`--fill-${colour}`, `url("#${this.id}-${paint}")`];
    if (this.root.style.getPropertyValue(name) !== url) this.root.style.setProperty(name, url);
  }

  /** @param {number} x @param {number} y of the screen @returns {Point} */
  #onPrint(x, y) {
    const { left, top, width } = this.surface.getBoundingClientRect();
    // Behind the wheel of a spin the felt is drawn smaller.
    const scale = width / this.surface.offsetWidth || 1;
    return { x: (x - left) / scale - this.edge, y: (y - top) / scale - this.edge };
  }
}

/** @param {number} value @param {number} least @param {number} most */
const clamped = (value, least, most) => Math.min(most, Math.max(least, value));

/** The chip radius: small cells give a larger share to it. @param {import("./geometry.js").Projection} laid */
function chipRadius({ cell, orientation }) {
  const side = Math.min(cell.along, cell.across);
  return orientation === "landscape" ? Math.max(0.275 * side, Math.min(0.36 * side, 15)) : Math.min(0.4 * side, 17);
}
