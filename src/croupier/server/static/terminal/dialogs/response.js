// The response to a request made in a dialog.

import { clauseSign } from "../../shared/clause.js";
import { h } from "../../shared/render.js";
import { refusalText, say } from "../../shared/text.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../../shared/store.js").Answer} Answer
 * @typedef {import("../../shared/types/wire.js").RefusalBody} Refusal
 */

export class Reply {
  /** @param {import("../controller.js").Controller} ui @param {(no: Refusal) => boolean} [taken] whether a refusal is handled elsewhere */
  constructor(ui, taken = () => false) {
    this.ui = ui;
    this.taken = taken;
    /** What was asked last. @type {Promise<Answer> | null} */
    this.asked = null;
    /** @type {Refusal | null} */
    this.refusal = null;
    /** Whether nothing could be sent: the player sees it at once. */
    this.isOffline = false;
    /** The refusals before a message that is answered without an id. @type {Refusal[] | null} */
    this.before = null;
  }

  /** Wait for the response to a request; null where nothing was sent. @param {Promise<Answer> | null} asked @param {() => void} [done] */
  async await(asked, done = () => {}) {
    Object.assign(this, { asked, refusal: null, isOffline: asked === null, before: null });
    this.ui.session.redraw();
    if (asked === null) return;
    const { refusal } = await asked;
    if (this.asked !== asked) return;
    if (refusal === null) done();
    else if (!this.taken(refusal)) this.refusal = refusal;
    this.ui.session.redraw();
  }

  /** Wait for a refusal of a message without an id. */
  listen() {
    Object.assign(this, { asked: null, refusal: null, isOffline: false, before: this.ui.view().refusals });
  }

  /** The line of the response. */
  tree() {
    const { before, isOffline } = this;
    const isNews = (/** @type {Refusal} */ one) => (one.id ?? null) === null && !before?.includes(one);
    const no = this.refusal ?? (before && this.ui.view().refusals.find(isNews)) ?? null;
    const says = isOffline ? say("reply.no-line") : no ? refusalText(no, amount) : "";
    return h(
      "p",
      { class: "reply", role: "alert", hidden: says === "" },
      h("span", null, says),
      " ",
      clauseSign(no?.clause),
    );
  }
}
