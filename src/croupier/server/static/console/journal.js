// The live journal: filters and rows.

import { openReplay } from "./documents.js";
import { button, each, el, field, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { refusedText, timeOf } from "./text.js";
import { clauseLink, rulesAt } from "./widgets.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").JournalRow} Row
 * @typedef {import("../shared/store.js").State} State
 * @typedef {import("../shared/types/console.js").JournalResult} JournalResponse
 */

const EVERY_MS = 1000;
/** How many entries the page keeps unless older ones were requested. */
const ROWS_MOST = 300;
const HEADS = ["time", "where", "what", "who"];

/** @param {ConsoleClient} client @param {Filters} [wanted] initial filters
 * @returns {import("./client.js").Part} */
export function journalPart(client, wanted = {}) {
  const journal = new Journal(client, wanted);
  return { node: journal.node, update: (view) => journal.update(view), tick: () => journal.tick() };
}

class Journal {
  /** @param {ConsoleClient} client @param {Filters} wanted */
  constructor(client, wanted) {
    this.client = client;
    /** The newest first. @type {Row[]} */
    this.rows = [];
    /** The range read so far; null before the first response. @type {{first: number, last: number} | null} */
    this.read = null;
    /** Whether older entries were requested: then none are dropped. */
    this.deep = false;
    /** Who reads. Entries of one reader are not shown to the next. @type {string | null} */
    this.reader = null;
    /** Whether the reader may not see the journal. */
    this.refused = false;
    /** Every kind of entry seen so far. @type {Set<string>} */
    this.kinds = new Set();
    /** @type {Filters} */
    this.wanted = wanted;
    /** The number of the current query. */
    this.turn = 0;
    this.isPending = false;
    this.due = 0;
    this.filters = filters(wanted, (chosen) => this.#restart(chosen));
    this.body = el("tbody", {});
    this.older = button(say("journal.older"), () => this.#older(), { class: "small older", hidden: true });
    this.says = el("p", { class: "none", role: "status" });
    this.node = this.#laid();
  }

  #laid() {
    const names = HEADS.map((head) => el("th", { scope: "col" }, say(`journal.${head}`)));
    const heads = [...names, el("th", { scope: "col" }, el("span", { class: "unseen" }, say("journal.replay")))];
    const table = el(
      "table",
      { class: "grid", "aria-label": say("journal.title") },
      el("thead", {}, el("tr", {}, ...heads)),
      this.body,
    );
    const frame = el(
      "div",
      { class: "grid-frame", tabindex: "0", role: "region", "aria-label": say("journal.newest") },
      table,
      this.says,
      this.older,
    );
    return el("section", { class: "card journal" }, el("h2", {}, say("journal.title")), this.filters.node, frame);
  }

  /** @param {import("../shared/store.js").State} view */
  update(view) {
    this.filters.update(view, this.kinds);
    const reader = this.client.who?.person ?? null;
    if (reader === this.reader) return;
    this.reader = reader;
    this.#restart(this.wanted);
  }

  /** Query new entries once a second while the part is visible. */
  tick() {
    const now = performance.now();
    const isSeen = !document.hidden && this.node.offsetParent !== null;
    if (!isSeen || this.isPending || now < this.due || this.client.who === null || this.refused) return;
    this.due = now + EVERY_MS;
    this.#ask(this.read === null ? {} : { after: this.read.last });
  }

  /** @param {Filters} wanted */
  #restart(wanted) {
    Object.assign(this, { wanted, rows: [], read: null, deep: false, refused: false, isPending: false, due: 0 });
    this.turn += 1;
    this.#draw("");
    this.tick();
  }

  #older() {
    if (this.isPending || this.read === null) return;
    this.deep = true;
    this.#ask({ before: this.read.first });
  }

  /** @param {{before?: number, after?: number}} from */
  async #ask(from) {
    const turn = (this.turn += 1);
    this.isPending = true;
    const response = await this.client.query("journal", { ...from, ...this.wanted });
    if (turn !== this.turn) return;
    this.isPending = false;
    if (response.t === "refused") this.#refuse(response.refusal);
    else this.#take(response, from);
  }

  /** @param {import("../shared/types/wire.js").RefusalBody} refusal */
  #refuse(refusal) {
    this.refused = refusal.code === "not_authorised";
    this.#draw(refusedText(refusal));
  }

  /** @param {JournalResponse} response @param {{before?: number, after?: number}} from */
  #take(response, { before, after }) {
    const { rows, first, last } = response;
    this.rows = before === undefined ? [...rows, ...this.rows] : [...this.rows, ...rows];
    const read = this.read ?? { first, last };
    // A query for newer entries may find none: then the range stays.
    if (after !== undefined) this.read = { ...read, last: Math.max(read.last, last) };
    else this.read = { last: read.last, first };
    for (const { kind } of rows) this.kinds.add(kind);
    if (after !== undefined && response.more) this.due = 0;
    if (before !== undefined || after === undefined) shown(this.older, response.more);
    this.#trim();
    if (rows.length > 0 || after === undefined || !this.says.hidden)
      this.#draw(this.rows.length === 0 ? say("journal.none") : "");
  }

  /** Keep the page short, unless older entries were requested. */
  #trim() {
    if (this.deep || this.read === null || this.rows.length <= ROWS_MOST) return;
    this.rows = this.rows.slice(0, ROWS_MOST);
    this.read = { ...this.read, first: this.rows[ROWS_MOST - 1].position };
    shown(this.older, true);
  }

  /** @param {string} says */
  #draw(says) {
    each(
      this.body,
      this.rows,
      ({ position }) => position,
      (row) => rowOf(this.client, row),
    );
    text(this.says, says);
    shown(this.says, says !== "");
  }
}

// The filters: table, terminal, person, subject and kind.

/**
 * @typedef {{table?: string, terminal?: string, person?: string, about?: string, kind?: string}} Filters
 * @typedef {[value: string, words: string]} Choice
 */

/** The subjects of entries; the first is everything. */
const ABOUT = ["", "significant", "round", "bets", "money", "incident", "staff"];

/** @param {Filters} wanted initial filters @param {(wanted: Filters) => void} change */
function filters(wanted, change) {
  const choose = (/** @type {keyof Filters} */ name, /** @type {string} */ value) => {
    const { [name]: _, ...rest } = wanted;
    wanted = value === "" ? rest : { ...rest, [name]: value };
    change(wanted);
  };
  /** @param {keyof Filters} name @param {string} label */
  const one = (name, label) => {
    const id = `journal-${name}`;
    // A label around a list would be read out with all its options.
    const select = el("select", { name, "aria-labelledby": id });
    select.addEventListener("change", () => choose(name, select.value));
    return { name, select, node: el("div", { class: "field" }, el("span", { id }, label), select) };
  };
  const [table, terminal, about] = [one("table", say("journal.table")), one("terminal", say("hold.terminal")), one("about", say("journal.about"))];
  const kind = one("kind", say("journal.kind"));
  const person = el("input", { name: "person", autocomplete: "off", maxlength: 64, placeholder: say("journal.anybody") });
  person.addEventListener("change", () => choose("person", person.value.trim()));
  const node = el("div", { class: "filters", role: "group", "aria-label": say("journal.filters") });
  setChoices(
    about.select,
    ABOUT.map((name) => [name, say(`journal-about.${name || "all"}`)]),
  );
  about.select.value = wanted.about ?? "";
  node.append(table.node, terminal.node, about.node, kind.node, field(say("journal.person"), person));
  /** @param {State} view @param {Iterable<string>} kinds seen so far */
  const update = (view, kinds) => {
    const tables = Object.keys(view.tables).sort();
    setChoices(table.select, [["", say("journal.all-tables")], ...named(tables)]);
    setChoices(terminal.select, [["", say("journal.all-terminals")], ...named(terminalsOf(view))]);
    setChoices(kind.select, [["", say("journal.all-kinds")], ...[...kinds].sort().map(kindChoice)]);
  };
  return { node, update };
}

/** @param {string[]} names @returns {Choice[]} */
const named = (names) => names.map((name) => [name, name]);

/** A kind of entry as text: BetsOpened is "bets opened". @param {string} kind @returns {Choice} */
const kindChoice = (kind) => [kind, kind.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()];

/** @param {State} view */
const terminalsOf = (view) =>
  [
    ...new Set(Object.values(view.floor?.tables ?? {}).flatMap(({ seats }) => seats.map(({ terminal }) => terminal))),
  ].sort();

/** Update the choices and keep the selection. @param {HTMLSelectElement} select @param {Choice[]} choices */
function setChoices(select, choices) {
  each(
    select,
    choices,
    ([value]) => value,
    ([value, words]) => el("option", { value }, words),
  );
}

// A row: time, place, text, clause and person; a row of a round links to its replay.

/** @param {ConsoleClient} client @param {Row} row */
function rowOf(client, row) {
  const { position, at_us: at, kind, words, clause, person, device, table, terminal } = row;
  const place = [table, terminal].filter(Boolean).join(" · ") || say("journal.house");
  const who = [person, device].filter(Boolean).join(" · ") || say("journal.the-house");
  return el(
    "tr",
    { "data-kind": kind },
    el("td", { title: say("journal.entry", { n: position }) }, timeOf(at)),
    el("td", { class: "where" }, place),
    el("td", { class: "what", dir: "auto" }, words, " ", clauseLink(rulesAt(client, table), clause)),
    el("td", { class: "by" }, who),
    el("td", { class: "acts" }, replayOf(client, row)),
  );
}

/** @param {ConsoleClient} client @param {Row} row */
function replayOf(client, { table, round, terminal }) {
  if (table === null || round === null) return null;
  const label = say("journal.replay-of", { round, table });
  return button(say("journal.replay"), () => openReplay(client, { table, round, terminal }), {
    class: "small",
    "aria-label": label,
  });
}
