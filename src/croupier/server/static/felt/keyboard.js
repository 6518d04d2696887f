// Keyboard control of the felt, and its accessibility tree.

import { el, marked } from "../shared/dom.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("./geometry.js").HitRegion} Core
 * @typedef {import("./geometry.js").FeltData} FeltData
 * @typedef {import("./geometry.js").Projection} Projection
 * @typedef {import("./geometry.js").Spot} Spot
 */

/**
 * @typedef {object} KeyboardHost the part of the felt that the keyboard needs
 * @property {FeltData} data
 * @property {string} id
 * @property {(spot: string) => string} name the full name, with the stake
 * @property {(spot: Spot | null) => void} show highlights the focused spot
 * @property {(spot: string) => void} act applies the chosen chip to a spot
 * @property {(spot: string) => void} take
 */

/** The action of a key on the focused spot. @type {Record<string, "act" | "take" | undefined>} */
const KEY_ACTIONS = { Enter: "act", " ": "act", Delete: "take", Backspace: "take" };
/** Digits typed within this time form one number. */
const TYPING_MS = 900;

export class KeyboardControl {
  /** @param {KeyboardHost} felt */
  constructor(felt) {
    this.felt = felt;
    this.node = el("div", { class: "layer spots", role: "listbox", tabindex: "0" });
    /** @type {Map<string, HTMLElement>} */
    this.options = new Map();
    /** @type {Projection | null} */
    this.laid = null;
    this.walker = cursorAt(felt.data.spots[0]);
    this.typed = { figures: "", at: -Infinity };
    for (const [place, { key }] of felt.data.spots.entries()) {
      const option = el("div", { role: "option", id: `${felt.id}-${place}`, "aria-selected": "false" });
      option.dataset.spot = key;
      this.options.set(key, option);
      this.node.append(option);
    }
    this.node.addEventListener("keydown", (event) => this.#press(event));
    this.node.addEventListener("focus", () => this.#show());
    this.node.addEventListener("blur", () => felt.show(null));
    // Pointers never reach an option; a click comes from a screen reader.
    this.node.addEventListener("click", (event) => {
      const { spot } = /** @type {HTMLElement} */ (event.target).dataset;
      if (spot) felt.act(spot);
    });
    this.name();
  }

  /** @param {Projection} projection */
  lay(projection) {
    this.laid = projection;
    this.node.style.setProperty("width", `${projection.width}px`);
    this.node.style.setProperty("height", `${projection.height}px`);
    for (const { key, anchor } of this.felt.data.spots) {
      const { x, y } = projection.point(...anchor);
      this.options.get(key)?.style.setProperty("translate", `${x.toFixed(0)}px ${y.toFixed(0)}px`);
    }
  }

  /** Set the accessible names of all spots, or only of those that changed. @param {Iterable<string>} [spots] */
  name(spots = this.options.keys()) {
    marked(this.node, "aria-label", say("felt.name"));
    for (const spot of spots) {
      const option = this.options.get(spot);
      if (option) marked(option, "aria-label", this.felt.name(spot));
    }
  }

  /** Continue from the spot that was pressed last. @param {string} key */
  moveTo(key) {
    const spot = this.#spot(key);
    if (spot) this.#setCursor(cursorAt(spot));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.laid) return;
    const way = direction(event.key, this.laid);
    if (way) this.#setCursor(step(this.felt.data.spots, this.walker, way));
    else if (!this.#act(event) && !this.#jump(event)) return;
    event.preventDefault();
    this.#show();
  }

  /** A held key places one chip, not one per repetition. @param {KeyboardEvent} event */
  #act({ key, repeat }) {
    const { spot } = this.walker;
    const action = KEY_ACTIONS[key];
    if (action && !repeat) this.felt[action](spot.key);
    return action !== undefined;
  }

  /** Digits go to a number, a letter to the next outside bet that begins with it. @param {KeyboardEvent} event */
  #jump({ key, timeStamp }) {
    const spots = this.felt.data.spots;
    if (key === "Home" || key === "End") return this.#go(key === "Home" ? spots[0] : spots[spots.length - 1]);
    if (/^\d$/.test(key)) return this.#number(key, timeStamp);
    if (!/^[a-z]$/i.test(key)) return false;
    const boxes = this.felt.data.boxes.map(({ bet }) => bet).filter((bet) => bet[0] === key.toLowerCase());
    const next = boxes[(boxes.indexOf(this.walker.spot.key) + 1) % boxes.length];
    return this.#go(next === undefined ? undefined : this.#spot(next));
  }

  /** @param {string} figure @param {number} now */
  #number(figure, now) {
    const before = now - this.typed.at < TYPING_MS ? this.typed.figures : "";
    const both = this.#spot(before + figure);
    this.typed = { figures: both ? before + figure : figure, at: now };
    return this.#go(both ?? this.#spot(figure));
  }

  /** @param {string} key */
  #spot(key) {
    return this.felt.data.spots.find((spot) => spot.key === key);
  }

  /** @param {Spot | undefined} spot */
  #go(spot) {
    if (spot) this.#setCursor(cursorAt(spot));
    return spot !== undefined;
  }

  /** @param {Cursor} cursor */
  #setCursor(cursor) {
    this.options.get(this.walker.spot.key)?.setAttribute("aria-selected", "false");
    this.walker = cursor;
    const option = this.options.get(cursor.spot.key);
    option?.setAttribute("aria-selected", "true");
    marked(this.node, "aria-activedescendant", option?.id ?? null);
  }

  #show() {
    this.#setCursor(this.walker);
    // Show the focus only for the keyboard, not when a pointer focuses the felt.
    if (this.node.matches(":focus-visible")) this.felt.show(this.walker.spot);
  }
}

// Navigation: which spot is next for an arrow key. The cursor keeps its line: down from a street into the dozens and up
// again returns to the same street.

/**
 * @typedef {{spot: Spot, along: number, across: number}} Cursor the position, and the line it keeps to, in quarter cells
 * @typedef {{axis: "along" | "across", sign: 1 | -1}} Direction
 */

/** A step sideways costs more than a step ahead, so that the cursor keeps its line. */
const SIDEWAYS_COST = 3;
/** The indexes of the two ends of a hit region, by axis. */
const ENDS = { along: [0, 1], across: [2, 3] };

/** @param {Spot} spot @returns {Cursor} */
export const cursorAt = (spot) => ({ spot, along: middle(spot.core, "along"), across: middle(spot.core, "across") });

/**
 * The table direction of a key.
 * @param {string} key @param {{orientation: string, mirrored: boolean}} laid
 * @returns {Direction | null}
 */
export function direction(key, { orientation, mirrored }) {
  const flat = orientation === "landscape";
  const across = flat ? "along" : "across";
  const down = flat ? "across" : "along";
  const right = mirrored ? -1 : 1;
  switch (key) {
    case "ArrowRight":
      return { axis: across, sign: right };
    case "ArrowLeft":
      return { axis: across, sign: right === 1 ? -1 : 1 };
    case "ArrowDown":
      return { axis: down, sign: flat ? -1 : 1 };
    case "ArrowUp":
      return { axis: down, sign: flat ? 1 : -1 };
    default:
      return null;
  }
}

/**
 * One step; the cursor stays where there is nothing in that direction.
 * @param {Spot[]} spots @param {Cursor} cursor @param {Direction} way @returns {Cursor}
 */
export function step(spots, cursor, { axis, sign }) {
  const side = axis === "along" ? "across" : "along";
  let next = null;
  let least = Infinity;
  for (const spot of spots) {
    if (sign * (middle(spot.core, axis) - middle(cursor.spot.core, axis)) <= 0) continue;
    const ahead = gapAhead(cursor.spot.core, spot.core, axis, sign);
    if (ahead < 0) continue;
    const aside = outside(spot.core, side, cursor[side]);
    // At equal distance the smaller region comes first: a split before the zero behind it.
    const score = ahead + SIDEWAYS_COST * aside + extent(spot.core) / 1000;
    if (score < least) [next, least] = [spot, score];
  }
  if (!next) return cursor;
  const here = cursorAt(next);
  // The line is kept while it crosses the regions passed.
  return outside(next.core, side, cursor[side]) === 0 ? { ...here, [side]: cursor[side] } : here;
}

/** @param {Core} core @param {"along" | "across"} axis */
const middle = (core, axis) => (core[ENDS[axis][0]] + core[ENDS[axis][1]]) / 2;

/** @param {Core} core */
const extent = (core) => core[1] - core[0] + core[3] - core[2];

/** @param {Core} from @param {Core} to @param {"along" | "across"} axis @param {1 | -1} sign */
function gapAhead(from, to, axis, sign) {
  const [low, high] = ENDS[axis];
  return sign === 1 ? to[low] - from[high] : from[low] - to[high];
}

/**
 * The distance between a line and a hit region.
 * @param {Core} core @param {"along" | "across"} axis @param {number} line
 */
function outside(core, axis, line) {
  const [low, high] = ENDS[axis];
  return Math.max(core[low] - line, 0, line - core[high]);
}
