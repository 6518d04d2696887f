// The field of the racetrack: call bets and neighbours' reach.

import { el, shown } from "../shared/dom.js";
import { button, h, render } from "../shared/render.js";
import { isLow, rowBox, sectorBoxes, viewBoxes } from "./geometry.js";

/**
 * @typedef {import("./geometry.js").Arc} Arc
 * @typedef {import("./geometry.js").Box} Box
 * @typedef {import("./geometry.js").Track} Track
 */

/**
 * @typedef {(id: string, facts?: Record<string, string | number>) => string} Say
 * @typedef {{reach: number, open: boolean, chip: number | "eraser"}} Look
 * @typedef {import("../shared/render.js").VNode} VNode
 */

/** The calls, and the choice of reach, inside the track. */
export class TrackField {
  /**
   * @param {Offer} offer @param {"strip" | "view"} shape @param {Say} say
   * @param {(reach: number) => void} step called with the chosen reach
   */
  constructor(offer, shape, say, step) {
    this.offer = offer;
    this.shape = shape;
    this.say = say;
    this.step = step;
    this.node = el("div", { class: "track-middle" });
    /** The place of the wheel in the middle. */
    this.well = shape === "view" ? el("div", { class: "track-well" }) : null;
    /** @type {Track | null} */
    this.track = null;
    /** @type {Look | null} */
    this.look = null;
  }

  /** @param {Track} track */
  lay(track) {
    this.track = track;
    this.#draw();
  }

  /** @param {Look} look */
  draw(look) {
    this.look = look;
    this.#draw();
  }

  #draw() {
    const { track, look, offer, shape, well } = this;
    if (!track || !look) return;
    const cut = sectorPlaces(track, shape, offer);
    const boxes = !cut && well
      ? viewBoxes(track, Math.ceil(offer.calls.length / 2) + (this.#asks(look) ? 1 : 0))
      : null;
    this.node.classList.toggle("is-upright", track.upright);
    if (boxes) this.node.classList.toggle("is-low", isLow(boxes.sides[0]));
    if (well) {
      shown(well, boxes?.well !== null);
      if (boxes?.well) {
        for (const [name, px] of Object.entries(placeOf(boxes.well))) well.style.setProperty(name, px);
      }
    }
    // Sectors with places of their own lie beside both sides.
    const sectors = cut
      ? offer.sectors.map(({ call, within }, place) =>
        this.#call(call, look, { "data-sector": within ? "pill" : "part", style: placeOf(cut.sectors[place]) })
      )
      : null;
    const places = cut ? [cut.rest] : (boxes?.sides ?? [rowBox(track)]);
    const sides = this.#sides(track.upright, cut !== null, look).map((parts, place) =>
      h("div", { class: "track-side", style: places[place] && placeOf(places[place]) }, parts)
    );
    render(this.node, sides, well, sectors);
  }

  /**
   * The calls of each side: those without a choice on the left, the others on the right, balanced. A strip and an
   * upright track have one column.
   * @param {boolean} upright @param {boolean} isCut @param {Look} look
   */
  #sides(upright, isCut, look) {
    const { offer, shape } = this;
    const inSector = new Set(isCut ? offer.sectors.map(({ call }) => call) : []);
    const calls = offer.calls.filter((call) => !inSector.has(call));
    const draw = (/** @type {Call} */ call) => this.#call(call, look);
    const asks = [this.#asks(look)].filter((one) => one !== null);
    if (shape !== "view" || upright) return [[...calls.map(draw), ...asks], []];
    const left = calls.filter(isPlain).map(draw);
    const right = [...asks, ...calls.filter((call) => !isPlain(call)).map(draw)];
    while (left.length > right.length + 1) right.unshift(...left.splice(-1));
    return [left, right];
  }

  /** The choice of reach; without one, a note on what a press does where there is space. @param {Look} look */
  #asks(look) {
    const { offer, shape, say, step } = this;
    if (offer.reaches.length > 1) return stepper(offer, say, step, look);
    return (shape === "view" ? offer.beside : offer.calls.length === 0) ? note(offer, say) : null;
  }

  /** A call as a button, with its number of chips. @param {Call} call @param {Look} look @param {Record<string, any>} [placed] */
  #call(call, { open, chip }, placed = {}) {
    const { say } = this;
    const counts = call.ways.map(({ chips }) => chips);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    return h(
      "button",
      {
        key: call.name,
        type: "button",
        class: "track-call",
        "data-call": call.name,
        ...placed,
        "aria-disabled": !open || chip === "eraser" ? "true" : null,
      },
      h("b", null, call.takes === "digit" ? say("race.digits", { call: call.label }) : call.label),
      h(
        "small",
        null,
        least === most ? say("race.chips", { chips: most }) : say("race.chips_between", { least, most }),
      ),
    );
  }
}

/**
 * The places of the sectors; null for the wheel view, and where calls stand in a row because not all have a place.
 * @param {Track} track
 * @param {string} shape
 * @param {Offer} offer
 */
export function sectorPlaces(track, shape, { sectors, others, reaches }) {
  // The choice of reach takes the space of two calls.
  const rest = others.length + (reaches.length > 1 ? 2 : 0);
  return shape === "strip" && sectors.length > 0 ? sectorBoxes(track, sectors, rest) : null;
}

/** @type {(offer: Offer, say: Say, step: (reach: number) => void, look: Look) => VNode} */
function stepper(offer, say, step, { reach }) {
  const { reaches, beside } = offer;
  const now = reachNear(offer, reach);
  const by = (/** @type {string} */ sign, /** @type {string} */ id, /** @type {number} */ steps) => {
    const wanted = reaches[reaches.indexOf(now) + steps];
    return button(sign, () => wanted !== undefined && step(wanted), {
      "aria-label": say(id),
      "aria-disabled": wanted === undefined ? "true" : null,
    });
  };
  return h(
    "div",
    { class: "track-reach", role: "group", "aria-label": beside?.label, key: "reach" },
    by("−", "race.fewer", -1),
    h(
      "span",
      { class: "track-value", "aria-live": "polite" },
      h("b", null, beside?.label ?? ""),
      h("small", null, now === 0 ? say("race.alone") : say("race.each_side", { reach: now })),
      h("small", { class: "track-figure", "aria-hidden": "true" }, now),
    ),
    by("+", "race.more", 1),
  );
}

/** @param {Offer} offer @param {Say} say */
const note = ({ beside, reaches }, say) =>
  h(
    "p",
    { class: "track-note", key: "reach" },
    h("b", null, beside ? `${beside.label} ${reaches[0]}` : say("race.straight")),
    h("small", null, say("race.touch")),
  );

/** @param {Box} box @returns {Record<string, string>} */
const placeOf = ({ x, y, width, height }) =>
  Object.fromEntries(
    Object.entries({ left: x, top: y, width, height }).map(([name, px]) => [name, `${px.toFixed(1)}px`]),
  );

// What a racetrack offers: the calls of a felt, the neighbours of a press, and the sectors of the field. The felt spec
// says how many chips go where.

/**
 * @typedef {{said: string, of: string, chips: number, pieces: [string, number][], reach?: number | null}} Way
 * @typedef {{name: string, label: string, kind: string, takes: string, ways: Way[]}} Call
 * @typedef {{wheel: {pocket: string, colour: string}[], spots: {key: string, covers: string[]}[], calls: Call[],
 *   sectors: {call: string, first: number, pockets: string[]}[]}} Felt the part of the felt spec used here
 * @typedef {{call: Call, arcs: Arc[], within: boolean}} Sector the part of the wheel that a call covers, and whether
 *   it lies within another's
 * @typedef {{order: string[], covers: Map<string, string[]>, beside: Call | null, reaches: number[], calls: Call[],
 *   sectors: Sector[], others: Call[]}} Offer `beside` is the neighbours call and `calls` are all the rest, of which
 *   `others` have no sector
 */

/** @param {Felt} felt @returns {Offer} */
export function offerOf(felt) {
  const beside = felt.calls.find(({ kind }) => NEIGHBOURS.has(kind)) ?? null;
  const sectors = sectorsOf(felt);
  const calls = felt.calls.filter((call) => call !== beside);
  return {
    order: felt.wheel.map(({ pocket }) => pocket),
    covers: new Map(felt.spots.map(({ key, covers }) => [key, covers])),
    beside,
    reaches: reachesOf(beside),
    calls,
    sectors,
    others: calls.filter((call) => !sectors.some((sector) => sector.call === call)),
  };
}

const NEIGHBOURS = new Set(["neighbours", "marker"]);

/** The steps of the reach: where there is a choice, 0 is one too. @param {Call | null} beside */
function reachesOf(beside) {
  const offered = [...new Set((beside?.ways ?? []).map(({ reach }) => reach ?? 0))].sort((one, other) => one - other);
  return offered.length === 1 ? offered : [0, ...offered];
}

/** @param {Felt} felt @returns {Sector[]} */
function sectorsOf({ calls, sectors }) {
  const found = calls.flatMap((call) => {
    const own = sectors.filter((sector) => sector.call === call.name);
    const arcs = own.map(({ first, pockets }) => ({ first, count: pockets.length }));
    return own.length === 0 ? [] : [{ call, arcs, pockets: own.flatMap(({ pockets }) => pockets) }];
  });
  return found.map(({ call, arcs, pockets }) => {
    const larger = found.filter((other) => other.pockets.length > pockets.length);
    const within = larger.some((other) => pockets.every((pocket) => other.pockets.includes(pocket)));
    return { call, arcs, within };
  });
}

/** The offered reach nearest to the wanted one. @param {Offer} offer @param {number} wanted */
export const reachNear = ({ reaches }, wanted) =>
  reaches.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));

/** The bet of a press on a pocket. @param {Offer} offer @param {string} pocket @param {number} reach @returns {Way} */
export function betOf({ beside }, pocket, reach) {
  const called = beside?.ways.find((way) => way.of === pocket && way.reach === reach);
  return called ?? { said: pocket, of: pocket, chips: 1, pieces: [[pocket, 1]], reach: 0 };
}

/** Whether a call needs no number or digit. @param {Call} call */
export const isPlain = ({ takes }) => takes === "nothing";

/** The pockets that some chips cover. @param {Offer} offer @param {readonly [string, number][]} pieces */
export const covered = ({ covers }, pieces) => new Set(pieces.flatMap(([spot]) => covers.get(spot) ?? []));
