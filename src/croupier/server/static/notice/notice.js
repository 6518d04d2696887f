// The notice at a table: limits, odds, where each bet lies, and the rules in short; on a display and on paper.

import { enrol } from "../console/console.js";
import { Felt } from "../felt/felt.js";
import { chipOf } from "../felt/pieces.js";
import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { button, el, icon, marked, shown, text } from "../shared/dom.js";
import { fetchFelt } from "../shared/felt_cache.js";
import { money, MoneyFormat } from "../shared/money.js";
import { pageDataOf, parametersOf, Session } from "../shared/session.js";
import { languageOf, say, useLanguage } from "../shared/text.js";

/**
 * @typedef {import("../shared/types/wire.js").NoticeState} NoticeState
 * @typedef {import("../shared/types/wire.js").OddsRow} OddsRow
 */

/** The size of the chips that mark the bets, in diameters of a chip of the felt. */
const MARK = 1;

async function openNotice() {
  const host = document.querySelector("main.app.notice");
  if (!(host instanceof HTMLElement)) return;
  const parameters = parametersOf(location);
  await useLanguage(languageOf(parameters.lang, undefined, navigator.languages));
  const session = new Session({ pageData: pageDataOf(document), parameters });
  const entry = el("div", { class: "entry" });
  const board = noticeBoard(session);
  host.replaceChildren(entry, board.node);
  session.draw = board.update;
  enrol(session, entry);
}

/** @param {Session} session */
function noticeBoard(session) {
  const title = el("h1", {}, say("posted.title"));
  const place = el("p", {});
  const keys = el("div", { class: "keys" });
  const print = button(icon("print"), () => printPages(false), { class: "to-print" });
  print.append(el("span", {}, say("posted.print")));
  const printAll = button(icon("rules"), () => printPages(true), { class: "to-print" });
  printAll.append(el("span", {}, say("posted.print-rules")));
  const head = el("header", {}, el("div", {}, title, place), keys, el("div", { class: "printing" }, print, printAll));
  const odds = el("section", { class: "odds", "aria-label": say("posted.odds") });
  const where = el("div", { class: "where-felt", role: "img", "aria-label": say("posted.where") });
  const caption = el("p", { class: "caption" }, say("posted.caption"));
  const groups = el("div", {});
  const rules = el("ol");
  const copy = el("section", { class: "copy" }, el("h2", {}, say("posted.rules")), rules);
  const foot = el("footer");
  const line = el("p", { class: "line", role: "status" });
  const book = el("section", { class: "book" });
  const node = el("div", { class: "board" }, head, odds, el("section", { class: "where" }, where, caption, groups), copy, foot, line);
  const demo = document.querySelector("body > .demo");
  if (demo instanceof HTMLElement) foot.before(demo);
  const page = el("div", { class: "pages" }, node, book);
  /** @type {MarkedFelt | null} */
  let felt = null;
  let drawn = "";
  /** @param {boolean} whole whether a copy of the rules follows */
  const printPages = async (whole) => {
    const { notice } = session.state;
    if (notice) book.replaceChildren(...(whole ? await bookOf(notice.rulebook) : []));
    globalThis.print();
  };
  addEventListener("beforeprint", () => (marked(document.body, "data-paper", "true"), felt?.draw()));
  addEventListener("afterprint", () => (marked(document.body, "data-paper", null), felt?.draw()));
  /** @param {import("../shared/store.js").State} view */
  const update = (view) => {
    const { notice, tables } = view;
    shown(node, notice !== null);
    text(line, view.connection === "up" ? "" : say("posted.lost"));
    shown(line, view.connection !== "up");
    if (!notice) return;
    const data = fetchFelt(tables[notice.table]?.state.felt ?? "", () => session.redraw());
    if (data && felt === null) felt = new MarkedFelt(where, data);
    const key = JSON.stringify(notice);
    if (key !== drawn) {
      drawn = key;
      text(place, `${say("posted.table", { table: notice.table })} · ${notice.venue}`);
      keys.replaceChildren(...keysOf(notice));
      odds.replaceChildren(oddsTable(notice, notice.rows));
      groups.replaceChildren(...notice.arrangements.map((each) => arranged(notice, each)));
      rules.replaceChildren(...notice.rules.map((rule) => ruleItem(notice, rule)));
      foot.replaceChildren(...footOf(notice));
    }
    felt?.mark(notice.rows);
  };
  return { node: page, update };
}

/** @param {NoticeState} notice @param {number | null | undefined} cents */
const amount = (notice, cents) =>
  cents === null || cents === undefined ? "–" : money(cents, notice.currency, undefined, "narrowSymbol");

/** The figures at the top: minimum, maximum of a straight up and of an even chance, and multiples. @param {NoticeState} notice */
function keysOf(notice) {
  const straight = notice.rows.find(({ kinds }) => kinds.includes("straight"))?.most;
  const evens = notice.rows.find(({ kinds }) => kinds.includes("red"));
  const even = evens?.most;
  const one = !evens || straight === even;
  const figures = [
    [say("posted.least"), amount(notice, notice.least)],
    [say(one ? "posted.most" : "posted.straight-most"), amount(notice, straight)],
    ...(one ? [] : [[say("posted.even-most"), amount(notice, even)]]),
    ...(notice.multiples === null
      ? []
      : [[say("posted.multiples-of", { amount: amount(notice, notice.least) }), say(notice.multiples ? "posted.required" : "posted.not-required")]]),
  ];
  return figures.map(([label, value]) => el("div", {}, el("small", {}, label), el("b", {}, value)));
}

/** Every bet with its odds and limits. @param {NoticeState} notice @param {OddsRow[]} rows */
function oddsTable(notice, rows) {
  const heads = ["posted.letter", "posted.bet", "posted.pays", "posted.from", "posted.to"];
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, ...heads.map((id, place) => el("th", { scope: "col", class: place > 1 ? "sum" : null }, say(id))))),
    el("tbody", {}, ...rows.map((row) => oddsLine(notice, row))),
  );
}

/**
 * A second notice, for the players of an arrangement.
 * @param {NoticeState} notice @param {import("../shared/types/wire.js").NoticeArrangement} arrangement
 */
function arranged(notice, { arrangement, clause, rows, marker }) {
  const title = el("h2", {}, say("posted.arrangement", { n: arrangement }));
  const markers = marker ? [" ", say("posted-rule.marker", { amount: amount(notice, marker.least) })] : [];
  const words = el("p", {}, say("posted.arranged"), ...markers, " ", clauseMark(notice, clause));
  return el("section", { class: "odds arranged" }, title, words, oddsTable(notice, rows));
}

/** @param {NoticeState} notice @param {OddsRow} row */
function oddsLine(notice, row) {
  const { letters, labels, pays, least, most } = row;
  const capital = (/** @type {string} */ words) => words.charAt(0).toUpperCase() + words.slice(1);
  const several = labels.length > 1;
  const name = several ? labels.map((label, place) => `${letters[place]} ${capital(label)}`).join(", ") : capital(labels[0]);
  return el(
    "tr",
    {},
    el("td", { class: "letter" }, several ? `${letters[0]}–${letters[letters.length - 1]}` : letters[0]),
    el("th", { scope: "row" }, name),
    el("td", { class: "sum pays" }, say("live.to-one", { n: pays })),
    el("td", { class: "sum" }, amount(notice, least)),
    el("td", { class: "sum" }, amount(notice, most)),
  );
}

/** @param {NoticeState} notice @param {import("../shared/types/wire.js").NoticeRule} rule */
function ruleItem(notice, { rule, amount: cents, clause }) {
  const words = say(`posted-rule.${rule}`, { amount: amount(notice, cents), n: cents ?? 0 });
  return el("li", {}, el("span", {}, words), " ", clauseMark(notice, clause));
}

/** A clause as a link to the rules. @param {NoticeState} notice @param {string} clause */
const clauseMark = ({ rulebook }, clause) =>
  el("a", { class: "clause", href: `rules/${encodeURIComponent(rulebook)}#${encodeURIComponent(clause)}` }, `[${clause}]`);

/** @param {NoticeState} notice */
function footOf(notice) {
  const link = el("a", { href: `rules/${encodeURIComponent(notice.rulebook)}` }, say("posted.read-rules"));
  const words = notice.advice === null ? [say("posted.ask-dealer")] : [say("posted.ask-and-advice"), " ", clauseMark(notice, notice.advice)];
  return [el("p", {}, ...words), el("p", {}, link)];
}

/** A copy of the rules to be printed after the notice. @param {string} rulebook */
async function bookOf(rulebook) {
  const answer = await fetch(new URL(`rules/${encodeURIComponent(rulebook)}.json`, document.baseURI)).catch(() => null);
  if (!answer?.ok) return [];
  /** @type {{venue: string, title: string, version: string, clauses: {clause: string, says: string}[]}} */
  const { venue, title, version, clauses } = await answer.json();
  const rows = clauses.flatMap(({ clause, says }) => [el("dt", {}, clause), el("dd", {}, says)]);
  return [el("h1", {}, title), el("p", {}, `${venue} · ${version} · ${say("posted.in-our-words")}`), el("dl", {}, ...rows)];
}

/** The felt with a chip where each kind of bet lies. */
class MarkedFelt {
  /** @param {HTMLElement} host @param {import("../shared/felt_cache.js").Felt} data */
  constructor(host, data) {
    const nothing = () => {};
    this.felt = new Felt(host, { data, money: () => new MoneyFormat({ currency: data.currency }), label: (spot) => spot, on: { place: nothing, take: nothing, move: nothing, drop: nothing } });
    this.layer = el("div", { class: "layer marks", "aria-hidden": "true" });
    this.felt.scene.surface.append(this.layer);
    this.felt.lay({ orientation: "landscape", lens: false });
    this.felt.set({ ...EMPTY_LAYOUT, open: true });
    // The felt is a picture here: nothing on it can be reached or touched.
    this.felt.keys.node.remove();
    /** @type {OddsRow[]} */
    this.rows = [];
    new ResizeObserver(() => this.draw()).observe(this.felt.scene.root);
  }

  /** @param {OddsRow[]} rows */
  mark(rows) {
    if (rows === this.rows) return;
    this.rows = rows;
    this.draw();
  }

  draw() {
    const { scene } = this.felt;
    const size = 2 * scene.stacks.radius * MARK;
    const marks = this.rows.flatMap(({ letters, spots }) => spots.map((spot, place) => ({ spot, letter: letters[place] })));
    scene.drawing?.cover(new Set(marks.map(({ spot }) => spot)));
    this.layer.replaceChildren(
      ...marks.flatMap(({ spot, letter }) => {
        const at = scene.placeOf(spot);
        if (!at || size === 0) return [];
        const node = chipOf("yellow", letter);
        node.style.setProperty("--d", `${size.toFixed(1)}px`);
        node.style.setProperty("translate", `${(at.x - size / 2).toFixed(1)}px ${(at.y - size / 2).toFixed(1)}px`);
        return [node];
      }),
    );
  }
}

await openNotice();
