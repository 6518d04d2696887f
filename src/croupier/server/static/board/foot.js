// The foot: the phase of a table in the words of its rules, how long betting goes on, and which result counts.

import { secondsLeft, zone } from "../kit/clock.js";
import { el, marked, shown, text } from "../kit/dom.js";
import { BETTING } from "../kit/store.js";
import { phaseLook } from "../staff/pill.js";
import { clauseMark, saysOf } from "../staff/words.js";
import { fetched } from "./fetched.js";

/** @typedef {import("../kit/types.js").TableState} TableState */

/** The phase of a table, with the seconds that are left. @returns {{node: HTMLElement, update: (table: TableState
 *   | undefined, now: number | null) => void}} */
export function phase() {
  const says = el("span", { class: "says" });
  const left = el("span", { class: "left", role: "timer", "aria-live": "off" });
  const node = el("p", { class: "phase" }, el("i", {}), says, left);
  /** @param {TableState | undefined} table @param {number | null} now */
  const update = (table, now) => {
    const seconds = table && BETTING.has(table.phase) && !table.closed ? secondsLeft(table.closes_at, now) : null;
    text(says, table ? saysOf(table) : "Connecting…");
    marked(node, "data-look", table ? phaseLook(table) : "calm");
    text(left, seconds === null ? "" : `${seconds} s`);
    marked(left, "data-zone", seconds === null ? null : zone(seconds));
    shown(left, seconds !== null);
  };
  return { node, update };
}

/** What the rules of a table say on which result counts where a display differs, in the venue's words.
 * @param {string} rulebook @param {() => void} arrived @returns {string} */
export function counts(rulebook, arrived) {
  const rules = fetched(`rules/${encodeURIComponent(rulebook)}.json`, "rules", arrived);
  const clause = rules?.clauses.find((/** @type {{clause: string}} */ one) => one.clause === rules.authority);
  return clause ? `${clause.says} ${clauseMark(clause.clause)}` : "";
}
