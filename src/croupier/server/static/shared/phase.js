// The phase of a table in words, and how it looks.

import { say } from "./text.js";

/**
 * The message of a table: the text of its rules where they prescribe it, ours otherwise.
 * @param {import("./types/wire.js").TableState} table
 */
export function tableMessage(table) {
  if (table.closed && table.phase === "between") return say("phase.table_closed");
  return (table.phase !== "suspended" && table.says) || say(`phase.${table.phase}`);
}

/**
 * The pill look of a table's phase.
 * @param {import("./types/wire.js").TableState} table @returns {"ok" | "warn" | "stop" | "calm"}
 */
export function phaseLook({ phase, closed }) {
  if (phase === "suspended" || phase === "no_spin") return "stop";
  if (phase === "open" || phase === "open_running") return "ok";
  return closed || phase === "between" ? "calm" : "warn";
}
