// The buttons: what can be done with the chips, drawn from the deeds; a small screen has the first few and the rest in
// its menu.

import { button, each, el, enabled, marked, text } from "../kit/dom.js";
import { icon } from "../kit/icon.js";
import { say } from "../kit/words.js";

/** @typedef {import("./deeds.js").Deed} Deed */

/** @param {Deed[]} deeds @param {() => void} more opens what a small screen has no room for */
export function actions(deeds, more) {
  const node = el("div", { class: "actions", role: "group", "aria-label": say("actions.label") });
  /** @type {Deed} */
  const menu = { id: "more", icon: "menu", words: () => say("action.more"), press: more, small: true };

  const make = (/** @type {Deed} */ deed) => {
    const made = button("", deed.press, { class: `act${deed.main ? " main" : ""}`, "data-act": deed.id });
    made.append(icon(deed.icon ?? deed.id), el("span", {}));
    return made;
  };
  /** @param {boolean} small */
  const update = (small) => {
    const offered = deeds.filter((deed) => (deed.there?.() ?? true) && (!small || deed.small));
    const shown = small ? [...offered, menu] : offered;
    node.style.setProperty("--columns", String(small ? shown.length : Math.ceil(shown.length / 2)));
    each(
      node,
      shown,
      (deed) => deed.id,
      make,
      (made, deed) => {
        const [words, about] = [deed.words(), deed.about?.() ?? ""];
        text(made.lastElementChild, words);
        marked(made, "aria-label", words.includes(about) ? null : say("action.about", { about, words }));
        enabled(made, deed.can?.() ?? true);
        marked(made, "aria-pressed", deed.on ? String(deed.on()) : null);
      },
    );
  };
  return { node, update };
}
