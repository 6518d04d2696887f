// The live journal: filters and rows.

import { button, field, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { openReplay } from "./documents.js";
import { refusedText, timeOf } from "./text.js";
import { ruleLink, rulesAt } from "./widgets.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/render.js").Child} Child
 * @typedef {import("../shared/types/console.js").JournalRow} Row
 * @typedef {import("../shared/store.js").State} State
 * @typedef {import("../shared/types/console.js").JournalResult} JournalResponse
 * @typedef {{table?: string, terminal?: string, person?: string, about?: string, kind?: string}} Filters
 */

const EVERY_MS = 1000;
const TICK_MS = 200;
/** How many entries the page keeps unless older ones were requested. */
const ROWS_MOST = 300;
const HEADS = ["time", "where", "what", "who"];
/** The subjects of entries; the first is everything. */
const ABOUT = ["", "significant", "round", "bets", "money", "incident", "staff"];
/** Entries about the link of a terminal: of those that follow each other, each terminal is shown once. */
const LINK = new Set(["TerminalLost", "TerminalReturned"]);

/** The entries of the journal by filters, read every second while they are shown. */
export class Journal {
  /** The newest first. @type {Row[]} */
  rows = [];
  /** The range read so far; null before the first response. @type {{first: number, last: number} | null} */
  read = null;
  /** Whether there are entries older than those read. */
  hasOlder = false;
  /** Whether older entries were requested: then none are dropped. */
  showsOlder = false;
  /** Who reads. Entries of one reader are not shown to the next. @type {string | null} */
  reader = null;
  /** Why the reader may not see the journal. */
  refusal = "";
  /** Every kind of entry seen so far. @type {Set<string>} */
  kinds = new Set();
  /** The number of the query sent last: the responses to earlier ones are dropped. */
  lastQuery = 0;
  isPending = false;
  /** When new entries are read next. */
  due = 0;

  /** @param {ConsoleClient} client @param {Filters} filters initially @param {() => boolean} [isShown] */
  constructor(client, filters, isShown = () => true) {
    this.client = client;
    this.filters = filters;
    this.isShown = isShown;
    setInterval(() => this.#tick(), TICK_MS);
  }

  #tick() {
    const reader = this.client.who?.person ?? null;
    if (reader !== this.reader) {
      this.reader = reader;
      this.#restart(this.filters);
    }
    const isDue = !this.isPending && performance.now() >= this.due && this.refusal === "";
    if (document.hidden || !this.isShown() || reader === null || !isDue) return;
    this.due = performance.now() + EVERY_MS;
    void this.#ask(this.read === null ? {} : { after: this.read.last });
  }

  /** @param {Filters} filters */
  #restart(filters) {
    Object.assign(this, {
      filters,
      rows: [],
      read: null,
      hasOlder: false,
      showsOlder: false,
      refusal: "",
      isPending: false,
      due: 0,
    });
    this.lastQuery += 1;
    this.client.session.redraw();
  }

  /** @param {keyof Filters} name @param {string} value */
  #choose(name, value) {
    const { [name]: _, ...rest } = this.filters;
    this.#restart(value === "" ? rest : { ...rest, [name]: value });
    this.#tick();
  }

  #older() {
    if (this.isPending || this.read === null) return;
    this.showsOlder = true;
    void this.#ask({ before: this.read.first });
  }

  /** @param {{before?: number, after?: number}} from */
  async #ask(from) {
    const query = (this.lastQuery += 1);
    this.isPending = true;
    const response = await this.client.query("journal", { ...from, ...this.filters });
    if (query !== this.lastQuery) return;
    this.isPending = false;
    if (response.t === "refused") {
      this.refusal = response.refusal.code === "not_authorised" ? refusedText(response.refusal) : "";
    } else this.#take(response, from);
    this.client.session.redraw();
  }

  /** @param {JournalResponse} response @param {{before?: number, after?: number}} from */
  #take({ rows, first, last, more }, { before, after }) {
    this.rows = before === undefined ? [...rows, ...this.rows] : [...this.rows, ...rows];
    const read = this.read ?? { first, last };
    // A query for newer entries may find none: then the range stays.
    if (after !== undefined) this.read = { ...read, last: Math.max(read.last, last) };
    else this.read = { last: read.last, first };
    for (const { kind } of rows) this.kinds.add(kind);
    if (after !== undefined && more) this.due = 0;
    if (after === undefined) this.hasOlder = more;
    if (this.showsOlder || this.rows.length <= ROWS_MOST) return;
    this.rows = this.rows.slice(0, ROWS_MOST);
    this.read = { ...this.read, first: this.rows[ROWS_MOST - 1].position };
    this.hasOlder = true;
  }

  /** @param {State} view */
  draw(view) {
    const isEmpty = this.rows.length === 0 && this.read !== null;
    const heads = HEADS.map((head) => h("th", { scope: "col" }, say(`journal.${head}`)));
    return [
      this.#filters(view),
      h(
        "div",
        { class: "grid-frame", tabindex: "0", role: "region", "aria-label": say("journal.newest") },
        h(
          "table",
          { class: "grid", "aria-label": say("journal.title") },
          h(
            "thead",
            null,
            h("tr", null, heads, h("th", { scope: "col" }, h("span", { class: "unseen" }, say("journal.replay")))),
          ),
          h("tbody", null, collapsed(this.rows).map((entry) => this.#row(entry))),
        ),
        h("p", { class: "none", role: "status" }, this.refusal || (isEmpty && say("journal.none"))),
        this.hasOlder && button(say("journal.older"), () => this.#older(), { class: "small older" }),
      ),
    ];
  }

  /** @param {State} view */
  #filters(view) {
    const tables = Object.keys(view.tables).sort();
    const terminals = [
      ...new Set(Object.values(view.floor?.tables ?? {}).flatMap(({ seats }) => seats.map(({ terminal }) => terminal))),
    ].sort();
    const same = (/** @type {string[]} */ names) => names.map((name) => [name, name]);
    const kinds = [...this.kinds].sort().map((kind) => [kind, kindText(kind)]);
    /** A label around a list would be read out with all its options. @param {keyof Filters} name @param {string} label @param {string[][]} choices */
    const choice = (name, label, choices) =>
      h(
        "div",
        { class: "field" },
        h("span", { id: `journal-${name}` }, label),
        h(
          "select",
          {
            name,
            "aria-labelledby": `journal-${name}`,
            value: this.filters[name] ?? "",
            change: (/** @type {any} */ { target }) => this.#choose(name, target.value),
          },
          choices.map(([value, text]) => h("option", { key: value, value }, text)),
        ),
      );
    const setPerson = (/** @type {any} */ { target }) => this.#choose("person", target.value.trim());
    const person = h("input", {
      name: "person",
      autocomplete: "off",
      maxlength: 64,
      placeholder: say("journal.anybody"),
      change: setPerson,
    });
    return h(
      "div",
      { class: "filters", role: "group", "aria-label": say("journal.filters") },
      choice("table", say("journal.table"), [["", say("journal.all-tables")], ...same(tables)]),
      choice("terminal", say("hold.terminal"), [["", say("journal.all-terminals")], ...same(terminals)]),
      choice("about", say("journal.about"), ABOUT.map((name) => [name, say(`journal-about.${name || "all"}`)])),
      choice("kind", say("journal.kind"), [["", say("journal.all-kinds")], ...kinds]),
      field(say("journal.person"), person),
    );
  }

  /** Time, place, text, clause and person; a row of a round leads to its replay. @param {Entry} entry */
  #row({ row, times }) {
    const { position, at_us: at, kind, words, clause, person, device, table, terminal, round } = row;
    const place = [table, terminal].filter(Boolean).join(" · ") || say("journal.house");
    const who = [person, device].filter(Boolean).join(" · ") || say("journal.the-house");
    const replay = () => void openReplay(this.client, { table: table ?? "", round: round ?? 0, terminal });
    return h(
      "tr",
      { key: position, "data-kind": kind },
      h("td", { title: say("journal.entry", { n: position }) }, timeOf(at)),
      h("td", { class: "where" }, place),
      h(
        "td",
        { class: "what", dir: "auto" },
        words,
        " ",
        times > 1 && h("small", { class: "times" }, say("journal.times", { n: times })),
        ruleLink(rulesAt(this.client, table), clause),
      ),
      h("td", { class: "by" }, who),
      h(
        "td",
        { class: "acts" },
        table !== null && round !== null &&
          button(say("journal.replay"), replay, {
            class: "small",
            "aria-label": say("journal.replay-of", { round, table }),
          }),
      ),
    );
  }
}

/** @typedef {{row: Row, times: number}} Entry the newest of several entries, and how many they are */

/** The entries as they are shown: a link that comes and goes is one row. @param {Row[]} rows @returns {Entry[]} */
export function collapsed(rows) {
  /** @type {Entry[]} */
  const entries = [];
  /** The entries about links since the last other one, by terminal. @type {Map<string | null, Entry>} */
  const links = new Map();
  for (const row of rows) {
    const isLink = LINK.has(row.kind);
    if (!isLink) links.clear();
    const newest = links.get(row.terminal);
    if (isLink && newest) newest.times += 1;
    else entries.push({ row, times: 1 });
    if (isLink && !newest) links.set(row.terminal, entries[entries.length - 1]);
  }
  return entries;
}

/** A kind of entry as text: BetsOpened is "bets opened". @param {string} kind */
const kindText = (kind) => kind.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
