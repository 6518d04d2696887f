// The chip tray.

import { face } from "../felt/chips.js";
import { h, icon } from "../shared/render.js";
import { say } from "../shared/text.js";
import { amount, moneyFormat } from "./money.js";

/** @typedef {import("./controller.js").Controller} Controller */

/** A press becomes a drag after this many pixels. */
const DRAG_FROM = 8;
/** The step of each key. The tray is never mirrored. @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/**
 * @param {Controller} ui @param {(cents: number, event: PointerEvent) => void} carry starts dragging a chip to a felt
 * @param {boolean} isHidden
 */
export function chipTray(ui, carry, isHidden) {
  const { fixture, seat } = ui.seated();
  const choose = (/** @type {number | "eraser"} */ chip) => ui.prefs.set({ chip });
  const chosen = ui.prefs.now.chip === "eraser" ? "eraser" : /** @type {number} */ (ui.chip()) / seat.denomination;
  const piece = (/** @type {number | "eraser"} */ chip) => {
    const cents = chip === "eraser" ? 0 : chip * seat.denomination;
    const label = chip === "eraser" ? say("tray.eraser") : say("tray.chip", { amount: amount(cents) });
    const drag = (/** @type {PointerEvent} */ event) => (choose(chip), carry(cents, event));
    return h(
      "button",
      {
        key: chip,
        type: "button",
        role: "radio",
        "data-chip": chip,
        "aria-label": label,
        title: label,
        "aria-checked": String(chip === chosen),
        tabindex: chip === chosen ? "0" : "-1",
        click: () => choose(chip),
        pointerdown: chip === "eraser" ? null : (/** @type {PointerEvent} */ event) => awaitDrag(event, drag),
      },
      chip === "eraser" ? icon("eraser") : face(cents, moneyFormat().chip(cents)),
    );
  };
  return h(
    "div",
    {
      class: "tray",
      role: "radiogroup",
      "aria-label": say("tray.label"),
      hidden: isHidden,
      "data-closed": !ui.isOpen(),
      keydown: step,
    },
    [...fixture.chips, /** @type {const} */ ("eraser")].map(piece),
  );
}

/** An arrow key chooses the next chip. @param {KeyboardEvent & {currentTarget: HTMLElement}} event */
function step(event) {
  const by = STEPS[event.key];
  if (!by) return;
  event.preventDefault();
  const pieces = /** @type {HTMLElement[]} */ ([...event.currentTarget.children]);
  const at = pieces.findIndex((one) => one === document.activeElement);
  const next = pieces[(at + by + pieces.length) % pieces.length];
  next.click();
  next.focus();
}

/**
 * Detect when a press becomes a drag. The pointer may have left the chip by then.
 * @param {PointerEvent} from @param {(event: PointerEvent) => void} begin
 */
function awaitDrag(from, begin) {
  if (!from.isPrimary || from.button !== 0) return;
  const ways = new AbortController();
  const listen = { signal: ways.signal };
  const isDrag = (/** @type {PointerEvent} */ { clientX, clientY }) =>
    Math.hypot(clientX - from.clientX, clientY - from.clientY) >= DRAG_FROM;
  addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerId !== from.pointerId || !isDrag(event)) return;
      ways.abort();
      begin(event);
    },
    listen,
  );
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => ways.abort(), listen);
}
