// Exposure: what all chips on a table bring back, by where the ball may fall, on the numbers as they are printed.

import { each, el, marked, text } from "../kit/dom.js";

/** @typedef {import("../staff/desk.js").Desk} Desk */

/** @param {Desk} desk @param {string} name @returns {import("../staff/desk.js").Part} */
export function exposureView(desk, name) {
  const head = el("h3", {}, "What each number brings back");
  const says = el("p", {});
  const map = el("ol", { class: "heatmap", "aria-label": "What each number brings back" });
  const node = el("section", { class: "exposure" }, head, says, map);
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const exposure = view.floor?.tables?.[name]?.exposure;
    const felt = desk.felt(name);
    if (!exposure || !felt) return;
    text(head, `What each number brings back, in ${felt.currency}`);
    const { most, worst, staked, returns } = exposure;
    text(
      says,
      most === 0
        ? "No chips lie here now."
        : `${desk.amount(staked, name)} lie there: at most ${desk.amount(most, name)} back, on ${worst.join(", ")}`,
    );
    each(
      map,
      felt.cells,
      ({ pocket }) => pocket,
      (cell) => place(cell, felt.cells),
      (item, { pocket, colour }) => {
        const back = returns[pocket] ?? 0;
        marked(item, "data-worst", most > 0 && worst.includes(pocket) ? "" : null);
        item.style.setProperty("--heat", most === 0 ? "0" : String(back / most));
        // Whole units are enough on a small cell, and the heading says of what.
        text(item.lastElementChild, Math.ceil(back / 100).toLocaleString("en"));
        marked(item, "title", `${pocket} ${colour}: ${desk.amount(back, name)}`);
      },
    );
  };
  return { node, update };
}

/** @param {import("../kit/types.js").PrintedCell} cell @param {import("../kit/types.js").PrintedCell[]} cells */
function place({ pocket, colour, along, across }, cells) {
  const item = el("li", {}, el("b", { "data-colour": colour }, pocket), el("span", {}));
  const begin = Math.min(...cells.map((one) => one.along[0]));
  const top = Math.max(...cells.map((one) => one.across[1]));
  item.style.setProperty("grid-column", `${along[0] - begin + 1} / ${along[1] - begin + 1}`);
  item.style.setProperty("grid-row", `${top - across[1] + 1} / ${top - across[0] + 1}`);
  return item;
}
