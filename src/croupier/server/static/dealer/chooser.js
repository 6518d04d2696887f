// The chooser: which table is dealt at this console, where the house has several and the address names none.

import { button, each, el, marked, shown, text } from "../kit/dom.js";
import { saysOf } from "../staff/words.js";

/** @param {import("./deal.js").Deal} deal @returns {import("../staff/desk.js").Part} */
export function chooser(deal) {
  const node = el("nav", { class: "chooser", "aria-label": "Tables" });
  const one = (/** @type {string} */ table) =>
    button(el("b", {}, `Table ${table}`), () => deal.choose(table), { class: "table" });
  return {
    node,
    update: (view) => {
      const several = deal.tables.length > 1 && deal.desk.session.wanted.table === undefined;
      shown(node, several);
      each(node, several ? deal.tables : [], (table) => table, one, (tab, table) => {
        const state = view.tables[table]?.state;
        marked(tab, "aria-current", table === deal.table ? "true" : null);
        if (tab.childElementCount === 1) tab.append(el("small", {}));
        text(tab.lastElementChild, state ? saysOf(state) : "");
      });
    },
  };
}
