// The switcher of a terminal with two games: which of them is shown, how each stands, and both.

import { button, each, el, marked, shown, text } from "../kit/dom.js";
import { say } from "../kit/words.js";
import { momentWords } from "./message.js";

/** @typedef {import("./ui.js").Ui} Ui */

/** @param {Ui} ui */
export function switcher(ui) {
  const games = el("div", { class: "seg", role: "group", "aria-label": say("switcher.label") });
  const both = button(say("switcher.both"), () => ui.prefs.set({ games: 2 }), { class: "both" });
  const node = el("div", { class: "switcher" }, games, both);

  const tick = () => {
    for (const made of /** @type {Iterable<HTMLElement>} */ (games.children)) {
      const name = made.dataset.key ?? "";
      const seconds = ui.seconds(name);
      const moment = ui.moment(name);
      text(
        made.lastElementChild,
        seconds === null ? momentWords(ui, name, moment) : say("seconds.short", { n: seconds }),
      );
      marked(made, "data-zone", moment.zone);
    }
  };
  /** @param {boolean} canBoth whether there is room for both */
  const update = (canBoth) => {
    const tables = ui.tables();
    shown(node, tables.length > 1 && !ui.shows.both);
    shown(both, canBoth);
    each(
      games,
      tables,
      (name) => name,
      (name) => {
        const made = button("", () => ui.focusOn(name));
        made.append(el("b", {}, name), el("small", {}));
        return made;
      },
      (made, name) => marked(made, "aria-pressed", String(ui.focus() === name)),
    );
    tick();
  };
  return { node, update, tick };
}
