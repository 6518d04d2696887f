// Disputes: all that were ever opened, from the complaint to the review, each with its frozen evidence.

import { button, each, el, marked, shown, text } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { citing, wordOf } from "./words.js";
import { disputeCard } from "./disputecard.js";
import { openNewDispute } from "./disputeopen.js";

/**
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").DisputeRow} Dispute
 * @typedef {{dispute?: number, table?: string, round?: number, terminal?: string}} Which
 */

/** Look at the disputes: at one where it is named, or at a new one where only its round is.
 * @param {Desk} desk @param {Which} [which] */
export function openDisputes(desk, which = {}) {
  const sheet = new Disputes(desk, which);
  sheet.open();
  if (which.dispute === undefined && which.round !== undefined) sheet.begin();
}

class Disputes {
  /** @param {Desk} desk @param {Which} which */
  constructor(desk, which) {
    this.desk = desk;
    this.which = which;
    /** @type {Dispute[]} */
    this.found = [];
    /** @type {number | null} */
    this.chosen = which.dispute ?? null;
    /** What was last heard of what waits, as text: when it changes, the disputes are asked for again. */
    this.known = this.#waiting();
    this.list = el("ol", { class: "dispute-list", "aria-label": "Disputes, the newest first" });
    this.older = button("Older disputes", () => this.ask(this.found.at(-1)?.dispute), { class: "small", hidden: true });
    this.none = el("p", { class: "none" }, "Nobody has disputed anything here.");
    this.shown = el("div", { class: "dispute-shown" });
    this.reply = el("p", { class: "reply", role: "alert", hidden: true });
  }

  open() {
    const left = el("div", { class: "dispute-side" }, this.list, this.none, this.older);
    this.sheet = openSheet({
      name: "disputes",
      title: "Disputes",
      look: "wide",
      body: [el("div", { class: "disputes" }, left, this.shown), this.reply],
      foot: [button("Open a dispute…", () => this.begin()), button("Close", () => this.sheet?.close())],
      update: () => this.#update(),
    });
    shown(this.none, false);
    this.ask();
  }

  /** Open a new one, which is the one to look at then. */
  begin() {
    openNewDispute(this.desk, this.which, () => {
      this.chosen = null;
      this.ask();
    });
  }

  #update() {
    const known = this.#waiting();
    if (known === this.known) return;
    this.known = known;
    this.ask();
  }

  /** What waits for somebody among disputes. */
  #waiting() {
    return JSON.stringify(this.desk.view.floor?.needs?.filter(({ kind }) => kind === "dispute") ?? []);
  }

  /** @param {number} [before] older ones only */
  async ask(before) {
    const told = await this.desk.enquire("disputes", before === undefined ? {} : { before });
    if (!this.sheet?.node.open) return;
    if (told.t === "refused") return this.#say(citing(told.refusal));
    this.found = before === undefined ? told.disputes : [...this.found, ...told.disputes];
    shown(this.older, told.more);
    const newest = this.found[0]?.dispute ?? null;
    const isKnown = this.found.some(({ dispute }) => dispute === this.chosen);
    this.chosen = isKnown ? this.chosen : newest;
    this.#draw();
  }

  #draw() {
    const press = (/** @type {Dispute} */ { dispute }) =>
      el(
        "li",
        {},
        button("", () => ((this.chosen = dispute), this.#draw())),
      );
    each(
      this.list,
      this.found,
      ({ dispute }) => dispute,
      press,
      (line, one) => {
        const key = /** @type {HTMLElement} */ (line.firstElementChild);
        text(key, `${one.dispute} · ${one.table}, round ${one.round} · ${wordOf(one.state)}`);
        marked(key, "aria-pressed", String(one.dispute === this.chosen));
      },
    );
    shown(this.none, this.found.length === 0);
    const chosen = this.found.find(({ dispute }) => dispute === this.chosen);
    this.#say("");
    this.shown.replaceChildren(...(chosen ? [this.#card(chosen)] : []));
  }

  /** @param {Dispute} dispute */
  #card(dispute) {
    const tell = (/** @type {string} */ words) => this.#say(words);
    return disputeCard(this.desk, dispute, {
      done: () => this.ask(),
      say: (no) => tell(no ? citing(no) : ""),
      tell,
    });
  }

  /** @param {string} words */
  #say(words) {
    text(this.reply, words);
    shown(this.reply, words !== "");
  }
}
