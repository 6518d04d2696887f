// The public interface of the felt.

import { el, marked } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { Aim } from "./aim.js";
import { KeyboardControl } from "./keyboard.js";
import { addDropTarget, cancelDrag, cancelDragFrom, Pointer, removeDropTarget, startDrag } from "./pointer.js";
import { Scene } from "./scene.js";
import { changed, EMPTY_LAYOUT, stackStates } from "./stacks.js";

/**
 * @typedef {import("./geometry.js").FeltData} FeltData
 * @typedef {import("./stacks.js").FeltState} Look
 * @typedef {import("./stacks.js").StackState} Pile
 * @typedef {import("./geometry.js").Point} Point
 */

/**
 * @typedef {object} FeltHandlers what the felt requests; it decides nothing
 * @property {(spot: string) => void} place place the chosen chip
 * @property {(spot: string) => void} take remove the stake
 * @property {(from: string, to: string) => void} move
 * @property {(spot: string, cents: number) => void} drop place the dragged chip
 * @property {(spot: string) => void} [shut] called on a press while bets are closed
 *
 * @typedef {object} FeltOptions
 * @property {FeltData} data as the server sends it
 * @property {() => import("../shared/money.js").MoneyFormat} money how amounts are written now
 * @property {(spot: string) => string} label the name of a spot with its odds
 * @property {(spot: string) => string | null} [note] an additional note about a spot in its tooltip
 * @property {boolean} [own] whether the stakes are those of the person at this screen; then a tooltip says so
 * @property {FeltHandlers} [on]
 * @property {boolean} [viewOnly] whether it is a picture, of which nothing can be touched or reached by the keyboard
 * @property {Layer[]} [layers] of the screen, over the chips
 *
 * @typedef {object} Layer drawn after the felt has been laid out or its state has changed
 * @property {string} name
 * @property {(frame: Frame) => Iterable<string>} draw returns the spots whose print gives way to what it has drawn
 *
 * @typedef {object} Frame
 * @property {HTMLElement} node of the layer
 * @property {(spot: string) => Point | null} placeOf where a spot lies on the print
 * @property {number} chip the diameter of a chip
 * @property {{width: number, height: number}} print its size
 *
 * @typedef {object} FeltArrangement
 * @property {import("./geometry.js").Orientation | "fit"} orientation "fit" is upright where that has more room
 * @property {boolean} mirrored
 * @property {boolean} lens whether touch gets a magnifier over large cells too
 */

/** How far from the centre of a chip a press still means it, in chip radii: to drag it, and to erase it. */
const CHIP_REACH = { hold: 1.1, erase: 1.8 };
/** A felt that fits its room stands upright where that is so many times higher than wide. */
const UPRIGHT = 1.1;
const NOTHING = () => {};
/** @type {FeltHandlers} */
const NO_HANDLERS = { place: NOTHING, take: NOTHING, move: NOTHING, drop: NOTHING };
/** The accessible description of a spot with chips, by their state. */
const NAMES = {
  lies: "felt.lies",
  guessed: "felt.guessed",
  under: "felt.under",
  ghost: "felt.ghost",
  won: "felt.won",
  lost: "felt.lost",
  paid: "felt.won",
};

let felts = 0;

export class Felt {
  /** The state drawn last. @type {Look} */
  #look = EMPTY_LAYOUT;
  /** @type {FeltArrangement} */
  #laid = { orientation: "landscape", mirrored: false, lens: true };
  /** The visible stacks. @type {Map<string, Pile>} */
  #stackStates = new Map();
  /** The key of the format of amounts used last. */
  #formatKey;
  #money;
  #label;
  #on;
  #scene;
  #aim;
  #keys;
  #pointer;
  #dropTarget;
  /** @type {{node: HTMLElement, draw: Layer["draw"]}[]} */
  #layers;
  #watch;

  /** @param {HTMLElement} host @param {FeltOptions} wiring */
  constructor(
    host,
    { data, money, label, note = () => null, own = true, on = NO_HANDLERS, viewOnly = false, layers = [] },
  ) {
    felts += 1;
    const id = `felt${felts}`;
    this.#label = label;
    this.#on = on;
    this.#money = money;
    this.#formatKey = money().key;
    this.#scene = new Scene(data, id, money);
    const { root, surface: cloth } = this.#scene;
    const hands = { label, note, own, money, look: () => this.#look, hasLens: () => this.#hasLens() };
    this.#aim = new Aim({ scene: this.#scene, ...hands });
    this.#keys = new KeyboardControl({
      data,
      id,
      name: (spot) => this.#named(spot),
      show: (spot) => this.#aim.showFocus(spot && this.#scene.placeOf(spot.key)),
      act: (spot) => this.#act(spot),
      take: (spot) => this.#take(spot),
    });
    this.#pointer = viewOnly ? null : new Pointer({ node: cloth, ...this.#pointerHost() });
    this.#dropTarget = this.#makeDropTarget();
    this.#layers = layers.map(({ name, draw }) => ({
      node: el("div", { class: `layer ${name}`, "aria-hidden": "true" }),
      draw,
    }));
    cloth.append(...this.#layers.map(({ node }) => node));
    if (!viewOnly) {
      cloth.append(this.#keys.node);
      addDropTarget(this.#dropTarget);
    }
    host.append(root);
    this.#watch = new ResizeObserver(() => this.#lay());
    this.#watch.observe(root);
  }

  /** Draw a state. @param {Look} look */
  set(look) {
    if (this.#look.open && !look.open) {
      this.#pointer?.cancel();
      cancelDragFrom(this.#dropTarget);
    }
    this.#look = look;
    this.#draw();
  }

  /** Set the orientation. @param {Partial<FeltArrangement>} projection */
  lay(projection) {
    this.#laid = { ...this.#laid, ...projection };
    this.#lay();
  }

  /** Name spots anew for screen readers: those whose label has changed, or all. @param {string[]} [spots] */
  name(spots) {
    this.#keys.name(spots);
  }

  /** The position of a spot inside the felt; null before it has a size. @param {string} spot @returns {Point | null} */
  placeOf(spot) {
    const place = this.#scene.placeOf(spot);
    const { x, y } = this.#scene.corner();
    return place && { x: x + place.x, y: y + place.y };
  }

  /** The screen position of a spot; null before the felt has a size. @param {string} spot @returns {Point | null} */
  anchor(spot) {
    const place = this.placeOf(spot);
    if (!place) return null;
    const { left, top } = this.#scene.root.getBoundingClientRect();
    return { x: left + place.x, y: top + place.y };
  }

  /**
   * Show a refusal at a spot or in the middle.
   * @param {string | null} spot @param {string} words @param {string | null} clause @param {import("./aim.js").Remedy | null} [remedy]
   */
  showRefusal(spot, words, clause, remedy = null) {
    this.#aim.refuse(spot === null ? null : this.#scene.placeOf(spot), words, clause, remedy);
  }

  /**
   * Drag a chip from the tray, to this felt or any other on the screen.
   * @param {number} cents @param {PointerEvent} event
   */
  startDrag(cents, event) {
    startDrag({
      cents,
      figures: this.#money().chip(cents),
      event,
      put: (below) => below?.ground.drop(below.place.spot, cents),
    });
  }

  destroy() {
    cancelDrag();
    this.#watch.disconnect();
    this.#pointer?.destroy();
    this.#aim.destroy();
    removeDropTarget(this.#dropTarget);
    this.#scene.root.remove();
  }

  #lay() {
    const { orientation, mirrored } = this.#laid;
    if (!this.#scene.lay((room) => ({ orientation: orientation === "fit" ? fitting(room) : orientation, mirrored }))) {
      return;
    }
    const { drawing } = this.#scene;
    if (drawing) this.#keys.lay(drawing.laid);
    this.#pointer?.cancel();
    this.#aim.clear();
    this.#aim.tips.hideRefusal();
    this.#draw();
  }

  #draw() {
    const before = this.#stackStates;
    const [look, scene] = [this.#look, this.#scene];
    this.#stackStates = stackStates(look, (spot) => scene.spots.get(spot)?.covers ?? []);
    scene.draw(look, this.#stackStates, this.#drawLayers());
    marked(this.#keys.node, "aria-disabled", look.open ? null : "true");
    const { key } = this.#money();
    const isOther = this.#formatKey !== key;
    this.#formatKey = key;
    this.#keys.name(isOther ? undefined : changed(before, this.#stackStates));
    this.#aim.refresh();
  }

  /** Draw the layers of the screen; returns the spots that they cover. */
  #drawLayers() {
    const { stacks, drawing } = this.#scene;
    if (!drawing) return [];
    const { width, height } = drawing.laid;
    const frame = {
      placeOf: (/** @type {string} */ spot) => this.#scene.placeOf(spot),
      chip: 2 * stacks.radius,
      print: { width, height },
    };
    return this.#layers.flatMap(({ node, draw }) => [...draw({ ...frame, node })]);
  }

  /** The accessible name of a spot with its stake. @param {string} spot */
  #named(spot) {
    const name = this.#label(spot).replaceAll(" · ", ", ");
    const state = this.#stackStates.get(spot) ?? this.#stackStates.get(`ghost ${spot}`);
    return state ? say(NAMES[state.way], { spot: name, amount: this.#money().amount(state.cents) }) : name;
  }

  /** Whether touch gets a magnifier: where it is enabled, and always where cells are small. */
  #hasLens() {
    return this.#acceptsBets() && (this.#laid.lens || this.#scene.isTight());
  }

  /** Whether bets can be placed here now; while limits are shown, a press only reads. */
  #acceptsBets() {
    return this.#look.open && this.#look.limits === null;
  }

  /** Apply the chosen chip to a spot. @param {string} spot */
  #act(spot) {
    if (!this.#look.open) this.#on.shut?.(spot);
    else if (this.#look.chip === "eraser") this.#take(spot);
    else if (this.#acceptsBets()) this.#on.place(spot);
  }

  /** @param {string} spot */
  #take(spot) {
    if (this.#acceptsBets() && this.#look.stakes[spot] > 0) this.#on.take(spot);
  }

  /** What the pointer handling needs of the felt. */
  #pointerHost() {
    const scene = this.#scene;
    const stack = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ reach) =>
      scene.nearest(Object.keys(this.#look.stakes), { x, y }, reach);
    /** @type {Omit<import("./pointer.js").PointerHost, "node">} */
    const touched = {
      hit: (x, y) => (this.#look.chip === "eraser" ? stack(x, y, CHIP_REACH.erase) : scene.spotAt(x, y)),
      stackAt: (x, y) => (this.#acceptsBets() ? (stack(x, y, CHIP_REACH.hold)?.spot ?? null) : null),
      point: (place, event) => this.#aim.point(place, event),
      act: ({ spot }) => {
        this.#keys.moveTo(spot);
        this.#act(spot);
      },
      lift: (spot) => this.#lift(spot),
      isTight: () => scene.isTight(),
    };
    return touched;
  }

  /** What a dragged chip needs of the felt. @returns {import("./pointer.js").DropTarget} */
  #makeDropTarget() {
    return {
      hit: (x, y) => (this.#acceptsBets() ? this.#scene.spotAt(x, y) : null),
      point: (place) => this.#aim.point(place),
      drop: (spot, cents) => this.#on.drop(spot, cents),
    };
  }

  /**
   * Pick up a stack: dropped outside the print it is removed, elsewhere on this felt it is moved.
   * @param {string} spot
   */
  #lift(spot) {
    this.#scene.stacks.lift(spot);
    return {
      cents: this.#look.stakes[spot],
      figures: this.#money().chip(this.#look.stakes[spot]),
      home: this.#dropTarget,
      put: (/** @type {import("./pointer.js").Below} */ below) => {
        if (below === null) this.#on.take(spot);
        else if (below.ground === this.#dropTarget && below.place.spot !== spot) this.#on.move(spot, below.place.spot);
      },
      ended: () => this.#scene.stacks.lift(null),
    };
  }
}

/** @param {{wide: number, high: number}} room @returns {import("./geometry.js").Orientation} */
const fitting = ({ wide, high }) => (high > wide * UPRIGHT ? "portrait" : "landscape");
