// Call bets and their chip stepper.

import { thumbnail } from "../../felt/chips.js";
import { openDialog } from "../../shared/dialog.js";
import { button, each, el, enabled, icon, shown, text } from "../../shared/dom.js";
import { say } from "../../shared/text.js";
import { callBetsOf } from "../calls.js";
import { reply } from "./response.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/types/wire.js").OfferedCall} Call
 * @typedef {import("../../shared/types/wire.js").CallVariant} CallVariant
 */

/** @param {Controller} ui */
export function openCallBets(ui) {
  const data = ui.data(ui.focus());
  if (!data) return;
  const response = reply();
  const price = el("p", { class: "price", "aria-live": "polite" });
  const small = el("div", { class: "preview", "aria-hidden": "true" });
  const chips = chipStepper(ui, () => point(null));
  const shut = el("p", { class: "quiet" }, say("specials.shut"));

  /** @param {{call: Call, way: CallVariant} | null} at */
  const point = (at) => {
    const chip = ui.chip();
    const laid = at && chip !== "eraser" ? at.way.pieces.map(([spot, pieces]) => stakeOn(spot, pieces * chip)) : null;
    ui.preview(laid);
    small.replaceChildren(thumbnail(data, Object.fromEntries(laid ?? [])));
    text(price, at && chip !== "eraser" ? priceWords(at.call, at.way, chip) : say("specials.hint"));
  };
  const lay = (/** @type {CallVariant} */ way) => response.await(ui.call(ui.focus(), way));
  const calls = callBetsOf(data).map((call) => callButtons(call, { point: (way) => point(way && { call, way }), lay }));
  const update = (/** @type {TerminalView} */ view) => {
    const open = ui.isOpen();
    shown(shut, !open);
    for (const control of calls.flatMap((one) => [...one.querySelectorAll("button")]))
      enabled(control, open && ui.chip() !== "eraser");
    chips.update(view);
    response.update(view);
  };
  const dialog = openDialog({
    name: "specials",
    title: say("specials.title"),
    look: "side",
    body: [chips.node, shut, ...calls],
    foot: [small, price, response.node],
    update,
    closed: () => ui.preview(null),
  });
  // With two games, keep the active one visible.
  dialog.node.classList.toggle("other-side", ui.layout.both && ui.focus() === ui.tables()[0]);
  point(null);
  update(ui.seated());
}

/** @param {string} spot @param {number} cents @returns {[string, number]} */
const stakeOn = (spot, cents) => [spot, cents];

/** @param {Call} call @param {CallVariant} way @param {number} chip */
const priceWords = (call, way, chip) =>
  say("specials.price", {
    call: `${call.label} ${way.of}`.trim(),
    n: way.chips,
    total: amount(way.chips * chip),
  });

/**
 * A call bet: one button, or one for every digit or number that it takes.
 * @param {Call} call @param {{point: (way: CallVariant | null) => void, lay: (way: CallVariant) => void}} on
 */
function callButtons(call, on) {
  const chips = call.ways.map((way) => way.chips);
  const [least, most] = [Math.min(...chips), Math.max(...chips)];
  const count = least === most ? say("chips", { n: most }) : say("chips.range", { least, n: most });
  if (call.ways.length === 1) {
    const words = el("span", {}, el("b", { lang: "en" }, call.label), el("small", {}, count));
    return el("div", { class: "call" }, previewButton(words, call.ways[0], on, { class: "row" }));
  }
  const id = `call-${call.name}`;
  const keys = el("div", { class: "keys" });
  each(
    keys,
    call.ways,
    (way) => way.said,
    (way) =>
      previewButton(way.of, way, on, {
        "aria-label": say("specials.way", { call: call.label, of: way.of, n: way.chips }),
      }),
  );
  const heading = el("p", { id, class: "over" }, el("b", { lang: "en" }, call.label), " ", el("small", {}, count));
  return el("div", { class: "call", role: "group", "aria-labelledby": id }, heading, keys);
}

/**
 * A button that previews its chips while it is hovered, held or focused.
 * @param {Node | string} words @param {CallVariant} way @param {{point: (way: CallVariant | null) => void, lay: (way: CallVariant) => void}} on
 * @param {object} attributes
 */
function previewButton(words, way, on, attributes) {
  const aim = () => on.point(way);
  const leave = () => on.point(null);
  const at = {
    pointerenter: aim,
    pointerdown: aim,
    focus: aim,
    pointerleave: leave,
    pointercancel: leave,
    blur: leave,
  };
  // A long press previews the chips; the context menu would hide them.
  return button(words, () => on.lay(way), {
    ...at,
    contextmenu: (/** @type {Event} */ e) => e.preventDefault(),
    ...attributes,
  });
}

// The chip stepper: the next larger or smaller chip.

/** @param {Controller} ui @param {() => void} changed */
function chipStepper(ui, changed) {
  const shows = el("output", { "aria-live": "polite" });
  const step = (/** @type {number} */ by) => {
    const { chips } = ui.seated().fixture;
    ui.prefs.set({ chip: chips[clamp(place(ui, chips) + by, chips.length)] });
    update(ui.seated());
    changed();
  };
  const less = button(icon("back"), () => step(-1), { "aria-label": say("chip.less") });
  const more = button(icon("forward"), () => step(1), { "aria-label": say("chip.more") });
  const node = el("div", { class: "stepper" }, el("span", {}, say("chip.each")), less, shows, more);

  /** @param {TerminalView} view */
  const update = ({ fixture }) => {
    const at = place(ui, fixture.chips);
    const chip = ui.chip();
    text(shows, chip === "eraser" ? say("chip.none") : amount(chip));
    enabled(less, at > 0);
    enabled(more, at < fixture.chips.length - 1);
  };
  return { node, update };
}

/** The index of the chosen chip; the eraser comes before all chips. @param {Controller} ui @param {number[]} chips */
function place(ui, chips) {
  const { chip } = ui.prefs.now;
  return chip === "eraser" ? -1 : Math.max(chips.indexOf(chip), 0);
}

/** @param {number} place @param {number} length */
const clamp = (place, length) => Math.min(Math.max(place, 0), length - 1);
