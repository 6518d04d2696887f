// The tabs of a small screen, and the game switcher.

import { button, h } from "../shared/render.js";
import { tabList } from "../shared/tabs.js";
import { say, shortTableName } from "../shared/text.js";
import { statusText } from "./game_status.js";

/** @typedef {import("./controller.js").Controller} Controller */

const TABS = /** @type {const} */ (["table", "racetrack", "wheel", "stats"]);

/** The tabs, and the attributes of the panel that they control. @param {Controller} ui */
export const tabs = (ui) =>
  tabList({
    name: "play",
    label: say("tabs.label"),
    look: "tabs seg",
    tabs: TABS.map((id) => ({ id, label: say(`tab.${id}`) })),
    chosen: ui.prefs.now.tab,
    choose: (tab) => ui.prefs.set({ tab: /** @type {(typeof TABS)[number]} */ (tab) }),
  });

/**
 * The switcher of a terminal with two games: which is shown, the status of each, and both.
 * @param {Controller} ui
 */
export function switcher(ui) {
  const tables = ui.tables();
  const game = (/** @type {string} */ name) => {
    const [seconds, status] = [ui.seconds(name), ui.status(name)];
    const words = seconds === null ? statusText(ui, name, status) : say("seconds.short", { n: seconds });
    return button([h("b", null, shortTableName(name)), h("small", null, words)], () => ui.focusOn(name), {
      key: name,
      "data-table": name,
      "data-zone": status.zone,
      "aria-pressed": String(ui.focus() === name),
    });
  };
  return h(
    "div",
    { class: "switcher", hidden: tables.length < 2 || ui.layout.both, key: "switcher" },
    h("div", { class: "seg", role: "group", "aria-label": say("switcher.label") }, tables.map(game)),
    button(say("switcher.both"), () => ui.prefs.set({ games: 2 }), { class: "both", hidden: !ui.layout.fitsBoth }),
  );
}
