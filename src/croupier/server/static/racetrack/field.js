// The field of the racetrack: call bets and neighbours' reach.

import { button, el, marked, shown, text } from "../shared/dom.js";
import { isLow, rowBox, sectorBoxes, viewBoxes } from "./geometry.js";

/**
 * @typedef {import("./geometry.js").Arc} Arc
 * @typedef {import("./geometry.js").Box} Box
 * @typedef {import("./geometry.js").Track} Track
 */

/**
 * @typedef {(id: string, facts?: Record<string, string | number>) => string} Say
 * @typedef {{reach: number, open: boolean, chip: number | "eraser"}} Look
 * @typedef {{node: HTMLElement, update: (look: Look) => void}} Part
 */

/**
 * @param {Offer} offer
 * @param {"strip" | "view"} shape
 * @param {Say} say
 * @param {(reach: number) => void} step called with the chosen reach
 */
export function trackField(offer, shape, say, step) {
  const made = new Map(offer.calls.map((call) => [call, callPart(call, say)]));
  const partOf = (/** @type {Call} */ call) => /** @type {Part} */ (made.get(call));
  const sectors = offer.sectors.map(({ call }) => partOf(call));
  const asks = reachPart(offer, shape, say, step);
  const parts = [...made.values(), ...asks];
  const [left, right] = shape === "view" ? splitSides([...made], asks) : [parts, []];
  const sides = [0, 1].map(() => el("div", { class: "track-side" }));
  const well = shape === "view" ? el("div", { class: "track-well" }) : null;
  const node = el("div", { class: "track-middle" }, ...sides, well);
  /** How the calls were arranged last. */
  let arranged = "";

  /** In portrait both sides form one column; sectors with places of their own lie beside both. */
  function arrange(/** @type {boolean} */ upright, /** @type {boolean} */ isCut) {
    if (arranged === `${upright} ${isCut}`) return;
    arranged = `${upright} ${isCut}`;
    node.classList.toggle("is-upright", upright);
    const beside = (/** @type {Part[]} */ side) => side.filter((part) => !isCut || !sectors.includes(part));
    sides[0].replaceChildren(...nodes(beside(upright ? parts : left)));
    sides[1].replaceChildren(...nodes(beside(upright ? [] : right)));
    offer.sectors.forEach(({ within }, place) => {
      const sector = sectors[place].node;
      marked(sector, "data-sector", isCut ? (within ? "pill" : "part") : null);
      if (isCut) node.append(sector);
      else marked(sector, "style", null);
    });
  }

  /** @param {Track} track */
  function lay(track) {
    const cut = sectorPlaces(track, shape, offer);
    arrange(track.upright, cut !== null);
    if (cut) {
      cut.sectors.forEach((box, place) => placeAt(sectors[place].node, box));
      if (cut.rest) placeAt(sides[0], cut.rest);
    } else if (well) {
      const boxes = viewBoxes(track, Math.ceil(made.size / 2) + asks.length);
      shown(well, boxes.well !== null);
      if (boxes.well) placeAt(well, boxes.well);
      node.classList.toggle("is-low", isLow(boxes.sides[0]));
      boxes.sides.forEach((box, place) => placeAt(sides[place], box));
    } else placeAt(sides[0], rowBox(track));
  }

  const update = (/** @type {Look} */ look) => parts.forEach((part) => part.update(look));
  return { node, well, lay, update };
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

/** @param {readonly Part[]} parts */
const nodes = (parts) => parts.map(({ node }) => node);

/**
 * Calls without a choice go to the left, the others to the right, balanced.
 * @type {(calls: [Call, Part][], asks: Part[]) => [Part[], Part[]]}
 */
function splitSides(calls, asks) {
  const left = calls.filter(([call]) => isPlain(call)).map(([, part]) => part);
  const right = [...asks, ...calls.filter(([call]) => !isPlain(call)).map(([, part]) => part)];
  while (left.length > right.length + 1) right.unshift(...left.splice(-1));
  return [left, right];
}

/** A call as a button, with its number of chips. @param {Call} call @param {Say} say @returns {Part} */
function callPart(call, say) {
  const counts = call.ways.map(({ chips }) => chips);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const [words, chips] = [el("b", {}), el("small", {})];
  const node = el("button", { type: "button", class: "track-call", "data-call": call.name }, words, chips);
  const update = (/** @type {Look} */ { open, chip }) => {
    text(words, call.takes === "digit" ? say("race.digits", { call: call.label }) : call.label);
    text(chips, least === most ? say("race.chips", { chips: most }) : say("race.chips_between", { least, most }));
    marked(node, "aria-disabled", !open || chip === "eraser" ? "true" : null);
  };
  return { node, update };
}

/**
 * The choice of reach; without one, a note on what a press does where there is space.
 * @type {(offer: Offer, shape: string, say: Say, step: (reach: number) => void) => Part[]}
 */
function reachPart(offer, shape, say, step) {
  if (offer.reaches.length > 1) return [stepper(offer, say, step)];
  return (shape === "view" ? offer.beside : offer.calls.length === 0) ? [note(offer, say)] : [];
}

/** @type {(offer: Offer, say: Say, step: (reach: number) => void) => Part} */
function stepper(offer, say, step) {
  let now = offer.reaches[0];
  const by = (/** @type {number} */ steps) => {
    const wanted = offer.reaches[offer.reaches.indexOf(now) + steps];
    if (wanted !== undefined) step(wanted);
  };
  const [fewer, more] = [button("−", () => by(-1)), button("+", () => by(1))];
  const [words, value, figure] = [
    el("b", {}),
    el("small", {}),
    el("small", { class: "track-figure", "aria-hidden": "true" }),
  ];
  const reported = el("span", { class: "track-value", "aria-live": "polite" }, words, value, figure);
  const node = el("div", { class: "track-reach", role: "group" }, fewer, reported, more);
  const update = (/** @type {Look} */ { reach }) => {
    now = reachNear(offer, reach);
    text(words, offer.beside?.label ?? "");
    text(value, now === 0 ? say("race.alone") : say("race.each_side", { reach: now }));
    text(figure, now);
    marked(node, "aria-label", offer.beside?.label);
    marked(fewer, "aria-label", say("race.fewer"));
    marked(more, "aria-label", say("race.more"));
    marked(fewer, "aria-disabled", now === offer.reaches[0] ? "true" : null);
    marked(more, "aria-disabled", now === offer.reaches.at(-1) ? "true" : null);
  };
  return { node, update };
}

/** @param {Offer} offer @param {Say} say @returns {Part} */
function note({ beside, reaches }, say) {
  const [words, more] = [el("b", {}), el("small", {})];
  const update = () => {
    text(words, beside ? `${beside.label} ${reaches[0]}` : say("race.straight"));
    text(more, say("race.touch"));
  };
  return { node: el("p", { class: "track-note" }, words, more), update };
}

/** @param {HTMLElement} made @param {Box} box */
function placeAt(made, { x, y, width, height }) {
  for (const [name, px] of Object.entries({ left: x, top: y, width, height })) {
    made.style.setProperty(name, `${px.toFixed(1)}px`);
  }
}

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
