// The felt of a live table with the chips of all players, and what a touch of it does.

import { Felt } from "../felt/felt.js";
import { chipOf, hueOf, valueOf } from "../felt/pieces.js";
import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { each, el, marked, text } from "../shared/dom.js";
import { setAmountFormat } from "../shared/money.js";
import { say, spotLabel, spotName } from "../shared/text.js";
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

/** @param {LiveTable} live @param {{stacks: () => Stack[], dolly: () => string | null, lit?: () => string[]}} shows */
export function tableFelt(live, shows) {
  const host = el("section", { class: "cloth-frame", "aria-label": say("live.felt") });
  /** @type {FeltOfTable | null} */
  let drawn = null;
  const update = () => {
    const { felt } = live;
    if (!felt) return;
    if (drawn?.hash !== felt.hash) {
      drawn?.destroy();
      drawn = new FeltOfTable(host, live, felt);
    }
    drawn.update(shows.stacks(), shows.dolly(), shows.lit?.() ?? []);
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
    setAmountFormat({ currency: live.live.currency ?? data.currency });
    this.live = live;
    this.data = data;
    this.hash = data.hash;
    /** @type {Stack[]} */
    this.stacks = [];
    this.layer = el("div", { class: "layer pieces", "aria-hidden": "true" });
    this.felt = new Felt(host, {
      data,
      amount: () => "",
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

  /** @param {Stack[]} stacks @param {string | null} dolly @param {string[]} lit */
  update(stacks, dolly, lit) {
    this.stacks = stacks;
    const { live } = this;
    const { current } = live;
    const mine = Object.entries(current ? live.layoutOf(current) : {});
    const stakes = Object.fromEntries(mine.map(([spot, pieces]) => [spot, worthOf(pieces, (chip) => live.chipValue(chip))]));
    // The stakes of the selected player can be dragged; their chips are drawn here, with all others.
    this.felt.set({ ...EMPTY_LAYOUT, stakes, open: live.betting && current !== null, dolly, winning: dolly, ringed: lit });
    this.#draw();
    this.felt.keys.name();
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
    const lies = this.stacks
      .filter((stack) => stack.spot === spot)
      .map(({ chip, pieces }) => (valueOf(chip) === null ? `${live.chipName(chip)} ${pieces}` : live.amount(pieces * live.chipValue(chip))));
    const name = live.betting ? spotLabel(place, this.data.kinds) : spotName(place);
    return [name, ...lies].join(" · ");
  }

  #arrange() {
    const { clientWidth, clientHeight } = this.felt.scene.root;
    const orientation = clientHeight > clientWidth * UPRIGHT ? "portrait" : "landscape";
    if (this.felt.laid.orientation !== orientation) this.felt.lay({ orientation, lens: false });
    this.#draw();
  }

  #draw() {
    const { scene } = this.felt;
    const size = 2 * scene.stacks.radius;
    if (size === 0) return;
    const spots = new Map();
    for (const stack of this.stacks) spots.set(stack.spot, [...(spots.get(stack.spot) ?? []), stack]);
    const places = new Map([...spots.keys()].map((spot) => [spot, scene.placeOf(spot)]));
    const items = [...spots].flatMap(([spot, stacks]) => {
      const at = places.get(spot);
      if (!at) return [];
      const crowded = stacks.length > 1 || isCrowded(spot, spots, places, size);
      const d = crowded ? Math.max(22, size * SHARED) : size;
      const around = placesFor(stacks.length);
      return stacks.map((/** @type {Stack} */ stack, /** @type {number} */ place) => {
        const [dx, dy] = around[place];
        return { ...stack, d, x: at.x + dx * d * 1.04, y: at.y + dy * d * 1.04 };
      });
    });
    each(
      this.layer,
      items,
      ({ spot, position, chip }) => `${position} ${chip} ${spot}`,
      (item) => piece(this.live, item),
      (node, item) => paint(this.live, node, item),
    );
    scene.drawing?.cover(new Set(spots.keys()));
  }
}

/**
 * Whether chips of another spot lie so close that both need small chips.
 * @param {string} spot @param {Map<string, Stack[]>} spots @param {Map<string, any>} places @param {number} size
 */
function isCrowded(spot, spots, places, size) {
  const at = places.get(spot);
  for (const [other, place] of places) {
    if (other === spot || !place) continue;
    const near = Math.hypot(place.x - at.x, place.y - at.y) < size * CLOSE;
    if (near && (spots.get(other)?.length ?? 0) > 1) return true;
  }
  return false;
}

/** @param {LiveTable} live @param {Stack} item */
function piece(live, { chip, spot, position }) {
  const node = chipOf(chip, "");
  node.classList.add("piece");
  node.append(el("i", { class: "tag" }));
  node.dataset.spot = spot;
  node.dataset.owner = String(position);
  node.dataset.hue = valueOf(chip) === null ? hueOf(chip) : live.amount(live.chipValue(chip));
  return node;
}

/** The diameter in which chips are laid out, in pixels: another size is a transformation, which needs no new layout. */
const LAID_OUT = 40;

/**
 * Draw a chip again if something of it has changed: a full layout has hundreds.
 * @param {LiveTable} live @param {HTMLElement} node @param {Stack & {x: number, y: number, d: number}} item
 */
function paint(live, node, { chip, pieces, look, tag, x, y, d }) {
  const place = `translate(${(x - d / 2).toFixed(1)}px, ${(y - d / 2).toFixed(1)}px) scale(${(d / LAID_OUT).toFixed(3)})`;
  const face = `${pieces} ${look} ${tag}`;
  if (node.dataset.place !== place) {
    node.dataset.place = place;
    node.style.transform = place;
  }
  if (node.dataset.face === face) return;
  node.dataset.face = face;
  const cents = valueOf(chip);
  text(node.querySelector("b, text"), cents === null ? String(pieces) : shortAmount(pieces * cents));
  node.style.setProperty("--pile", String(Math.min(3, pieces - 1)));
  marked(node, "data-look", look || null);
  text(node.querySelector(".tag"), tag);
}

/** An amount without its sign, for the face of a chip. @param {number} cents */
const shortAmount = (cents) => (cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2));
