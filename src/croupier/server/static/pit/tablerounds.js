// The rounds of a table lately, each to be looked at again, corrected, taken back or disputed.

import { button, each, el } from "../kit/dom.js";
import { grid } from "../staff/grid.js";
import { openReplay } from "../staff/replay.js";
import { clauseMark, wordOf } from "../staff/words.js";
import { openCorrection } from "./correction.js";
import { openDisputes } from "../staff/disputes.js";
import { openInvalidate } from "./invalidate.js";
import { titlesFor } from "./tablerights.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").RoundRow} RoundRow
 */

/** @param {Desk} desk @param {string} table @returns {import("../staff/desk.js").Part} */
export function roundsView(desk, table) {
  const made = grid({
    label: `Rounds of table ${table}`,
    columns: [
      { head: "Round", cell: (/** @type {RoundRow} */ { round }) => round },
      { head: "What came of it", cell: outcome },
      { head: "Look again, or put right", cell: ({ round }) => deeds(desk, { table, round }, DEEDS) },
    ],
    key: ({ round }) => round,
    empty: "No round was played here yet.",
  });
  const running = el("div", { class: "running" });
  const node = el("section", { class: "rounds" }, el("h3", {}, "Rounds lately"), running, made.node);
  let newest = 0;
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const { round, phase } = view.tables[table].state;
    const over = view.floor?.tables?.[table]?.rounds ?? [];
    const isOn = phase !== "between" && over[0]?.round !== round;
    each(running, isOn ? [round] : [0], Number, (number) => runningRow(desk, table, number));
    // No row moves from under a pointer: what is over meanwhile comes in once it has gone.
    if (!made.node.matches(":hover")) newest = over[0]?.round ?? 0;
    made.update(over.filter((row) => row.round <= newest));
  };
  made.node.addEventListener("pointerleave", () => update(desk.view));
  return { node, update };
}

/** The round that is on stands apart from those that are over.
 * @param {Desk} desk @param {string} table @param {number} round or 0 where none is on */
const runningRow = (desk, table, round) =>
  el(
    "p",
    {},
    el("span", {}, round === 0 ? "No round is on." : `Round ${round} is being played.`),
    round === 0 ? null : deeds(desk, { table, round }, DEEDS.filter(({ command }) => !SETTLED.has(command))),
  );

/** @param {RoundRow} row */
function outcome({ status, pocket, corrected, reason, clause, seen }) {
  const cited = clause ? ` ${clauseMark(clause)}` : "";
  const saw = seen.length > 0 ? `; sensors saw ${seen.join("; ")}` : "";
  if (pocket === null) return `${wordOf(status)}${reason ? `: ${wordOf(reason).toLowerCase()}` : ""}${cited}${saw}`;
  const before = corrected.length > 0 ? `, corrected from ${corrected.join(", ")}` : "";
  return `${pocket} · ${wordOf(status).toLowerCase()}${before}${cited}`;
}

/** @type {{words: string, open: (desk: Desk, which: {table: string, round: number}) => void, command: string}[]} */
const DEEDS = [
  { words: "Replay", open: openReplay, command: "" },
  { words: "Correct", open: openCorrection, command: "CorrectResult" },
  { words: "Invalidate", open: openInvalidate, command: "InvalidateOutcome" },
  { words: "Dispute", open: openDisputes, command: "OpenDispute" },
];
/** What can be done only about a round that has an outcome. */
const SETTLED = new Set(["CorrectResult", "InvalidateOutcome"]);

/** @param {Desk} desk @param {{table: string, round: number}} which @param {typeof DEEDS} offered */
function deeds(desk, which, offered) {
  const one = (/** @type {typeof DEEDS[number]} */ { words, open, command }) => {
    const titles = command ? titlesFor(desk, which.table, command) : null;
    return button(words, () => open(desk, which), {
      class: "small",
      "aria-label": `${words}: round ${which.round}`,
      title: titles ? `for ${titles.join(" or ")}` : null,
      disabled: titles !== null && !desk.holds(titles),
    });
  };
  return el("span", { class: "ways" }, ...offered.map(one));
}
