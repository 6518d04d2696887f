// The chip tray.

import { face } from "../felt/chips.js";
import { el, icon, marked } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { amount, moneyFormat } from "./money.js";

/** @typedef {import("./controller.js").Controller} Controller */

/** A press becomes a drag after this many pixels. */
const DRAG_FROM = 8;
/** The step of each key. The tray is never mirrored. @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

/** @param {Controller} ui @param {(cents: number, event: PointerEvent) => void} carry starts dragging a chip to a felt */
export function chipTray(ui, carry) {
  const node = el("div", { class: "tray", role: "radiogroup", "aria-label": say("tray.label") });
  let drawn = "";
  const choose = (/** @type {number | "eraser"} */ chip) => ui.prefs.set({ chip });
  const values = () => /** @type {(number | "eraser")[]} */ ([...ui.seated().fixture.chips, "eraser"]);

  const fillTray = () => {
    const { denomination } = ui.seated().seat;
    node.replaceChildren(...values().map((chip) => piece(chip, denomination)));
  };
  const piece = (/** @type {number | "eraser"} */ chip, /** @type {number} */ denomination) => {
    const words = chip === "eraser" ? say("tray.eraser") : say("tray.chip", { amount: amount(chip * denomination) });
    const made = el("button", { type: "button", role: "radio", "data-chip": chip, "aria-label": words, title: words });
    made.append(chip === "eraser" ? icon("eraser") : face(chip * denomination, moneyFormat().chip(chip * denomination)));
    made.addEventListener("click", () => choose(chip));
    if (chip !== "eraser") draggable(made, (event) => (choose(chip), carry(chip * denomination, event)));
    return made;
  };
  node.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const pieces = /** @type {HTMLElement[]} */ ([...node.children]);
    const at = pieces.findIndex((one) => one === document.activeElement);
    const next = (at + step + pieces.length) % pieces.length;
    choose(values()[next]);
    pieces[next].focus();
  });

  const update = () => {
    const { fixture, seat } = ui.seated();
    const wanted = JSON.stringify([fixture.chips, seat.denomination, fixture.currency, ui.prefs.now.units]);
    if (wanted !== drawn) {
      drawn = wanted;
      fillTray();
    }
    marked(node, "data-closed", ui.isOpen() ? null : "");
    const chosen = ui.prefs.now.chip === "eraser" ? "eraser" : /** @type {number} */ (ui.chip()) / seat.denomination;
    for (const one of node.children) {
      const isChosen = /** @type {HTMLElement} */ (one).dataset.chip === String(chosen);
      marked(one, "aria-checked", String(isChosen));
      marked(one, "tabindex", isChosen ? "0" : "-1");
    }
  };
  return { node, update };
}

/**
 * Detect when a press becomes a drag. The pointer may have left the chip by then.
 * @param {HTMLElement} made @param {(event: PointerEvent) => void} begin
 */
function draggable(made, begin) {
  made.addEventListener("pointerdown", (from) => {
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
  });
}
