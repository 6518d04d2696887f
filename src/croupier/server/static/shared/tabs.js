// Tabs: one of several panels is shown. Arrow keys go from tab to tab, and one of them is a stop of the Tab key.

import { h } from "./render.js";

/** The step of each key, in a page that is read from left to right. @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * The keys of a list of which one element has the focus: an arrow key goes to the next, Home and End to the ends.
 * @param {KeyboardEvent} event @param {string} selector of the elements in the list
 */
function roveFocus(event, selector) {
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll(selector)]).filter((one) =>
    !one.matches(":disabled")
  );
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const isMirrored = getComputedStyle(list).direction === "rtl" && /Left|Right/.test(event.key);
  const step = (STEPS[event.key] ?? 0) * (isMirrored ? -1 : 1);
  const next = event.key === "Home"
    ? all[0]
    : event.key === "End"
    ? all.at(-1)
    : step && at >= 0
    ? all[(at + step + all.length) % all.length]
    : null;
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
}

/**
 * A list of tabs, and the attributes of the panel that the chosen one shows.
 * @param {{name: string, tabs: {id: string, label: import("./render.js").Child}[], chosen: string, choose: (id: string) => void, look: string,
 *   label?: string}} shown
 */
export function tabList({ name, tabs, chosen, choose, look, label }) {
  const list = h(
    "div",
    {
      class: look,
      role: "tablist",
      "aria-label": label,
      keydown: (/** @type {KeyboardEvent} */ event) => roveFocus(event, "[role=tab]"),
    },
    tabs.map(({ id, label: words }) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          key: id,
          id: `${name}-tab-${id}`,
          "data-tab": id,
          click: () => choose(id),
          "aria-selected": String(id === chosen),
          "aria-controls": `${name}-panel`,
          tabindex: id === chosen ? "0" : "-1",
        },
        words,
      )
    ),
  );
  return { list, panel: { role: "tabpanel", id: `${name}-panel`, "aria-labelledby": `${name}-tab-${chosen}` } };
}
