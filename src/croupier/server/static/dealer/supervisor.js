// The supervisor: a word to the pit, which shows there until somebody has seen to it; the round may wait for it.

import { askSheet } from "../staff/askform.js";

/** @typedef {import("./deal.js").Deal} Deal */

/** What a dealer mostly calls for, as the pit reads it. */
const MATTERS = [
  "A player needs somebody",
  "A payment is in doubt",
  "Something is wrong with the wheel or the ball",
  "Somebody is to come here",
];

/** @param {Deal} deal @param {string} [words] to begin with */
export function callSupervisor(deal, words = "") {
  const { state, table } = deal;
  if (!state) return;
  /** @type {[string, string][]} */
  const choices = MATTERS.map((one) => [one, one]);
  const held = state.phase !== "between" && state.phase !== "suspended";
  askSheet({
    name: "supervisor",
    title: "Call supervisor",
    look: "middle",
    fields: [
      { name: "matter", label: "What is it about?", kind: "pick", choices, optional: words !== "" },
      { name: "words", label: "In your words", kind: "words", optional: words === "", value: words },
      ...(held ? [HOLDS] : []),
    ],
    does: "Call",
    send: ({ matter, words: said, holds = false }) => {
      const told = [matter, said].filter(Boolean).join(": ");
      if (holds) return deal.ask({ type: "ReferRound", table, words: told });
      return deal.ask({ type: "NoteIncident", subject: table, words: told });
    },
  });
}

/** @type {import("../staff/askform.js").Field} */
const HOLDS = { name: "holds", label: "Hold the round until it is decided: nothing moves until then", kind: "tick" };
