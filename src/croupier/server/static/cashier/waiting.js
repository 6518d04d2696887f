// First signatures that wait for the second, for as long as they count.

import { each, el, shown, text } from "../kit/dom.js";
import { spanOf, wordOf } from "../staff/words.js";

/** @typedef {import("../kit/consoles.js").ProposalRow} ProposalRow */

/** @param {import("./till.js").Till} till @returns {import("../staff/desk.js").Part} */
export function waiting(till) {
  const list = el("ul", {});
  const node = el(
    "section",
    { class: "card waiting", "aria-label": "Waiting for a second signature" },
    el("h2", {}, "Waiting for a second signature"),
    list,
  );
  const update = () => {
    const rows = till.desk.view.floor?.proposals ?? [];
    shown(node, rows.length > 0);
    each(
      list,
      rows,
      ({ proposal }) => proposal,
      () => el("li", {}),
      (item, row) => text(item, wordsOf(row, till.desk.session.now())),
    );
  };
  return { node, update, tick: update };
}

/** @param {ProposalRow} row @param {number | null} now */
function wordsOf({ command, person, expires_at_us: until }, now) {
  const { type, sequence } = /** @type {{type: string, sequence?: number}} */ (command);
  const what = wordOf(type.replace(/(?<!^)([A-Z])/g, " $1").toLowerCase());
  return `${what}${sequence ? ` ${sequence}` : ""}, signed by ${person}: ${spanOf(until - (now ?? until))} left`;
}
