// The live journal: what is written in it as it is written, picked out by filters, and older entries when they are
// asked for.

import { button, each, el, shown, text } from "../kit/dom.js";
import { filters } from "./journalfilters.js";
import { rowOf } from "./journalrow.js";
import { citing } from "./words.js";

/**
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {import("./journalrow.js").Row} Row
 * @typedef {import("../kit/consoles.js").ToldJournal} Told
 */

const EVERY_MS = 1000;
/** How many entries are kept on the page while nobody asks for older ones. */
const KEPT_MOST = 300;
const HEADS = ["Time", "Where", "What", "Who", ""];

/** @param {Desk} desk @param {import("./journalfilters.js").Filters} [wanted] to begin with
 * @returns {import("./desk.js").Part} */
export function journalPart(desk, wanted = {}) {
  const journal = new Journal(desk, wanted);
  return { node: journal.node, update: (view) => journal.update(view), tick: () => journal.tick() };
}

class Journal {
  /** @param {Desk} desk @param {import("./journalfilters.js").Filters} wanted */
  constructor(desk, wanted) {
    this.desk = desk;
    /** The newest first. @type {Row[]} */
    this.rows = [];
    /** How far it has been read, towards the end and towards the beginning; null before anything was.
     * @type {{first: number, last: number} | null} */
    this.read = null;
    /** Whether older entries were asked for: then nothing is let go. */
    this.deep = false;
    /** Who reads it. What one may see is not for the next. @type {string | null} */
    this.reader = null;
    /** Whether whoever reads may not, and is not asked for again. */
    this.refused = false;
    /** Every kind of entry that was seen. @type {Set<string>} */
    this.kinds = new Set();
    /** @type {import("./journalfilters.js").Filters} */
    this.wanted = wanted;
    /** Which question is waited for. */
    this.turn = 0;
    this.waits = false;
    this.due = 0;
    this.filters = filters(wanted, (chosen) => this.#begin(chosen));
    this.body = el("tbody", {});
    this.older = button("Older entries", () => this.#older(), { class: "small older", hidden: true });
    this.says = el("p", { class: "none", role: "status" });
    this.node = this.#laid();
  }

  #laid() {
    const heads = HEADS.map((head) => el("th", { scope: "col" }, head || el("span", { class: "unseen" }, "Replay")));
    const table = el(
      "table",
      { class: "grid", "aria-label": "Journal" },
      el("thead", {}, el("tr", {}, ...heads)),
      this.body,
    );
    const frame = el(
      "div",
      { class: "grid-frame", tabindex: "0", role: "region", "aria-label": "Journal, the newest first" },
      table,
      this.says,
      this.older,
    );
    return el("section", { class: "card journal" }, el("h2", {}, "Journal"), this.filters.node, frame);
  }

  /** @param {import("../kit/store.js").State} view */
  update(view) {
    this.filters.update(view, this.kinds);
    const reader = this.desk.who?.person ?? null;
    if (reader === this.reader) return;
    this.reader = reader;
    this.#begin(this.wanted);
  }

  /** Ask for what is new, once a second, for as long as somebody can see it. */
  tick() {
    const now = performance.now();
    const isSeen = !document.hidden && this.node.offsetParent !== null;
    if (!isSeen || this.waits || now < this.due || this.desk.who === null || this.refused) return;
    this.due = now + EVERY_MS;
    this.#ask(this.read === null ? {} : { after: this.read.last });
  }

  /** @param {import("./journalfilters.js").Filters} wanted */
  #begin(wanted) {
    Object.assign(this, { wanted, rows: [], read: null, deep: false, refused: false, waits: false, due: 0 });
    this.turn += 1;
    this.#draw("");
    this.tick();
  }

  #older() {
    if (this.waits || this.read === null) return;
    this.deep = true;
    this.#ask({ before: this.read.first });
  }

  /** @param {{before?: number, after?: number}} from */
  async #ask(from) {
    const turn = (this.turn += 1);
    this.waits = true;
    const told = await this.desk.enquire("journal", { ...from, ...this.wanted });
    if (turn !== this.turn) return;
    this.waits = false;
    if (told.t === "refused") this.#refuse(told.refusal);
    else this.#take(told, from);
  }

  /** @param {import("../kit/types.js").No} refusal */
  #refuse(refusal) {
    this.refused = refusal.code === "not_authorised";
    this.#draw(citing(refusal));
  }

  /** @param {Told} told @param {{before?: number, after?: number}} from */
  #take(told, { before, after }) {
    const { rows, first, last } = told;
    this.rows = before === undefined ? [...rows, ...this.rows] : [...this.rows, ...rows];
    const read = this.read ?? { first, last };
    // What is read towards the end may be nothing new: then it is where it was.
    if (after !== undefined) this.read = { ...read, last: Math.max(read.last, last) };
    else this.read = { last: read.last, first };
    for (const { kind } of rows) this.kinds.add(kind);
    if (after !== undefined && told.more) this.due = 0;
    if (before !== undefined || after === undefined) shown(this.older, told.more);
    this.#letGo();
    if (rows.length > 0 || after === undefined || !this.says.hidden)
      this.#draw(this.rows.length === 0 ? "Nothing of this kind is written yet." : "");
  }

  /** Keep the page short, unless somebody has asked for what is older. */
  #letGo() {
    if (this.deep || this.read === null || this.rows.length <= KEPT_MOST) return;
    this.rows = this.rows.slice(0, KEPT_MOST);
    this.read = { ...this.read, first: this.rows[KEPT_MOST - 1].position };
    shown(this.older, true);
  }

  /** @param {string} says */
  #draw(says) {
    each(
      this.body,
      this.rows,
      ({ position }) => position,
      (row) => rowOf(this.desk, row),
    );
    text(this.says, says);
    shown(this.says, says !== "");
  }
}
