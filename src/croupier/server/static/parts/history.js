// The history bar: past numbers, the newest first and largest; red stands higher and black lower, so place says it too.

import { each, el, marked, shown, text } from "../kit/dom.js";
import { say } from "../kit/words.js";

/** How many numbers are ever drawn. */
const DRAWN_MOST = 24;

export function history() {
  const node = el("ol", { class: "history", "aria-label": say("history.label") });
  let drawn = "";
  /** Show as many whole numbers as there is room for. */
  const fit = () => {
    const items = /** @type {HTMLElement[]} */ ([...node.children]);
    for (const item of items) shown(item, true);
    const gap = Number.parseFloat(getComputedStyle(node).columnGap) || 0;
    let room = node.clientWidth + gap;
    const widths = items.map((item) => item.offsetWidth + gap);
    items.forEach((item, place) => {
      room -= widths[place];
      shown(item, room >= 0);
    });
  };
  new ResizeObserver(fit).observe(node);

  /**
   * @param {string[]} numbers the newest first @param {Map<string, string> | undefined} colours
   * @param {boolean} fresh whether the newest is of this round
   */
  const update = (numbers, colours, fresh) => {
    const wanted = JSON.stringify([numbers.slice(0, DRAWN_MOST), colours !== undefined]);
    marked(node, "data-fresh", fresh ? "" : null);
    if (wanted === drawn) return;
    drawn = wanted;
    each(
      node,
      numbers.slice(0, DRAWN_MOST).map((pocket, place) => ({ pocket, place })),
      ({ place }) => place,
      () => el("li", {}),
      (item, { pocket }) => {
        const colour = colours?.get(pocket) ?? "";
        text(item, pocket);
        marked(item, "data-colour", colour || null);
        marked(item, "aria-label", colour ? say("number", { pocket, colour: say(`colour.${colour}`) }) : pocket);
      },
    );
    fit();
  };
  return { node, update };
}
