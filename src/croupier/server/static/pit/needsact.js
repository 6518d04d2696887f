// Acting on a need: what is asked for as it is, or after the facts that it lacks were given.

import { el } from "../kit/dom.js";
import { askSheet } from "../staff/askform.js";
import { citing } from "../staff/words.js";
import { openCorrection } from "./correction.js";
import { fieldFor } from "./needsfields.js";
import { LABELS, MEANS, titleOf } from "./needswords.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").Need} Need
 * @typedef {import("../kit/consoles.js").Action} Action
 * @typedef {Record<string, any>} Command
 */

/** What is done at a touch: it can be done again, or undone. */
const AT_ONCE = new Set(["clear", "reopen", "advise"]);
const CANNOT_BE_TAKEN_BACK = new Set(["void", "void_bets", "no_spin", "malfunction"]);

/** @param {Desk} desk @param {Need} need @param {Action} action */
export function act(desk, need, { label, command, asks, dual }) {
  const wanted = /** @type {Command} */ (command);
  if (label === "correct") return openCorrection(desk, { table: wanted.table, round: wanted.round });
  if (AT_ONCE.has(label) && asks.length === 0) return atOnce(desk, wanted);
  askSheet({
    name: "act",
    title: plain(label),
    about: [
      el("p", {}, el("b", {}, titleOf(need)), ". ", citing(need)),
      ...(MEANS[label] ? [el("p", {}, MEANS[label])] : []),
      ...(wanted.digest
        ? [el("p", { class: "digest" }, "What the records have, in short: ", el("code", {}, wanted.digest))]
        : []),
    ],
    fields: asks.map((name) => fieldFor(desk, { name, label, table: need.table })),
    does: dual ? "Sign it" : plain(label),
    dual,
    grave: CANNOT_BE_TAKEN_BACK.has(label),
    send: (given) => send(desk, wanted, given),
  });
}

/** What is done at a touch has no sheet to be answered in. @param {Desk} desk @param {Command} command */
async function atOnce(desk, command) {
  const { refusal } = await send(desk, command, {});
  desk.tell(refusal);
}

/** A message of its own is one; everything else is a command. @param {Desk} desk @param {Command} command
 * @param {Record<string, any>} given */
function send(desk, command, given) {
  if (command.t === undefined) return desk.ask({ ...command, ...given });
  const { t, ...fields } = command;
  return desk.wish(t, { ...fields, ...given });
}

/** @param {string} label */
const plain = (label) => (LABELS[label] ?? label).replace("…", "");
