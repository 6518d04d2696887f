// Pointer, keyboard and accessibility list of the racetrack.

import { el, marked } from "../shared/dom.js";

/** @typedef {import("./geometry.js").Point} Point */

/**
 * @template T
 * @typedef {object} PointerHandlers
 * @property {(point: PointerEvent) => T | null} find the target at a point
 * @property {(pressed: HTMLElement) => T | null} meant the target of a button
 * @property {(found: T | null, touch: boolean) => void} aim the target aimed at, or null
 * @property {(found: T) => void} press a press on a target
 */

/**
 * @template T
 * @param {HTMLElement} node
 * @param {PointerHandlers<T>} on
 */
export function handlePointer(node, on) {
  /** The pointer that is down. @type {number | null} */
  let finger = null;
  const over = new AbortController();
  /** @type {<K extends keyof HTMLElementEventMap>(name: K, heed: (event: HTMLElementEventMap[K]) => void) => void} */
  const when = (name, heed) => node.addEventListener(name, heed, { signal: over.signal });
  const seen = (/** @type {PointerEvent} */ event) => {
    const pressed = finger === null ? buttonOf(event) : null;
    return pressed ? on.meant(pressed) : on.find(event);
  };
  const abandon = () => {
    finger = null;
    on.aim(null, false);
  };

  when("pointerdown", (event) => {
    // A second finger cancels.
    if (finger !== null) return abandon();
    if (event.button !== 0) return;
    on.aim(seen(event), isTouch(event));
    if (buttonOf(event)) return;
    finger = event.pointerId;
    node.setPointerCapture(finger);
  });
  when("pointermove", (event) => {
    if (finger === null ? !isTouch(event) : finger === event.pointerId) on.aim(seen(event), isTouch(event));
  });
  when("pointerup", (event) => {
    const found = finger === event.pointerId ? on.find(event) : null;
    if (finger === event.pointerId) finger = null;
    if (found !== null) on.press(found);
    if (isTouch(event)) on.aim(null, true);
  });
  when("pointercancel", abandon);
  when("pointerleave", () => finger === null && on.aim(null, false));
  when("click", (event) => {
    const pressed = buttonOf(event);
    const found = pressed && on.meant(pressed);
    if (found) on.press(found);
  });
  when("focusin", (event) => {
    const focused = buttonOf(event);
    if (focused?.matches(":focus-visible")) on.aim(on.meant(focused), false);
  });
  when("focusout", (event) => buttonOf(event) && on.aim(null, false));
  // A long press previews the bet: the context menu would be in the way.
  when("contextmenu", (event) => event.preventDefault());
  return { abandon, end: () => over.abort() };
}

/** @param {Event} event */
const buttonOf = ({ target }) => (target instanceof Element ? target.closest("button") : null);

/** @param {PointerEvent} event */
const isTouch = ({ pointerType }) => pointerType === "touch";

// The racetrack for keyboard and screen reader: one tab stop, every pocket an option in wheel order.

/**
 * @typedef {{walk: (pocket: string | null) => void, place: (pocket: string) => void, take: (pocket: string) => void,
 *   step: (by: number) => void}} ListHandlers `walk` is called with the focused pocket, null on blur
 */

/** Digits typed within this time form one number. */
const TYPING_MS = 900;
/** The clockwise steps of a key. @type {Record<string, number>} */
const KEY_STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 5, PageUp: -5 };
/** The action of a key on the focused pocket. @type {Record<string, "place" | "take">} */
const KEY_ACTIONS = { Enter: "place", " ": "place", Delete: "take", Backspace: "take" };
/** @type {Record<string, number>} */
const STEPS = { "+": 1, "-": -1 };

/** A counter for unique ids. */
let lists = 0;

/** @param {readonly string[]} order @param {ListHandlers} on */
export function list(order, on) {
  lists += 1;
  const options = order.map((pocket) =>
    el("div", { role: "option", id: `track${lists}-${pocket}`, "data-pocket": pocket })
  );
  const node = el("div", { class: "track-list", role: "listbox", tabindex: "0" }, ...options);
  let now = 0;
  let typed = { text: "", at: -TYPING_MS };

  const go = (/** @type {number} */ index) => {
    now = (index + order.length) % order.length;
    show();
    on.walk(order[now]);
  };
  const show = () => {
    marked(node, "aria-activedescendant", options[now].id);
    options.forEach((option, index) => marked(option, "aria-selected", index === now ? "true" : "false"));
  };
  const digit = (/** @type {KeyboardEvent} */ { key, timeStamp }) => {
    const text = timeStamp - typed.at < TYPING_MS ? typed.text + key : key;
    typed = { text: order.includes(text) ? text : key, at: timeStamp };
    go(order.indexOf(typed.text));
  };
  const press = (/** @type {KeyboardEvent} */ event) => {
    const { key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (key in KEY_STEPS) go(now + KEY_STEPS[key]);
    else if (key === "Home" || key === "End") go(key === "Home" ? 0 : -1);
    // A held key places one chip, not one per repetition.
    else if (key in KEY_ACTIONS) event.repeat || on[KEY_ACTIONS[key]](order[now]);
    else if (key in STEPS) on.step(STEPS[key]);
    else if (/^\d$/.test(key)) digit(event);
    else return;
    event.preventDefault();
  };
  node.addEventListener("keydown", press);
  node.addEventListener("focus", () => node.matches(":focus-visible") && on.walk(order[now]));
  node.addEventListener("blur", () => on.walk(null));
  show();

  /**
   * Position the options over the drawing, for screen readers that show the focus.
   * @param {Point[]} middles @param {number} size
   */
  function lay(middles, size) {
    options.forEach((option, index) => {
      option.style.setProperty("left", `${(middles[index][0] - size / 2).toFixed(1)}px`);
      option.style.setProperty("top", `${(middles[index][1] - size / 2).toFixed(1)}px`);
      option.style.setProperty("width", `${size.toFixed(1)}px`);
      option.style.setProperty("height", `${size.toFixed(1)}px`);
    });
  }

  /** @param {string} label @param {(pocket: string) => string} nameOf */
  function name(label, nameOf) {
    marked(node, "aria-label", label);
    order.forEach((pocket, index) => marked(options[index], "aria-label", nameOf(pocket)));
  }
  return { node, lay, name };
}
