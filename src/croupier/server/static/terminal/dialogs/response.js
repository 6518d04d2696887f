// The response to a request made in a dialog.

import { clauseInfo } from "../../shared/clause.js";
import { el, shown, text } from "../../shared/dom.js";
import { refusalText, say } from "../../shared/text.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/types/wire.js").RefusalBody} Refusal
 */

/**
 * @typedef {object} Reply
 * @property {HTMLElement} node
 * @property {(id: number | null, done?: () => void) => void} await waits for the response to a request
 * @property {(view: TerminalView) => void} listen waits for a refusal of a message without an id
 * @property {(view: TerminalView) => void} update
 */

/** @param {(no: Refusal) => boolean} [taken] whether a refusal is handled elsewhere @returns {Reply} */
export function reply(taken = () => false) {
  const words = el("span", {});
  const clause = clauseInfo();
  const node = el("p", { class: "reply", role: "alert", hidden: true }, words, " ", clause.node);
  /**
   * What is awaited: a request id, or any new refusal without one.
   * @type {{id: number | null, before?: Refusal[], done: () => void} | null}
   */
  let waits = null;
  const showText = (/** @type {string} */ says, /** @type {string | null | undefined} */ rule) => {
    text(words, says);
    clause.update(rule);
    shown(node, says !== "");
  };
  return {
    node,
    await(id, done = () => {}) {
      // Without a connection nothing is sent, and the player sees it at once.
      showText(id === null ? say("reply.no-line") : "", null);
      waits = id === null ? null : { id, done };
    },
    listen(view) {
      showText("", null);
      waits = { id: null, before: view.refusals, done: () => {} };
    },
    update(view) {
      if (!waits || isPending(view, waits.id)) return;
      const { id, before, done } = waits;
      const no = view.refusals.find((one) => (one.id ?? null) === id && !before?.includes(one));
      if (before && !no) return;
      waits = null;
      if (!no) done();
      else if (!taken(no)) showText(refusalText(no, amount), no.clause);
    },
  };
}

/** @param {TerminalView} view @param {number | null} id */
const isPending = (view, id) => view.pending.some((request) => request.message.id === id);
