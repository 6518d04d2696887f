// The rounds of a table lately, each to be looked at again, corrected, taken back or disputed.

import { button, el } from "../kit/dom.js";
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
      { head: "Look again, or put right", cell: ({ round }) => deeds(desk, { table, round }) },
    ],
    key: ({ round }) => round,
    empty: "No round was played here yet.",
  });
  const node = el("section", { class: "rounds" }, el("h3", {}, "Rounds lately"), made.node);
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const { round, phase } = view.tables[table].state;
    const over = view.floor?.tables?.[table]?.rounds ?? [];
    const isOn = phase !== "between" && over[0]?.round !== round;
    made.update(isOn ? [{ ...PLAYED, round }, ...over] : over);
  };
  return { node, update };
}

/** The round that is on. @type {RoundRow} */
const PLAYED = { round: 0, status: "active", pocket: null, corrected: [], reason: "", clause: null };

/** @param {RoundRow} row */
function outcome({ status, pocket, corrected, reason, clause }) {
  if (status === "active") return "Being played.";
  const cited = clause ? ` ${clauseMark(clause)}` : "";
  if (pocket === null) return `${wordOf(status)}${reason ? `: ${wordOf(reason).toLowerCase()}` : ""}${cited}`;
  const before = corrected.length > 0 ? `, corrected from ${corrected.join(", ")}` : "";
  return `${pocket} · ${wordOf(status).toLowerCase()}${before}${cited}`;
}

/** @param {Desk} desk @param {{table: string, round: number}} which */
function deeds(desk, which) {
  const one = (/** @type {string} */ words, /** @type {() => void} */ press, /** @type {string} */ command = "") => {
    const titles = command ? titlesFor(desk, which.table, command) : null;
    return button(words, press, {
      class: "small",
      "aria-label": `${words}: round ${which.round}`,
      title: titles ? `for ${titles.join(" or ")}` : null,
      disabled: titles !== null && !desk.holds(titles),
    });
  };
  return el(
    "span",
    { class: "ways" },
    one("Replay", () => openReplay(desk, which)),
    one("Correct", () => openCorrection(desk, which), "CorrectResult"),
    one("Invalidate", () => openInvalidate(desk, which), "InvalidateOutcome"),
    one("Dispute", () => openDisputes(desk, which), "OpenDispute"),
  );
}
