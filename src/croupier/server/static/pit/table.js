// A table looked at closely: what it may have to pay, its seats, its terms now and next, and its rounds lately.

import { el, marked, text } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { phaseLook, pill, repaint } from "../staff/pill.js";
import { saysOf } from "../staff/words.js";
import { holdWords } from "./floorhold.js";
import { deedsAt } from "./tabledeeds.js";
import { exposureView } from "./tableexposure.js";
import { rightfulButton, titlesFor } from "./tablerights.js";
import { roundsView } from "./tablerounds.js";
import { seatsView } from "./tableseats.js";
import { termsView } from "./tableterms.js";
import { secondsOf, WHEELS } from "./tablewords.js";

/** @typedef {import("../staff/desk.js").Desk} Desk */

/** @param {Desk} desk @param {string} name */
export function openTable(desk, name) {
  if (!desk.view.tables[name]) return;
  const top = summary(desk, name);
  const left = [exposureView(desk, name), roundsView(desk, name)];
  const right = [seatsView(desk, name), termsView(desk, name)];
  const deeds = el("div", { class: "ways", role: "group", "aria-label": `What can be done at table ${name}` });
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    if (!view.tables[name]) return;
    top.update(view);
    for (const each of [...left, ...right]) each.update(view);
    paintDeeds(deeds, desk, name);
  };
  openSheet({
    name: "table",
    title: `Table ${name}`,
    look: "wide",
    body: [
      top.node,
      el("div", { class: "columns" }, ...[left, right].map((views) => el("div", {}, ...views.map(({ node }) => node)))),
    ],
    foot: [deeds],
    update,
    tick: top.tick,
  });
  update(desk.view);
}

/** How it stands, in one line. @param {Desk} desk @param {string} name */
function summary(desk, name) {
  const phase = el("span", {}, pill({ says: "" }));
  const about = el("span", {});
  const hold = el("p", { class: "quiet" });
  const node = el("div", { class: "summary" }, el("p", {}, phase, about), hold);
  const tick = () => {
    const state = desk.view.tables[name]?.state;
    if (!state) return;
    const left = secondsOf(desk, state);
    repaint(phase, { says: left === null ? saysOf(state) : `${saysOf(state)} ${left} s`, look: phaseLook(state) });
  };
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const { state } = view.tables[name];
    const takings = view.floor?.tables?.[name]?.takings;
    text(about, `Round ${state.round} · ${desk.felt(name)?.venue ?? ""} · ${WHEELS[state.wheel]} · ${state.rulebook}`);
    text(hold, takings ? holdWords(desk, name, takings) : "");
    marked(hold, "title", takings?.method);
    tick();
  };
  return { node, update, tick };
}

/** Drawn anew only when the table was closed or opened, so that nobody loses the place.
 * @param {HTMLElement} host @param {Desk} desk @param {string} name */
function paintDeeds(host, desk, name) {
  const { state } = desk.view.tables[name];
  const wanted = String(Boolean(state.closed));
  if (host.dataset.closed === wanted) return;
  host.dataset.closed = wanted;
  host.replaceChildren(
    ...deedsAt(desk, state).map(({ command, grave, ...deed }) =>
      rightfulButton(desk, { ...deed, titles: titlesFor(desk, name, command), looks: grave ? "grave small" : "small" }),
    ),
  );
}
