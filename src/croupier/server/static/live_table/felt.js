// The felt of a live table with the chips of all players, and what a touch of it does.

import { colourOf, coloursOf, figuresSize } from "../felt/chips.js";
import { Felt } from "../felt/felt.js";
import { figuresOf, hueOf, valueOf } from "../felt/pieces.js";
import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { el, marked, shown, text } from "../shared/dom.js";
import { languageInUse, say, spotLabel, spotName } from "../shared/text.js";
import { arranged, worthOf } from "./entry.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("../shared/types/wire.js").PlayerRow} PlayerRow
 * @typedef {{spot: string, position: number, chip: string, pieces: number, look: string, tag: string, waits: boolean}} Stack
 *   the pieces of one chip of a player on a spot, how they look, and whether they wait for another spin and are no bet
 */

/** The chips of all players as they lie. @param {LiveTable} live @returns {Stack[]} */
export function stacksOnFelt(live) {
  return live.players.flatMap((player) => {
    const { position } = player;
    const mine = live.selected?.position === position && live.betting;
    const advice = new Map(player.advice.map((each) => [each.spot, each]));
    return Object.entries(live.layoutOf(player)).flatMap(([spot, pieces]) =>
      Object.entries(pieces).map(([chip, count]) => {
        const outside = advice.has(spot);
        const look = outside ? "outside" : mine ? "mine" : "";
        return { spot, position, chip, pieces: count, look, tag: outside ? "!" : "", waits: false };
      })
    ).concat(waiting(player));
  });
}

/** The chips of a player that wait for another spin. @param {Pick<PlayerRow, "position" | "carried">} player @returns {Stack[]} */
export function waiting({ position, carried }) {
  return Object.entries(carried).flatMap(([spot, pieces]) =>
    Object.entries(pieces).map(([chip, count]) => (
      { spot, position, chip, pieces: count, look: "waits", tag: "#", waits: true }
    ))
  );
}

/** A felt with chips of several players. */
export class FeltOfTable {
  /** By spot. @type {Map<string, Stack[]>} */
  #spots = new Map();
  /** @type {Map<string, Piece>} */
  #drawn = new Map();
  /** The felt, once its spec is there. @type {{hash: string, felt: Felt} | null} */
  #shown = null;
  /** What lay on each spot when it was named, and what all names depend on. @type {Map<string, string>} */
  #named = new Map();
  #namedBy = "";
  /** Over all chips but those that are raised, so that a full layout is dimmed by one element. */
  #veil = el("div", { class: "veil", hidden: true });
  #host;
  #live;
  #viewOnly;

  /** @param {HTMLElement} host @param {LiveTable} live @param {{viewOnly?: boolean}} [options] */
  constructor(host, live, { viewOnly = false } = {}) {
    this.#host = host;
    this.#live = live;
    this.#viewOnly = viewOnly;
  }

  /** @param {Stack[]} stacks @param {string | null} dolly @param {boolean} isVeiled */
  update(stacks, dolly, isVeiled) {
    const live = this.#live;
    const felt = this.#felt();
    if (!felt) return;
    shown(this.#veil, isVeiled);
    this.#spots = new Map();
    for (const stack of stacks) {
      const here = this.#spots.get(stack.spot);
      if (here) here.push(stack);
      else this.#spots.set(stack.spot, [stack]);
    }
    const { current } = live;
    const mine = Object.entries(current ? live.layoutOf(current) : {});
    const stakes = Object.fromEntries(
      mine.map(([spot, pieces]) => [spot, worthOf(pieces, (chip) => live.chipValue(chip))]),
    );
    // The stakes of the selected player can be dragged; their chips are drawn here, with all others.
    felt.set({
      ...EMPTY_LAYOUT,
      stakes,
      open: live.betting && current !== null,
      dolly,
      winning: dolly,
      multiples: live.state?.multiples,
    });
    this.#name(felt);
  }

  /** The position of a spot inside the felt. @param {string} spot */
  placeOf(spot) {
    return this.#shown?.felt.placeOf(spot) ?? null;
  }

  /** The felt of the rules in use, or null until it is fetched. */
  #felt() {
    const live = this.#live;
    const data = live.felt;
    if (!data) return null;
    if (this.#shown?.hash === data.hash) return this.#shown.felt;
    this.#shown?.felt.destroy();
    this.#drawn.clear();
    const felt = new Felt(this.#host, {
      data,
      money: () => live.money,
      label: (spot) => this.#label(spot),
      own: false,
      viewOnly: this.#viewOnly,
      layers: [{ name: "pieces", draw: (frame) => this.#draw(frame) }],
      on: {
        place: (spot) => this.#touch(spot),
        take: (spot) => live.move(spot, null),
        move: (source, target) => live.move(source, target),
        drop: () => {},
        shut: (spot) => this.#touch(spot),
      },
    });
    felt.lay({ orientation: "fit", lens: false });
    this.#shown = { hash: data.hash, felt };
    return felt;
  }

  /** What a touch of a spot means now: a chip, a late bet, or the number. @param {string} spot */
  #touch(spot) {
    const live = this.#live;
    if (live.late) live.returnLate(spot);
    else if (live.betting) live.touch(spot);
    else if (live.walk?.collected && !live.betsRecorded && !live.walk.over) live.recordWinner(spot);
    else if (live.numberStep && live.felt?.colours.has(spot)) live.choosePocket(spot);
  }

  /** The name of a spot, and the chips on it. @param {string} spot */
  #label(spot) {
    const live = this.#live;
    const place = live.felt?.spotsByKey.get(spot);
    if (!live.felt || !place) return spot;
    const lies = (this.#spots.get(spot) ?? []).map(({ chip, pieces, waits }) => {
      const isColour = valueOf(chip) === null;
      const words = isColour ? `${live.chipName(chip)} ${pieces}` : live.amount(pieces * live.chipValue(chip));
      return waits ? say("live.waits-on", { chips: words }) : words;
    });
    const name = live.betting ? spotLabel(place, live.felt.kinds) : spotName(place);
    return [name, ...lies].join(" · ");
  }

  /** Name the spots on which something has changed: to name them all takes as long as to draw the chips. @param {Felt} felt */
  #name(felt) {
    const before = this.#named;
    this.#named = new Map(
      [...this.#spots].map((
        [spot, stacks],
      ) => [spot, stacks.map(({ chip, pieces, tag }) => `${chip} ${pieces} ${tag}`).join()]),
    );
    const by = `${this.#live.betting} ${languageInUse()}`;
    if (this.#namedBy !== by) felt.name();
    else {felt.name([...this.#named.keys(), ...before.keys()].filter((spot) =>
        this.#named.get(spot) !== before.get(spot)
      ));}
    this.#namedBy = by;
  }

  /** @param {import("../felt/felt.js").Frame} frame */
  #draw({ node, placeOf, chip: size, print }) {
    if (!this.#veil.parentNode) node.append(this.#veil);
    const before = this.#drawn;
    this.#drawn = new Map();
    const added = document.createDocumentFragment();
    const lying = [...this.#spots].flatMap(([spot, stacks]) => {
      const at = placeOf(spot);
      return at ? [{ ...at, spot, stacks, count: stacks.length }] : [];
    });
    arranged(lying, size).forEach(({ d, places }, index) => {
      const { spot, stacks } = lying[index];
      stacks.forEach((stack, place) => {
        const key = `${stack.position} ${stack.chip} ${spot} ${stack.waits}`;
        const drawn = before.get(key) ?? piece(this.#live, stack);
        if (!before.delete(key)) added.append(drawn.node);
        this.#drawn.set(key, drawn);
        const [x, y] = places[place];
        paint(drawn, { ...stack, d, x, y });
      });
    });
    for (const piece of before.values()) piece.node.remove();
    this.#veil.before(added);
    this.#veil.style.setProperty("width", `${print.width}px`);
    this.#veil.style.setProperty("height", `${print.height}px`);
    return this.#spots.keys();
  }
}

/**
 * A chip on the felt and how it is drawn: one element without others in it, because a full layout has hundreds.
 * @typedef {{node: HTMLElement, place: string, face: string, look: string}} Piece
 */

/** @param {LiveTable} live @param {Stack} item @returns {Piece} */
function piece(live, { chip, spot, position }) {
  const cents = valueOf(chip);
  const node = el("span", { class: cents === null ? "chip piece" : "chip value piece" });
  node.dataset.spot = spot;
  node.dataset.owner = String(position);
  node.dataset.hue = cents === null ? hueOf(chip) : live.amount(live.chipValue(chip));
  if (cents === null) node.dataset.chip = hueOf(chip);
  else {
    const { body, dark, edge, plate, ink } = coloursOf(colourOf(cents));
    const middle = `radial-gradient(closest-side, ${plate} 65%, ${dark} 67% 69%, transparent 71%)`;
    node.style.background = `${middle}, repeating-conic-gradient(from -11.25deg, ${edge} 0 22.5deg, ${body} 0 45deg)`;
    node.style.color = ink;
  }
  return { node, place: "", face: "", look: "" };
}

/** The diameter in which chips are laid out, in pixels: another size is a transformation, which needs no new layout. */
const LAID_OUT = 40;

/**
 * Draw a chip again where something of it has changed.
 * @param {Piece} drawn @param {Stack & {x: number, y: number, d: number}} item
 */
function paint(drawn, { chip, pieces, look, tag, x, y, d }) {
  const { node } = drawn;
  const place = `translate(${(x - d / 2).toFixed(1)}px, ${(y - d / 2).toFixed(1)}px) scale(${
    (d / LAID_OUT).toFixed(3)
  })`;
  if (drawn.place !== place) node.style.transform = drawn.place = place;
  if (drawn.look !== look) marked(node, "data-look", (drawn.look = look) || null);
  const face = `${pieces} ${tag}`;
  if (drawn.face === face) return;
  drawn.face = face;
  const cents = valueOf(chip);
  const words = cents === null ? String(pieces) : figuresOf(pieces * cents);
  text(node, words);
  node.style.setProperty("font-size", `${(FIGURES * figuresSize(words)).toFixed(1)}px`);
  if (cents === null) node.style.setProperty("--pile", String(Math.min(3, pieces - 1)));
  marked(node, "data-tag", tag || null);
}

/** The font size of a figure that fills a chip. */
const FIGURES = 19;
