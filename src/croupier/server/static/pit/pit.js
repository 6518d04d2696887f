// The pit's console: every table of the house, what waits for somebody, and the journal of it all.

import { debtsPart } from "../staff/debts.js";
import { journalPart } from "../staff/journal.js";
import { floorPart } from "./floor.js";
import { GRAVE } from "./needscard.js";
import { needsPart } from "./needs.js";
import { hearKeys } from "./terminaldevices.js";
import { hearSlips } from "./terminalslip.js";

/** @typedef {import("../staff/pill.js").Pill} Pill */

/** @param {import("../staff/desk.js").Desk} desk @returns {import("../staff/console.js").Furniture} */
export function pit(desk) {
  hearKeys(desk);
  hearSlips(desk);
  const debts = debtsPart(({ payable }) => (payable > 0 ? "Paid at the cashier" : ""));
  const parts = [floorPart(desk), needsPart(desk), debts, journalPart(desk, { about: "significant" })];
  return { title: () => "Pit and shift manager", pills, parts };
}

/** How the floor stands. @param {import("../kit/store.js").State} view @returns {Pill[]} */
function pills({ tables, floor }) {
  const open = Object.values(tables).filter(({ state }) => !state.closed).length;
  const needs = floor?.needs ?? [];
  const waiting = needs.length + (floor?.needs_more ?? 0);
  const look = waiting === 0 ? "calm" : needs.some(({ kind }) => GRAVE.has(kind)) ? "stop" : "warn";
  return [
    { key: "open", says: open === 1 ? "1 table open" : `${open} tables open`, look: open > 0 ? "ok" : "calm" },
    {
      key: "needs",
      says: waiting === 0 ? "Nothing waits" : waiting === 1 ? "1 needs action" : `${waiting} need action`,
      look,
    },
  ];
}
