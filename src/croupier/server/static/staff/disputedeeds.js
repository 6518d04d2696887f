// What can be done about a dispute now, by its state and the venue's rules, as the house offers it.

import { button, el } from "../kit/dom.js";
import { askSheet } from "./askform.js";
import { pressOnce } from "./press.js";
import { citing } from "./words.js";

/**
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").Action} Action
 * @typedef {import("../kit/consoles.js").DisputeRow} Dispute
 * @typedef {import("./askform.js").Field} Field
 * @typedef {import("../kit/types.js").No} No
 */

/** What each is called, and what is asked for it. @type {Record<string, {does: string, fields?: Field[]}>} */
const DEEDS = {
  decide: { does: "Decide it", fields: [{ name: "decision", label: "The house's decision", kind: "words" }] },
  advise: { does: "The complainant was advised" },
  request_review: {
    does: "Ask for a review",
    fields: [{ name: "by_house", label: "The house asks, not the player", kind: "tick" }],
  },
  record_review: {
    does: "Record the review",
    fields: [{ name: "outcome", label: "The reviewer's outcome", kind: "words" }],
  },
  close_resolved: { does: "Close: resolved" },
  close_unresolved: { does: "Close: not resolved" },
};

/** A button for each; whose it is not says so.
 * @param {Desk} desk @param {Dispute} dispute @param {{done: () => void, say: (no: No | null) => void}} then */
export function deeds(desk, dispute, then) {
  const made = dispute.actions.map((action, place) => deed(desk, dispute, action, then, place === 0 ? "main" : null));
  return el("div", { class: "dispute-deeds", role: "group", "aria-label": "What can be done now" }, ...made);
}

/** @param {Desk} desk @param {Dispute} dispute @param {Action} action
 * @param {{done: () => void, say: (no: No | null) => void}} then @param {string | null} look */
function deed(desk, dispute, action, { done, say }, look) {
  const { does, fields = [] } = DEEDS[action.label] ?? { does: action.label };
  const command = /** @type {object} */ (action.command);
  const isMine = desk.holds(action.titles);
  const send = (/** @type {object} */ given) => desk.ask({ ...command, ...given });
  const atOnce = async () => {
    const { refusal } = await send({});
    say(refusal);
    if (refusal === null) done();
  };
  const asked = () =>
    askSheet({
      name: "dispute-deed",
      title: `Dispute ${dispute.dispute}: ${does.toLowerCase()}`,
      about: [citing({ says: dispute.words, clause: dispute.clause })],
      fields,
      does,
      send,
      done,
    });
  const press = (/** @type {Event & {currentTarget: Element}} */ { currentTarget: key }) =>
    fields.length === 0 ? pressOnce(key, atOnce) : asked();
  const made = button(does, press, { class: look, disabled: !isMine });
  return isMine ? made : el("span", {}, made, el("small", {}, `for ${action.titles.join(" or ")}`));
}
