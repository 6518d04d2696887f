// The chip stepper: which chip a sheet lays with, one up or one down.

import { button, el, enabled, text } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { amount } from "../../kit/money.js";
import { say } from "../../kit/words.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui @param {() => void} changed */
export function chipStepper(ui, changed) {
  const shows = el("output", { "aria-live": "polite" });
  const step = (/** @type {number} */ by) => {
    const { chips } = ui.view().fixture;
    ui.prefs.set({ chip: chips[clamp(place(ui, chips) + by, chips.length)] });
    update(ui.view());
    changed();
  };
  const less = button(icon("back"), () => step(-1), { "aria-label": say("chip.less") });
  const more = button(icon("forward"), () => step(1), { "aria-label": say("chip.more") });
  const node = el("div", { class: "stepper" }, el("span", {}, say("chip.each")), less, shows, more);

  /** @param {any} view */
  const update = ({ fixture }) => {
    const at = place(ui, fixture.chips);
    const chip = ui.chip();
    text(shows, chip === "eraser" ? say("chip.none") : amount(chip));
    enabled(less, at > 0);
    enabled(more, at < fixture.chips.length - 1);
  };
  return { node, update };
}

/** Where the chosen chip is among those on offer; an eraser comes before them all.
 * @param {Ui} ui @param {number[]} chips */
function place(ui, chips) {
  const { chip } = ui.prefs.now;
  return chip === "eraser" ? -1 : Math.max(chips.indexOf(chip), 0);
}

/** @param {number} place @param {number} length */
const clamp = (place, length) => Math.min(Math.max(place, 0), length - 1);
