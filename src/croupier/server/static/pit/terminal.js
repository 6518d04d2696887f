// A terminal looked at closely: its money and meters, and all that staff can do about it.

import { el, text } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { pill } from "../staff/pill.js";
import { spanOf } from "../staff/words.js";
import { rightfulButton, titlesFor } from "./tablerights.js";
import { terminalDeeds } from "./terminaldeeds.js";
import { metersView } from "./terminalmeters.js";
import { marksOf } from "./terminalwords.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {{table: string, terminal: string}} Where
 */

/** @param {Desk} desk @param {Where} where */
export function openTerminal(desk, where) {
  const { table, terminal } = where;
  const facts = factList(["Credit", "Staked", "Held", "Spins sat out", "Link"]);
  const marks = el("p", { class: "pills" });
  const deeds = el("div", { class: "ways", role: "group", "aria-label": `What can be done at terminal ${terminal}` });
  const meters = metersView(desk, where);
  const seat = () => desk.view.floor?.tables?.[table]?.seats.find((row) => row.terminal === terminal);
  const tick = () => {
    const row = seat();
    const now = desk.session.now();
    if (!row) return;
    const gone = row.lost_at_us !== null && now !== null ? `gone for ${spanOf(now - row.lost_at_us)}` : "gone";
    facts.say("Link", row.dark ? gone : "there");
  };
  const update = () => {
    const row = seat();
    if (!row) return;
    facts.say("Credit", desk.amount(row.credit, table));
    facts.say("Staked", desk.amount(row.staked, table));
    facts.say("Held", desk.amount(row.held, table));
    facts.say("Spins sat out", String(row.idle));
    tick();
    const shows = JSON.stringify([marksOf(row), row.closed, row.straight_only]);
    if (marks.dataset.shows === shows) return;
    marks.dataset.shows = shows;
    marks.replaceChildren(...marksOf(row).map(pill));
    deeds.replaceChildren(
      ...terminalDeeds(desk, where, row).map(({ command, grave, ...deed }) =>
        rightfulButton(desk, { ...deed, titles: titlesFor(desk, table, command), looks: grave ? "grave" : "" }),
      ),
    );
  };
  openSheet({
    name: "terminal",
    title: `Terminal ${terminal}`,
    body: [marks, facts.node, deeds, meters],
    update,
    tick,
  });
  update();
}

/** A list of facts whose values change. @param {string[]} names */
export function factList(names) {
  const values = new Map(names.map((name) => [name, el("dd", {})]));
  const node = el("dl", { class: "pairs" }, ...[...values].flatMap(([name, value]) => [el("dt", {}, name), value]));
  return {
    node,
    say: (/** @type {string} */ name, /** @type {string} */ value) => text(values.get(name) ?? null, value),
  };
}
