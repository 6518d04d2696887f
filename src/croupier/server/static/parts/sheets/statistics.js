// The statistics: what came at the table in focus, held against what is expected. They say nothing of the next spin.

import { el, shown, text } from "../../kit/dom.js";
import { openSheet } from "../../kit/sheet.js";
import { say } from "../../kit/words.js";
import { toggle } from "./choice.js";
import { tally } from "./tally.js";
import { GROUPS, groupRow, plates } from "./tallyrows.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui */
export function openStatistics(ui) {
  const spins = el("p", { class: "spins", role: "status" });
  const drawn = el("div", { class: "tally" });
  const heat = toggle(
    say("stats.heat"),
    () => ui.prefs.now.heat,
    (on) => ui.prefs.set({ heat: on }),
  );
  /** What is drawn: the tally, and the felt it has its colours from. @type {[unknown, unknown]} */
  let shows = [null, null];
  const update = (/** @type {any} */ view) => {
    heat.update();
    const table = ui.focus();
    const told = tally(table, view.tables[table]?.state, () => ui.session.redraw());
    text(spins, told ? say("stats.spins", { n: told.spins }) : say("stats.coming"));
    const data = ui.data(table);
    if (!told || (told === shows[0] && data === shows[1])) return;
    shows = [told, data];
    drawn.replaceChildren(...(told.spins > 0 ? sections(told, data) : []));
    shown(drawn, told.spins > 0);
  };
  openSheet({
    name: "statistics",
    title: say("stats.title"),
    look: "wide",
    body: [spins, el("p", { class: "odds-stay" }, say("stats.odds")), drawn],
    foot: [heat.node],
    update,
  });
  update(ui.view());
}

/** @param {import("./tally.js").Tally} told @param {any} data */
function sections(told, data) {
  const found = new Map(told.groups.map((group) => [group.group, group]));
  const rows = GROUPS.flatMap(([name, words]) => {
    const group = found.get(name);
    return group ? [groupRow(group, say(words), told.spins)] : [];
  });
  return [
    el(
      "div",
      { class: "heat" },
      el("h3", {}, say("stats.hot")),
      plates(told.hot, data, told),
      el("h3", {}, say("stats.cold")),
      plates(told.cold, data, told),
    ),
    el("ul", { class: "groups" }, ...rows),
    el("p", { class: "quiet" }, say("stats.band")),
  ];
}
