// The tabs of a small screen, and the game switcher.

import { button, each, el, marked, shown, text } from "../shared/dom.js";
import { say, tableName } from "../shared/text.js";
import { statusText } from "./game_status.js";

/** @typedef {import("./controller.js").Controller} Controller */

const TABS = /** @type {const} */ (["table", "racetrack", "wheel", "stats"]);

/** @param {Controller} ui @param {string} shows the id of the panel they control */
export function tabs(ui, shows) {
  const made = TABS.map((tab) =>
    button(say(`tab.${tab}`), () => ui.prefs.set({ tab }), { role: "tab", "data-tab": tab, "aria-controls": shows })
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

// The switcher of a terminal with two games: which is shown, the status of each, and both.

/** @param {Controller} ui */
export function switcher(ui) {
  const games = el("div", { class: "seg", role: "group", "aria-label": say("switcher.label") });
  const both = button(say("switcher.both"), () => ui.prefs.set({ games: 2 }), { class: "both" });
  const node = el("div", { class: "switcher" }, games, both);

  const tick = () => {
    for (const made of /** @type {Iterable<HTMLElement>} */ (games.children)) {
      const name = made.dataset.key ?? "";
      const seconds = ui.seconds(name);
      const status = ui.status(name);
      text(
        made.lastElementChild,
        seconds === null ? statusText(ui, name, status) : say("seconds.short", { n: seconds }),
      );
      marked(made, "data-zone", status.zone);
    }
  };
  /** @param {boolean} canBoth whether both fit */
  const update = (canBoth) => {
    const tables = ui.tables();
    shown(node, tables.length > 1 && !ui.layout.both);
    shown(both, canBoth);
    each(
      games,
      tables,
      (name) => name,
      (name) => {
        const made = button("", () => ui.focusOn(name));
        made.append(el("b", {}, tableName(name)), el("small", {}));
        return made;
      },
      (made, name) => marked(made, "aria-pressed", String(ui.focus() === name)),
    );
    tick();
  };
  return { node, update, tick };
}
