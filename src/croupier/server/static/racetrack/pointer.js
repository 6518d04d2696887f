// Fingers and mice on the racetrack: press, slide and release; what lies under the point at the release is meant.

/**
 * @template T
 * @typedef {object} On
 * @property {(point: PointerEvent) => T | null} find what lies under a point of the drawing
 * @property {(pressed: HTMLElement) => T | null} meant what a button stands for
 * @property {(found: T | null, touch: boolean) => void} aim something is pointed at, or nothing any more
 * @property {(found: T) => void} press it is meant
 */

/**
 * @template T
 * @param {HTMLElement} node
 * @param {On<T>} on
 */
export function pointing(node, on) {
  /** The finger that is down. @type {number | null} */
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
    // A second finger means neither.
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
  // A long press shows what would be laid: the browser's own menu would be in the way.
  when("contextmenu", (event) => event.preventDefault());
  return { abandon, end: () => over.abort() };
}

/** @param {Event} event */
const buttonOf = ({ target }) => (target instanceof Element ? target.closest("button") : null);

/** @param {PointerEvent} event */
const isTouch = ({ pointerType }) => pointerType === "touch";
