// The tabs of a small screen: the felt, the racetrack, the wheel and the statistics, one at a time.

import { button, el, marked } from "../kit/dom.js";
import { say } from "../kit/words.js";

const TABS = /** @type {const} */ (["table", "racetrack", "wheel", "stats"]);

/** @typedef {import("./ui.js").Ui} Ui */

/** @param {Ui} ui @param {string} shows the id of what they show */
export function tabs(ui, shows) {
  const made = TABS.map((tab) =>
    button(say(`tab.${tab}`), () => ui.prefs.set({ tab }), { role: "tab", "data-tab": tab, "aria-controls": shows }),
  );
  const node = el("div", { class: "tabs seg", role: "tablist", "aria-label": say("tabs.label") }, ...made);
  node.addEventListener("keydown", (event) => {
    const forward = document.documentElement.dir === "rtl" ? -1 : 1;
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: forward, ArrowDown: 1, ArrowLeft: -forward, ArrowUp: -1 };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (TABS.indexOf(ui.prefs.now.tab) + step + TABS.length) % TABS.length;
    ui.prefs.set({ tab: TABS[next] });
    made[next].focus();
  });
  const update = () => {
    for (const one of made) {
      const isChosen = one.dataset.tab === ui.prefs.now.tab;
      marked(one, "aria-selected", String(isChosen));
      marked(one, "tabindex", isChosen ? "0" : "-1");
    }
  };
  return { node, update };
}
