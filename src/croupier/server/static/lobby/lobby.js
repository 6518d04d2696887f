// The first page: a card for each table, a QR code for phones, and the pages of staff.

import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { fetchJoinCode } from "../shared/join_code.js";
import { languageSwitch } from "../shared/language_switch.js";
import { Preferences } from "../shared/preferences.js";
import { pageDataOf, parametersOf } from "../shared/session.js";
import { addSample, newClock, serverNow } from "../shared/table_status.js";
import { languageOf, say, tableTitle, useLanguage } from "../shared/text.js";
import { Wheel } from "../wheel/wheel.js";
import { isTableOpen, tableCard } from "./card.js";

/**
 * @typedef {import("./card.js").LobbyTable} LobbyTable
 * @typedef {{now_us: number, gift: number | null, tables: LobbyTable[]}} Known what the server has said of the tables
 * @typedef {import("../shared/session.js").PageData & {felts: Record<string, import("./card.js").SmallFelt>}} PageData
 */

/** How often the tables are asked for, and how often what changes with time is drawn. */
const ASK_MS = 1500;
const TICK_MS = 200;
/** How many answers in a row may fail before the page says so. */
const FAILED_MOST = 2;
/** The pages of staff: their addresses are their names. */
const STAFF =
  /** @type {const} */ (["dealer", "live_table", "pit", "cashier", "board", "notice", "auditor", "trainer"]);

export class Lobby {
  /** @param {HTMLElement} host @param {PageData} pageData @param {Preferences} prefs */
  constructor(host, pageData, prefs) {
    this.host = host;
    this.pageData = pageData;
    this.prefs = prefs;
    /** @type {Known | null} */
    this.known = null;
    this.clock = newClock();
    this.failed = 0;
    /** @type {Wheel | null} */
    this.wheel = null;
    /** The QR code, drawn once. @type {SVGElement | null} */
    this.code = null;
    /** @type {Map<string, ReturnType<typeof tableCard>>} */
    this.cards = new Map();
    this.title = el("span", {});
    this.invites = el("span", { class: "invites" });
    this.lost = el("p", { class: "lost", role: "status", hidden: true });
    this.list = el("ul", { class: "tables" });
    this.join = el("aside", { class: "join", hidden: true });
    this.#build();
  }

  /** Ask for the tables. A page in the background asks for nothing. */
  async ask() {
    if (document.hidden && this.known) return;
    const sent = performance.now();
    try {
      const answer = await fetch(new URL("lobby.json", document.baseURI));
      this.known = await answer.json();
      this.failed = 0;
    } catch {
      this.failed += 1;
    }
    if (this.failed === 0 && this.known) {
      this.clock = addSample(this.clock, { sent, got: performance.now(), house: this.known.now_us });
    }
    this.draw();
  }

  /** Draw everything that is known. */
  draw() {
    const { known, pageData } = this;
    const tables = known?.tables ?? [];
    const open = tables.filter(isTableOpen).length;
    text(this.title, known ? openText(open, tables.length) : say("lobby.connecting"));
    shown(this.invites, open > 0);
    each(
      this.list,
      tables,
      ({ table }) => table,
      (table) => {
        const card = tableCard(pageData.felts[table.rulebook] ?? null, tableTitle(table, tables));
        this.cards.set(table.table, card);
        return card.node;
      },
      (_, table) => this.cards.get(table.table)?.update(table, this.now()),
    );
    shown(this.lost, this.failed >= FAILED_MOST);
  }

  /** Draw what changes with time. */
  tick() {
    for (const table of this.known?.tables ?? []) this.cards.get(table.table)?.update(table, this.now());
  }

  now() {
    return serverNow(this.clock, performance.now());
  }

  /** The page, in the language in use. */
  #build() {
    this.cards.clear();
    this.list.replaceChildren();
    text(this.invites, say("lobby.seat"));
    text(this.lost, say("lobby.lost"));
    const demo = this.pageData.mode === "demo";
    const about = demo ? `${say("lobby.gift")} ${say("lobby.bets-about")}` : say("lobby.bets-about");
    this.join.replaceChildren(this.#joinText());
    if (this.code) this.#showCode(this.code);
    this.host.replaceChildren(
      el("div", { class: "sky", "aria-hidden": "true" }, this.#wheel()),
      this.#header(demo),
      el(
        "section",
        { class: "hero" },
        el("div", {}, el("h1", {}, this.title, " ", this.invites), el("p", {}, about)),
        this.join,
      ),
      this.lost,
      this.list,
      this.#staff(),
    );
    this.draw();
  }

  /** @param {boolean} demo */
  #header(demo) {
    const banner = demo ? el("p", { class: "demo-mark" }, say("top-bar.demo")) : null;
    const mark = el("span", { class: "mark" }, el("i", { "aria-hidden": "true" }), el("span", {}, this.pageData.venue));
    const lang = languageSwitch((chosen) => void this.#translate(chosen));
    const sound = button("", () => this.prefs.set({ sound: !this.prefs.now.sound }), { class: "quiet-button" });
    const show = () => {
      const { sound: on } = this.prefs.now;
      sound.replaceChildren(icon("sound"), el("span", {}, say(on ? "sound.on" : "sound.off")));
      marked(sound, "aria-pressed", String(on));
    };
    this.prefs.onchange = show;
    show();
    return el("header", { class: "top" }, mark, banner, el("nav", { "aria-label": say("menu.title") }, sound, lang));
  }

  /** @param {string} lang */
  async #translate(lang) {
    this.prefs.set({ lang });
    if (await useLanguage(lang)) this.#build();
  }

  /** A wheel that stands still, above the tables. */
  #wheel() {
    const felt = Object.values(this.pageData.felts)[0];
    const colours = new Map(felt?.cells.map(([pocket, colour]) => [pocket, colour]));
    const host = el("div", {});
    this.wheel?.destroy();
    if (!felt) return host;
    const order = felt.wheel.map((pocket) => ({ pocket, colour: colours.get(pocket) ?? "black" }));
    this.wheel = new Wheel(host, { order, say });
    this.wheel.set({
      phase: "between",
      round: 0,
      spin: 0,
      pocket: null,
      last: null,
      launchedAt: null,
      now: 0,
      reduced: true,
    });
    return host;
  }

  #joinText() {
    return el("div", {}, el("h2", {}, say("lobby.join")), el("p", {}, say("lobby.join-about")));
  }

  /** Phones join with the code that a screen of the host shows; elsewhere there is none. */
  async showJoin() {
    const code = await fetchJoinCode();
    if (code) this.#showCode(code);
  }

  /** @param {SVGElement} code */
  #showCode(code) {
    this.code = code;
    marked(code, "aria-label", say("lobby.join-code"));
    this.join.append(code);
    shown(this.join, true);
  }

  #staff() {
    const links = STAFF.map((name) =>
      el("a", { class: "quiet-button", href: name }, icon(STAFF_ICONS[name]), el("span", {}, staffText(name)))
    );
    return el(
      "footer",
      { class: "staff" },
      el("span", {}, say("lobby.staff")),
      ...links,
      el("p", {}, say("stats.odds")),
    );
  }
}

/** @param {number} open @param {number} all */
const openText = (open, all) => (open > 0 ? say("lobby.open", { n: open }) : say("lobby.closed", { n: all }));

/** @type {Record<string, string>} */
const STAFF_ICONS = {
  dealer: "wheel",
  live_table: "special",
  pit: "search",
  cashier: "money",
  board: "table",
  notice: "rules",
  auditor: "form",
  trainer: "double",
};

/** @param {string} name */
const staffText = (name) => say(`lobby.${name}`);

const main = document.querySelector("main.app.lobby");
if (main instanceof HTMLElement) {
  const prefs = new Preferences(localStorage);
  await useLanguage(languageOf(parametersOf(location).lang, prefs.now.lang, navigator.languages));
  const page = new Lobby(main, /** @type {PageData} */ (pageDataOf(document)), prefs);
  document.querySelector("body > .demo")?.remove();
  void page.ask();
  void page.showJoin();
  setInterval(() => void page.ask(), ASK_MS);
  setInterval(() => page.tick(), TICK_MS);
  document.addEventListener("visibilitychange", () => document.hidden || void page.ask());
}
