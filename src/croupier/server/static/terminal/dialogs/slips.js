// The slips of this browser, in a demonstration: they stay until they are put in again or removed.

import { openDialog } from "../../shared/dialog.js";
import { button, each, el, shown, svg, text } from "../../shared/dom.js";
import { money } from "../../shared/money.js";
import { isReady } from "../../shared/store.js";
import { locale, say } from "../../shared/text.js";
import { barsOf } from "../barcode.js";
import { clockOf } from "../times.js";
import { keptSlips, removeSlip } from "../slip_store.js";
import { reply } from "./response.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../slip_store.js").KeptSlip} KeptSlip
 */

/** @param {Controller} ui */
export function openSlips(ui) {
  const response = reply();
  const list = el("ul", { class: "slips" });
  const none = el("p", { class: "quiet" }, say("slips.none"));
  const total = el("p", { class: "quiet" });
  const draw = () => {
    const slips = keptSlips(localStorage);
    shown(none, slips.length === 0);
    text(total, slips.length > 0 ? say("slips.stay") : "");
    each(
      list,
      slips,
      ({ number }) => number,
      (slip) => slipRow(ui, slip, response, draw),
    );
  };
  openDialog({
    name: "slips",
    title: say("slips.title"),
    body: [response.node, none, list, total],
    update: (/** @type {TerminalView} */ view) => response.update(view),
  });
  draw();
}

/** @param {Controller} ui @param {KeptSlip} slip @param {ReturnType<typeof reply>} response @param {() => void} changed */
function slipRow(ui, slip, response, changed) {
  const gone = () => {
    removeSlip(localStorage, slip.number);
    changed();
  };
  const put = button(
    say("slips.put-in"),
    () => isReady(ui.view()) && response.await(ui.session.sendRequest("ticket_in", { number: slip.number }), gone),
    { class: "main" },
  );
  const isTaken =
    slip.currency === ui.view().fixture?.currency && Boolean(ui.view().fixture?.tickets ?? ui.data()?.tickets);
  const words = el(
    "p",
    {},
    el("b", {}, el("bdi", {}, money(slip.amount, slip.currency, locale()))),
    el("span", {}, `${clockOf(slip.issued_at_us)} · ${slip.terminal}`),
  );
  const keys = el("div", { class: "row" }, ...(isTaken ? [put] : []), button(say("slips.remove"), gone));
  return el("li", {}, barcode(slip.number), words, keys);
}

const HIGH = 26;
/** The quiet zone beside the bars. */
const QUIET = 10;

/** @param {string} digits */
export function barcode(digits) {
  const bars = barsOf(digits);
  const [last, width] = bars[bars.length - 1];
  const wide = last + width + 2 * QUIET;
  const drawn = bars.map(([at, bar]) => `M${at + QUIET} 0h${bar}v${HIGH}h-${bar}z`).join("");
  return svg(
    "svg",
    {
      class: "barcode",
      viewBox: `0 -4 ${wide} ${HIGH + 8}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": digits,
    },
    svg("rect", { y: -4, width: wide, height: HIGH + 8, fill: "#fff" }),
    svg("path", { d: drawn, fill: "#0b0b0b" }),
  );
}
