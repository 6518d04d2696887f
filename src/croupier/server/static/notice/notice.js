// The notice at a table: limits, odds, where each bet lies, and the rules in short; on a display and on paper.

import { Felt } from "../felt/felt.js";
import { chipOf } from "../felt/pieces.js";
import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { marked } from "../shared/dom.js";
import { enrol } from "../shared/enrolment.js";
import { fetchFelt } from "../shared/felt_cache.js";
import { money, MoneyFormat } from "../shared/money.js";
import { button, h, icon, render } from "../shared/render.js";
import { pageDataOf } from "../shared/page_data.js";
import { parametersOf, Session } from "../shared/session.js";
import { kindName, languageOf, locale, say, tableName, useLanguage } from "../shared/text.js";

/**
 * @typedef {import("../shared/types/wire.js").NoticeState} NoticeState
 * @typedef {import("../shared/types/wire.js").OddsRow} OddsRow
 * @typedef {import("../shared/felt_cache.js").Felt} FeltData
 * @typedef {{venue: string, title: string, version: string, clauses: {clause: string, says: string}[]}} RulesCopy
 */

async function openNotice() {
  const host = document.querySelector("main.app.notice");
  if (!(host instanceof HTMLElement)) return;
  const parameters = parametersOf(location);
  await useLanguage(languageOf(parameters.lang, undefined, navigator.languages));
  const session = new Session({ pageData: pageDataOf(document), parameters });
  const [entry, where] = [document.createElement("div"), document.createElement("div")];
  entry.className = "entry";
  where.className = "where-felt";
  marked(where, "role", "img");
  marked(where, "aria-label", say("posted.where"));
  // The foot of the notice has the mark of a demonstration.
  document.querySelector("body > .demo")?.remove();
  /** @type {Felt | null} */
  let felt = null;
  /** Follows the notice on paper, where it was asked for. @type {RulesCopy | null} */
  let copy = null;
  const print = async (/** @type {boolean} */ withRules) => {
    const { notice } = session.view;
    copy = withRules && notice ? await rulesOf(notice.rulebook) : null;
    session.draw(session.view);
    globalThis.print();
  };
  session.draw = (view) => {
    const { notice, tables, connection } = view;
    const data = notice && fetchFelt(tables[notice.table]?.state.felt ?? "", () => session.redraw());
    felt ??= data && markedFelt(where, data, () => session.view.notice?.rows ?? []);
    render(
      host,
      entry,
      h(
        "div",
        { class: "pages" },
        notice && data &&
          noticeBoard(notice, { felt: data, isConnected: connection === "up", isDemo: session.demo, where, print }),
        h("section", { class: "book" }, copy && rulesCopy(copy)),
      ),
    );
    felt?.set({ ...EMPTY_LAYOUT, open: true });
  };
  const onPaper = (/** @type {boolean} */ is) => () => {
    marked(document.body, "data-paper", is ? "true" : null);
    felt?.set({ ...EMPTY_LAYOUT, open: true });
  };
  addEventListener("beforeprint", onPaper(true));
  addEventListener("afterprint", onPaper(false));
  enrol(session, entry);
}

/**
 * @param {NoticeState} notice
 * @param {{felt: FeltData, isConnected: boolean, isDemo: boolean, where: HTMLElement, print: (withRules: boolean) => void}} page
 */
function noticeBoard(notice, { felt, isConnected, isDemo, where, print }) {
  const printKey = (/** @type {string} */ drawn, /** @type {string} */ label, /** @type {boolean} */ withRules) =>
    button([icon(drawn), h("span", null, label)], () => void print(withRules), { class: "to-print" });
  return h(
    "div",
    { class: "board" },
    h(
      "header",
      null,
      h(
        "div",
        null,
        h("h1", null, say("posted.title")),
        h("p", null, tableName(notice.table)),
      ),
      h("div", { class: "keys" }, keyFigures(notice)),
      h(
        "div",
        { class: "printing" },
        printKey("print", say("posted.print"), false),
        printKey("rules", say("posted.print-rules"), true),
      ),
    ),
    h("section", { class: "odds", "aria-label": say("posted.odds") }, oddsTable(notice, felt, notice.rows)),
    h(
      "section",
      { class: "where" },
      where,
      h("p", { class: "caption" }, say("posted.caption")),
      h("div", null, notice.arrangements.map((each) => arranged(notice, felt, each))),
    ),
    h(
      "section",
      { class: "copy" },
      h("h2", null, say("posted.rules")),
      h(
        "ol",
        null,
        notice.rules.map(({ rule, amount: cents, clause }) => {
          const text = say(`posted-rule.${rule}`, { amount: amount(notice, cents), n: cents ?? 0 });
          return h("li", { key: rule }, h("span", null, text), " ", clauseMark(notice, clause));
        }),
      ),
    ),
    isDemo && h("p", { class: "demo" }, say("top-bar.demo")),
    h(
      "footer",
      null,
      h(
        "p",
        null,
        notice.advice === null
          ? say("posted.ask-dealer")
          : [say("posted.ask-and-advice"), " ", clauseMark(notice, notice.advice)],
      ),
      h("p", null, h("a", { href: `rules/${encodeURIComponent(notice.rulebook)}` }, say("posted.read-rules"))),
    ),
    !isConnected && h("p", { class: "line", role: "status" }, say("posted.lost")),
  );
}

/** @param {NoticeState} notice @param {number | null | undefined} cents */
const amount = (notice, cents) =>
  cents === null || cents === undefined ? "–" : money(cents, notice.currency, locale(), "narrowSymbol");

/** The figures at the top: minimum, maximum of a straight up and of an even chance, and multiples. @param {NoticeState} notice */
function keyFigures(notice) {
  const straight = notice.rows.find(({ kinds }) => kinds.includes("straight"))?.most;
  const even = notice.rows.find(({ segment }) => segment === "even_chances");
  const hasOneMost = !even || straight === even.most;
  const multiples = notice.multiples === null
    ? null
    : say(notice.multiples ? "posted.required" : "posted.not-required");
  const figure = (/** @type {string} */ label, /** @type {string} */ value) =>
    h("div", null, h("small", null, label), h("b", null, value));
  return [
    figure(say("posted.least"), amount(notice, notice.least)),
    figure(say(hasOneMost ? "posted.most" : "posted.straight-most"), amount(notice, straight)),
    !hasOneMost && figure(say("posted.even-most"), amount(notice, even.most)),
    multiples && figure(say("posted.multiples-of", { amount: amount(notice, notice.least) }), multiples),
  ];
}

/** Every bet with its odds and limits. @param {NoticeState} notice @param {FeltData} felt @param {OddsRow[]} rows */
function oddsTable(notice, felt, rows) {
  const heads = ["posted.letter", "posted.bet", "posted.pays", "posted.from", "posted.to"];
  return h(
    "table",
    null,
    h(
      "thead",
      null,
      h("tr", null, heads.map((id, place) => h("th", { scope: "col", class: place > 1 && "sum" }, say(id)))),
    ),
    h("tbody", null, rows.map((row) => oddsLine(notice, felt, row))),
  );
}

/** @param {NoticeState} notice @param {FeltData} felt @param {OddsRow} row */
function oddsLine(notice, felt, { letters, kinds, labels, pays, least, most }) {
  const capital = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);
  const names = kinds.map((kind, place) => {
    const printed = felt.kinds.find((one) => one.kind === kind);
    return capital(printed ? kindName(printed) : labels[place]);
  });
  const isGroup = labels.length > 1;
  return h(
    "tr",
    null,
    h("td", { class: "letter" }, isGroup ? `${letters[0]}–${letters[letters.length - 1]}` : letters[0]),
    h(
      "th",
      { scope: "row" },
      isGroup ? names.map((name, place) => `${letters[place]} ${name}`).join(", ") : names[0],
    ),
    h("td", { class: "sum pays" }, say("live.to-one", { n: pays })),
    h("td", { class: "sum" }, amount(notice, least)),
    h("td", { class: "sum" }, amount(notice, most)),
  );
}

/**
 * A second notice, for the players of an arrangement.
 * @param {NoticeState} notice @param {FeltData} felt @param {import("../shared/types/wire.js").NoticeArrangement} arrangement
 */
const arranged = (notice, felt, { arrangement, clause, rows, marker }) =>
  h(
    "section",
    { class: "odds arranged", key: arrangement },
    h("h2", null, say("posted.arrangement", { n: arrangement })),
    h(
      "p",
      null,
      say("posted.arranged"),
      marker && [" ", say("posted-rule.marker", { amount: amount(notice, marker.least) })],
      " ",
      clauseMark(notice, clause),
    ),
    oddsTable(notice, felt, rows),
  );

/** A clause as a link to the rules, with its number: on paper nothing can be pressed. @param {NoticeState} notice @param {string} clause */
const clauseMark = ({ rulebook }, clause) =>
  h(
    "a",
    { class: "clause", href: `rules/${encodeURIComponent(rulebook)}#${encodeURIComponent(clause)}` },
    `[${clause}]`,
  );

/** @param {string} rulebook @returns {Promise<RulesCopy | null>} */
async function rulesOf(rulebook) {
  const answer = await fetch(new URL(`rules/${encodeURIComponent(rulebook)}.json`, document.baseURI)).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

/** A copy of the rules to be printed after the notice. @param {RulesCopy} rules */
const rulesCopy = ({ venue, title, version, clauses }) => [
  h("h1", null, title),
  h("p", null, `${venue} · ${version} · ${say("posted.in-our-words")}`),
  h("dl", null, clauses.map(({ clause, says }) => [h("dt", null, clause), h("dd", null, says)])),
];

/**
 * The felt with a chip where each kind of bet lies, as a picture.
 * @param {HTMLElement} host @param {import("../shared/felt_cache.js").Felt} data @param {() => OddsRow[]} rows
 */
function markedFelt(host, data, rows) {
  const draw = (/** @type {import("../felt/felt.js").Frame} */ { node, placeOf, chip }) => {
    const marks = rows().flatMap(({ letters, spots }) =>
      spots.map((spot, place) => ({ spot, letter: letters[place], at: placeOf(spot) }))
    );
    const chips = marks.map(({ spot, letter, at }) => {
      const translate = at && `${(at.x - chip / 2).toFixed(1)}px ${(at.y - chip / 2).toFixed(1)}px`;
      return translate && chipOf("yellow", letter, { key: spot, style: { "--d": `${chip.toFixed(1)}px`, translate } });
    });
    render(node, ...chips);
    return marks.map(({ spot }) => spot);
  };
  const money = () => new MoneyFormat({ currency: data.currency, locale: locale() });
  const felt = new Felt(host, {
    data,
    money,
    label: (spot) => spot,
    viewOnly: true,
    layers: [{ name: "marks", draw }],
  });
  felt.lay({ orientation: "landscape", lens: false });
  return felt;
}

await openNotice();
