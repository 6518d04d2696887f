// Call bets and their chip stepper.

import { thumbnail } from "../../felt/chips.js";
import { openDialog } from "../../shared/dialog.js";
import { button, h, icon } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { callBetsOf } from "../calls.js";
import { Reply } from "./response.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/types/wire.js").OfferedCall} Call
 * @typedef {import("../../shared/types/wire.js").CallVariant} CallVariant
 */

/** @param {Controller} ui */
export function openCallBets(ui) {
  const data = ui.data(ui.focus());
  if (!data) return;
  const response = new Reply(ui);
  /** What is pointed at. @type {{call: Call, way: CallVariant} | null} */
  let aimed = null;
  /** The chips of what is pointed at, in cents by spot. @returns {[string, number][]} */
  const laid = () => {
    const chip = ui.chip();
    return aimed && chip !== "eraser" ? aimed.way.pieces.map(([spot, pieces]) => [spot, pieces * chip]) : [];
  };
  const point = (/** @type {typeof aimed} */ at) => {
    aimed = at;
    ui.preview(laid().length > 0 ? laid() : null);
    dialog.redraw();
  };
  const price = () => {
    const chip = ui.chip();
    if (!aimed || chip === "eraser") return say("specials.hint");
    const { call, way } = aimed;
    return say("specials.price", {
      call: `${call.label} ${way.of}`.trim(),
      n: way.chips,
      total: amount(way.chips * chip),
    });
  };
  const on = {
    point,
    lay: (/** @type {CallVariant} */ way) => void response.await(ui.call(ui.focus(), way)),
    isOpen: () => ui.isOpen() && ui.chip() !== "eraser",
  };
  const dialog = openDialog({
    name: "specials",
    title: say("specials.title"),
    look: "side",
    body: () => [
      chipStepper(ui, () => point(null)),
      !ui.isOpen() && h("p", { class: "quiet" }, say("specials.shut")),
      callBetsOf(data).map((call) => callButtons(call, on)),
    ],
    foot: () => [
      h("div", { class: "preview", "aria-hidden": "true" }, thumbnail(data, Object.fromEntries(laid()))),
      h("p", { class: "price", "aria-live": "polite" }, price()),
      response.tree(),
    ],
    closed: () => ui.preview(null),
  });
  // With two games, keep the active one visible.
  dialog.node.classList.toggle("other-side", ui.layout.both && ui.focus() === ui.tables()[0]);
}

/**
 * @typedef {object} CallHandlers
 * @property {(at: {call: Call, way: CallVariant} | null) => void} point
 * @property {(way: CallVariant) => void} lay
 * @property {() => boolean} isOpen
 */

/** A call bet: one button, or one for every digit or number that it takes. @param {Call} call @param {CallHandlers} on */
function callButtons(call, on) {
  const chips = call.ways.map((way) => way.chips);
  const [least, most] = [Math.min(...chips), Math.max(...chips)];
  const count = least === most ? say("chips", { n: most }) : say("chips.range", { least, n: most });
  if (call.ways.length === 1) {
    const face = h("span", null, h("b", { lang: "en" }, call.label), h("small", null, count));
    return h("div", { class: "call", key: call.name }, previewButton(face, call, call.ways[0], on, { class: "row" }));
  }
  const id = `call-${call.name}`;
  const label = (/** @type {CallVariant} */ way) => ({
    key: way.said,
    "aria-label": say("specials.way", { call: call.label, of: way.of, n: way.chips }),
  });
  return h(
    "div",
    { class: "call", key: call.name, role: "group", "aria-labelledby": id },
    h("p", { id, class: "over" }, h("b", { lang: "en" }, call.label), " ", h("small", null, count)),
    h("div", { class: "keys" }, call.ways.map((way) => previewButton(way.of, call, way, on, label(way)))),
  );
}

/**
 * A button that previews its chips while it is hovered, held or focused.
 * @param {import("../../shared/render.js").Child} face @param {Call} call @param {CallVariant} way @param {CallHandlers} on
 * @param {Record<string, any>} attributes
 */
function previewButton(face, call, way, on, attributes) {
  const aim = () => on.point({ call, way });
  const leave = () => on.point(null);
  return button(face, () => on.lay(way), {
    pointerenter: aim,
    pointerdown: aim,
    focus: aim,
    pointerleave: leave,
    pointercancel: leave,
    blur: leave,
    // A long press previews the chips; the context menu would hide them.
    contextmenu: (/** @type {Event} */ event) => event.preventDefault(),
    disabled: !on.isOpen(),
    ...attributes,
  });
}

/** The chip of call bets, and the next larger or smaller one. @param {Controller} ui @param {() => void} changed */
function chipStepper(ui, changed) {
  const { chips } = ui.seated().fixture;
  const { chip: chosen } = ui.prefs.now;
  // The eraser comes before all chips.
  const at = chosen === "eraser" ? -1 : Math.max(chips.indexOf(chosen), 0);
  const chip = ui.chip();
  const step = (/** @type {number} */ by) => {
    ui.prefs.set({ chip: chips[Math.min(Math.max(at + by, 0), chips.length - 1)] });
    changed();
  };
  return h(
    "div",
    { class: "stepper" },
    h("span", null, say("chip.each")),
    button(icon("back"), () => step(-1), { "aria-label": say("chip.less"), disabled: at <= 0 }),
    h("output", { "aria-live": "polite" }, chip === "eraser" ? say("chip.none") : amount(chip)),
    button(icon("forward"), () => step(1), { "aria-label": say("chip.more"), disabled: at >= chips.length - 1 }),
  );
}
