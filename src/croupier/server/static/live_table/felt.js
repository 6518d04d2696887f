// The felt of a live table with the chips of all players, and what a touch of it does.

import { colourOf, coloursOf, figuresSize } from "../felt/chips.js";
import { Felt } from "../felt/felt.js";
import { hueOf, valueOf } from "../felt/pieces.js";
import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { el, marked, shown, text } from "../shared/dom.js";
import { languageInUse, say, spotLabel, spotName } from "../shared/text.js";
import { placesFor, worthOf } from "./entry.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {{spot: string, position: number, chip: string, pieces: number, look: string, tag: string}} Stack the pieces of
 *   one chip of a player on a spot, and how they look
 */

/** Shared spots have smaller chips, and so do spots whose neighbours lie this close, in diameters. */
const SHARED = 0.66;
const CLOSE = 1.35;
/** A felt higher than wide stands upright. */
const UPRIGHT = 1.1;

/** @param {LiveTable} live @param {{stacks: () => Stack[], dolly: () => string | null, veiled: () => boolean, mode: () => string, lit?: () => string[]}} shows */
export function tableFelt(live, shows) {
  const host = el("section", { class: "cloth-frame", "aria-label": say("live.felt") });
  /** @type {FeltOfTable | null} */
  let drawn = null;
  /** @type {unknown[]} */
  let before = [];
  const update = () => {
    const { felt } = live;
    if (!felt) return;
    // Many messages change nothing on the felt: then its chips are not gone through again.
    const now = [...live.feltKey, felt.hash, shows.dolly(), shows.veiled(), shows.mode()];
    if (drawn && now.every((value, place) => value === before[place])) return;
    before = now;
    if (drawn?.hash !== felt.hash) {
      drawn?.destroy();
      drawn = new FeltOfTable(host, live, felt);
    }
    drawn.update(shows.stacks(), shows.dolly(), shows.lit?.() ?? [], shows.veiled());
  };
  return { node: host, update };
}

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
        return { spot, position, chip, pieces: count, look, tag: outside ? "!" : "" };
      }),
    );
  });
}

/** A felt with chips of several players. */
export class FeltOfTable {
  /** @param {HTMLElement} host @param {LiveTable} live @param {import("../shared/felt_cache.js").Felt} data */
  constructor(host, live, data) {
    this.live = live;
    this.data = data;
    this.hash = data.hash;
    /** By spot. @type {Map<string, Stack[]>} */
    this.spots = new Map();
    /** @type {Map<string, Piece>} */
    this.drawn = new Map();
    /** What lay on each spot when it was named, and what all names depend on. @type {Map<string, string>} */
    this.named = new Map();
    this.always = "";
    /** Over all chips but those that are raised, so that a full layout is dimmed by one element. */
    this.veil = el("div", { class: "veil", hidden: true });
    this.covers = "";
    this.layer = el("div", { class: "layer pieces", "aria-hidden": "true" }, this.veil);
    this.felt = new Felt(host, {
      data,
      money: () => live.money,
      label: (spot) => this.#label(spot),
      own: false,
      on: {
        place: (spot) => this.#touch(spot),
        take: (spot) => live.move(spot, null),
        move: (source, target) => live.move(source, target),
        drop: () => {},
        shut: (spot) => this.#touch(spot),
      },
    });
    this.felt.scene.surface.append(this.layer);
    // After the felt's own observer has laid it out anew.
    this.watch = new ResizeObserver(() => this.#arrange());
    this.watch.observe(this.felt.scene.root);
    this.#arrange();
  }

  /** @param {Stack[]} stacks @param {string | null} dolly @param {string[]} lit @param {boolean} veiled */
  update(stacks, dolly, lit, veiled) {
    shown(this.veil, veiled);
    this.spots = new Map();
    for (const stack of stacks) {
      const here = this.spots.get(stack.spot);
      if (here) here.push(stack);
      else this.spots.set(stack.spot, [stack]);
    }
    const { live } = this;
    const { current } = live;
    const mine = Object.entries(current ? live.layoutOf(current) : {});
    const stakes = Object.fromEntries(mine.map(([spot, pieces]) => [spot, worthOf(pieces, (chip) => live.chipValue(chip))]));
    // The stakes of the selected player can be dragged; their chips are drawn here, with all others.
    this.felt.set({ ...EMPTY_LAYOUT, stakes, open: live.betting && current !== null, dolly, winning: dolly, ringed: lit });
    this.#draw();
    this.#name();
  }

  destroy() {
    this.watch.disconnect();
    this.felt.destroy();
    this.layer.remove();
  }

  /** What a touch of a spot means now: a chip, a late bet, or the number. @param {string} spot */
  #touch(spot) {
    const { live } = this;
    if (live.late) live.returnLate(spot);
    else if (live.betting) live.touch(spot);
    else if (live.walk?.collected && !live.betsRecorded && !live.walk.over) live.recordWinner(spot);
    else if (live.numberStep && this.data.colours.has(spot)) live.choosePocket(spot);
  }

  /** The name of a spot, and the chips on it. @param {string} spot */
  #label(spot) {
    const place = this.data.spotsByKey.get(spot);
    if (!place) return spot;
    const { live } = this;
    const lies = (this.spots.get(spot) ?? []).map(({ chip, pieces }) =>
      valueOf(chip) === null ? `${live.chipName(chip)} ${pieces}` : live.amount(pieces * live.chipValue(chip)),
    );
    const name = live.betting ? spotLabel(place, this.data.kinds) : spotName(place);
    return [name, ...lies].join(" · ");
  }

  /** Name the spots on which something has changed: to name them all takes as long as to draw the chips. */
  #name() {
    const before = this.named;
    this.named = new Map([...this.spots].map(([spot, stacks]) => [spot, stacks.map(({ chip, pieces }) => `${chip} ${pieces}`).join()]));
    const always = `${this.live.betting} ${languageInUse()}`;
    if (this.always !== always) this.felt.keys.name();
    else this.felt.keys.name([...this.named.keys(), ...before.keys()].filter((spot) => this.named.get(spot) !== before.get(spot)));
    this.always = always;
  }

  #arrange() {
    // As the felt has measured itself: to measure it again would lay out the page once more.
    const { wide, high } = this.felt.scene.room;
    const orientation = high > wide * UPRIGHT ? "portrait" : "landscape";
    if (this.felt.laid.orientation !== orientation) this.felt.lay({ orientation, lens: false });
    this.#draw();
  }

  #draw() {
    const { scene } = this.felt;
    const size = 2 * scene.stacks.radius;
    if (size === 0) return;
    const { spots } = this;
    const places = new Map([...spots.keys()].map((spot) => [spot, scene.placeOf(spot)]));
    const shared = [...places].filter(([spot, place]) => place && (spots.get(spot)?.length ?? 0) > 1);
    const before = this.drawn;
    this.drawn = new Map();
    const added = document.createDocumentFragment();
    for (const [spot, stacks] of spots) {
      const at = places.get(spot);
      if (!at) continue;
      const near = (/** @type {[string, any]} */ [other, place]) => other !== spot && Math.hypot(place.x - at.x, place.y - at.y) < size * CLOSE;
      // Chips of another spot may lie so close that both need small chips.
      const crowded = stacks.length > 1 || shared.some(near);
      const d = crowded ? Math.max(22, size * SHARED) : size;
      const around = placesFor(stacks.length);
      stacks.forEach((stack, place) => {
        const [dx, dy] = around[place];
        const key = `${stack.position} ${stack.chip} ${spot}`;
        const drawn = before.get(key) ?? piece(this.live, stack);
        if (!before.delete(key)) added.append(drawn.node);
        this.drawn.set(key, drawn);
        paint(drawn, { ...stack, d, x: at.x + dx * d * 1.04, y: at.y + dy * d * 1.04 });
      });
    }
    for (const { node } of before.values()) node.remove();
    this.veil.before(added);
    const laid = scene.drawing?.laid;
    const covers = laid ? `${laid.width}px ${laid.height}px` : "";
    if (laid && this.covers !== covers) {
      this.covers = covers;
      this.veil.style.setProperty("width", `${laid.width}px`);
      this.veil.style.setProperty("height", `${laid.height}px`);
    }
    scene.drawing?.cover(new Set(spots.keys()));
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
  const place = `translate(${(x - d / 2).toFixed(1)}px, ${(y - d / 2).toFixed(1)}px) scale(${(d / LAID_OUT).toFixed(3)})`;
  if (drawn.place !== place) node.style.transform = drawn.place = place;
  if (drawn.look !== look) marked(node, "data-look", (drawn.look = look) || null);
  const face = `${pieces} ${tag}`;
  if (drawn.face === face) return;
  drawn.face = face;
  const cents = valueOf(chip);
  const words = cents === null ? String(pieces) : shortAmount(pieces * cents);
  text(node, words);
  node.style.setProperty("font-size", `${(FIGURES * figuresSize(words)).toFixed(1)}px`);
  if (cents === null) node.style.setProperty("--pile", String(Math.min(3, pieces - 1)));
  marked(node, "data-tag", tag || null);
}

/** The font size of a figure that fills a chip. */
const FIGURES = 19;

/** An amount without its sign, for the face of a chip. @param {number} cents */
const shortAmount = (cents) => (cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2));
