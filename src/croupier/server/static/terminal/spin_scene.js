// The scene of a spin: the wheel comes forward, and the felt steps back with what lies on it.

import { colourOf, face } from "../felt/chips.js";
import { el, isMotionReduced, marked, shown } from "../shared/dom.js";
import { h, render } from "../shared/render.js";
import { say, spotName } from "../shared/text.js";
import { wonBy } from "./outcome.js";
import { amount, moneyFormat } from "./money.js";

/**
 * @typedef {import("./controller.js").GameState} GameState
 * @typedef {{wheel: HTMLElement, felt: HTMLElement}} Places
 * @typedef {{x: number, y: number, width: number}} Rect
 */

const COMES_MS = 800;
const EASING = "cubic-bezier(0.3, 0.1, 0.2, 1)";
const GAP = 22;
/** The space of the heading above the felt. */
const HEADING = 96;
/** The height of a felt beside its length. */
const FELT_SHAPE = 0.48;
/** With two games, the space of the heading beside the wheel. */
const BESIDE = 58;
/** The most bets that are listed. */
const LISTED_MOST = 9;

export class SpinScene {
  /** @param {HTMLElement} room the game @param {Places} places the boxes of its wheel and felt */
  constructor(room, places) {
    this.room = room;
    this.places = places;
    this.isOn = false;
    this.stage = el("div", { class: "stage" });
    this.node = el("div", { class: "scene", hidden: true, "aria-hidden": "true" });
    this.watch = new ResizeObserver(() => this.isOn && this.#lay(false));
    this.watch.observe(room);
  }

  /**
   * @param {boolean} on @param {GameState} at @param {"wide" | "small" | "both"} layout @param {HTMLElement} home the
   *   place of the wheel otherwise @param {Record<string, number>} [stakes] of this spin
   */
  update(on, at, layout, home, stakes = at.mine.bets) {
    const { wheel } = this.places;
    if (on) this.#describe(at, stakes);
    if (on === this.isOn) {
      if (!on && wheel.parentElement !== home) home.append(wheel);
      if (on && layout !== this.layout) this.#arrange(layout, false);
      return;
    }
    this.isOn = on;
    const from = rectOf(wheel);
    shown(this.node, on);
    (on ? this.stage : home).append(wheel);
    this.#arrange(layout, true);
    if (!isMotionReduced()) fly(wheel, from);
  }

  /** @param {"wide" | "small" | "both"} layout @param {boolean} isNew */
  #arrange(layout, isNew) {
    this.layout = layout;
    marked(this.room, "data-scene", this.isOn ? layout : null);
    this.#lay(isNew);
  }

  destroy() {
    this.watch.disconnect();
  }

  /** Size the wheel, and move the felt aside; on an upright screen it goes below the wheel. @param {boolean} isNew */
  #lay(isNew) {
    const { felt } = this.places;
    const { clientWidth: wide, clientHeight: high } = this.room;
    const { layout, isOn } = this;
    const isAside = isOn && layout === "wide";
    const isUpright = isAside && high > wide;
    const print = (felt.querySelector(".cloth") ?? felt).getBoundingClientRect();
    const above = print.top - this.room.getBoundingClientRect().top - GAP;
    const size = sizeOf(layout, wide, high, above);
    this.stage.style.setProperty("--wheel", `${size.toFixed(0)}px`);
    marked(this.node, "data-upright", isUpright ? "" : null);
    // A small screen shows the felt lengthwise below the wheel.
    const feltHigh = isOn && layout === "small"
      ? `${Math.min(wide * FELT_SHAPE, high - size - HEADING).toFixed(0)}px`
      : "";
    felt.style.setProperty("--felt-high", feltHigh);
    const [left, width] = [felt.offsetLeft, felt.offsetWidth];
    const top = isUpright ? size + HEADING : HEADING;
    const room = isUpright ? Math.min(wide, (width * (high - top - GAP)) / felt.offsetHeight) : wide - size - GAP;
    const scale = room / width;
    const across = isUpright ? (wide - room) / 2 : size + GAP;
    // The wheel stands at the start of the line, which is the right side of a page in Arabic.
    const target = document.dir === "rtl" ? wide - across - room : across;
    const shift = `translate(${(target - left).toFixed(1)}px, ${(top - felt.offsetTop).toFixed(1)}px)`;
    felt.style.transition = isNew && !isMotionReduced() ? `transform ${COMES_MS}ms ${EASING}` : "none";
    felt.style.transform = isAside ? `${shift} scale(${scale.toFixed(4)})` : "";
    this.node.style.setProperty("--wheel-high", `${size.toFixed(0)}px`);
    this.node.style.setProperty("--from", `${across.toFixed(0)}px`);
    const below = layout === "both" ? BESIDE : top + felt.offsetHeight * scale + 16;
    this.node.style.setProperty("--below", `${below.toFixed(0)}px`);
  }

  /** @param {GameState} at @param {Record<string, number>} placed */
  #describe({ table, data }, placed) {
    const pocket = table.pocket ?? null;
    const stakes = Object.entries(placed).filter(([, cents]) => cents > 0);
    const colour = pocket === null ? "" : (data.colours.get(pocket) ?? "green");
    const returns = stakes.map(([spot, cents]) => ({
      spot,
      cents,
      back: cents + wonBy(data, spot, cents, table.multiples),
    }));
    const total = returns.reduce((sum, { cents }) => sum + cents, 0);
    const most = Math.max(
      0,
      ...data.wheel.map((one) =>
        returns.reduce((sum, { spot, back }) => sum + (data.covers.get(spot)?.includes(one.pocket) ? back : 0), 0)
      ),
    );
    const isWinning = (/** @type {string} */ spot) =>
      pocket !== null && Boolean(data.covers.get(spot)?.includes(pocket));
    const listed = [...returns].sort((one, other) =>
      Number(isWinning(other.spot)) - Number(isWinning(one.spot)) || other.back - one.back
    );
    const shownCount = listed.length > LISTED_MOST ? LISTED_MOST - 1 : LISTED_MOST;
    const rest = listed.length - shownCount;
    const figure = (/** @type {string} */ name, /** @type {number} */ cents) =>
      h("div", null, h("dt", null, name), h("dd", null, amount(cents)));
    const bet = (/** @type {(typeof listed)[number]} */ { spot, cents, back }) => {
      const place = data.spotsByKey.get(spot);
      return h(
        "li",
        { key: spot, "data-chip": colourOf(cents), "data-won": isWinning(spot) },
        face(cents, moneyFormat().chip(cents)),
        h(
          "span",
          null,
          h("b", null, place ? spotName(place) : spot),
          h("small", null, say("spin.returns", { back: amount(back) })),
        ),
      );
    };
    render(
      this.node,
      this.stage,
      h(
        "header",
        null,
        h(
          "p",
          null,
          h("b", null, pocket === null ? say("spin.runs") : say("number", { pocket, colour: say(`colour.${colour}`) })),
          h("span", null, say(stakes.length > 0 ? "spin.stay" : "spin.no-chips")),
        ),
        h("dl", null, total > 0 && [figure(say("spin.staked"), total), figure(say("spin.most"), most)]),
      ),
      h(
        "ul",
        null,
        listed.slice(0, shownCount).map(bet),
        rest > 0 && h("li", { class: "more" }, say("spin.more", { n: rest })),
      ),
    );
  }
}

/**
 * The diameter of the wheel: above the felt on an upright or small screen, in the place of the racetrack with two games, and
 * beside the felt otherwise.
 * @param {"wide" | "small" | "both" | undefined} layout @param {number} wide @param {number} high @param {number} above the
 *   space above the felt
 */
function sizeOf(layout, wide, high, above) {
  if (layout === "both") return Math.min(above, wide * 0.46);
  if (layout === "small") return Math.min(wide * 0.97, high - HEADING - wide * FELT_SHAPE);
  return high > wide ? Math.min(wide * 0.9, high * 0.54) : Math.min(high, wide * 0.46);
}

/** @param {HTMLElement} node @returns {Rect | null} null where it is not shown */
function rectOf(node) {
  if (!node.checkVisibility()) return null;
  const { left, top, width } = node.getBoundingClientRect();
  return width > 0 ? { x: left, y: top, width } : null;
}

/** Animate an element from where it was to where it is. @param {HTMLElement} node @param {Rect | null} from */
function fly(node, from) {
  const to = rectOf(node);
  if (!to) return;
  // The scene may be scaled itself.
  const scaled = to.width / node.offsetWidth;
  const start = from
    ? `translate(${(from.x - to.x) / scaled}px, ${(from.y - to.y) / scaled}px) scale(${from.width / to.width})`
    : "translate(0, 30%) scale(0.3)";
  node.animate(
    [
      { transform: start, opacity: from ? 1 : 0, transformOrigin: "0 0" },
      { transform: "none", opacity: 1, transformOrigin: "0 0" },
    ],
    { duration: COMES_MS, easing: EASING },
  );
}
