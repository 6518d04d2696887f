// The first page: a card for each table, a QR code for phones, and the pages of staff.

import { joinCode } from "../shared/join_code.js";
import { languageSwitch } from "../shared/language_switch.js";
import { Preferences } from "../shared/preferences.js";
import { button, h, icon, render } from "../shared/render.js";
import { pageDataOf } from "../shared/page_data.js";
import { parametersOf } from "../shared/session.js";
import { addSample, newClock, serverNow } from "../shared/table_status.js";
import { languageOf, say, tableTitle, useLanguage } from "../shared/text.js";
import { Wheel } from "../wheel/wheel.js";
import { isTableOpen, TableCard } from "./card.js";

/**
 * @typedef {import("./card.js").LobbyTable} LobbyTable
 * @typedef {{now_us: number, gift: number | null, tables: LobbyTable[]}} Known what the server has said of the tables
 * @typedef {import("../shared/page_data.js").PageData & {felts: Record<string, import("./card.js").SmallFelt>}} PageData
 */

/** How often the tables are asked for, and how often what changes with time is drawn. */
const ASK_MS = 1500;
const TICK_MS = 200;
/** How many answers in a row may fail before the page says so. */
const FAILED_MOST = 2;
/** The pages of staff: their addresses are their names. */
const STAFF =
  /** @type {const} */ (["dealer", "live_table", "pit", "cashier", "board", "notice", "auditor", "trainer"]);

class Lobby {
  /** @type {Known | null} */
  #known = null;
  #clock = newClock();
  #failed = 0;
  /** @type {Map<string, TableCard>} */
  #cards = new Map();
  #sky = stillWheel([]);

  /** @param {HTMLElement} host @param {PageData} pageData @param {Preferences} prefs */
  constructor(host, pageData, prefs) {
    this.host = host;
    this.pageData = pageData;
    this.prefs = prefs;
    this.#sky = stillWheel(Object.values(pageData.felts));
    prefs.onchange = () => this.draw();
  }

  /** Ask for the tables. A page in the background asks for nothing. */
  async ask() {
    if (document.hidden && this.#known) return;
    const sent = performance.now();
    try {
      const answer = await fetch(new URL("lobby.json", document.baseURI));
      /** @type {Known} */
      const known = await answer.json();
      this.#known = known;
      this.#failed = 0;
      this.#clock = addSample(this.#clock, { sent, got: performance.now(), house: known.now_us });
    } catch {
      this.#failed += 1;
    }
    this.draw();
  }

  draw() {
    const tables = this.#known?.tables ?? [];
    const open = tables.filter(isTableOpen).length;
    const demo = this.pageData.mode === "demo";
    const now = serverNow(this.#clock, performance.now());
    render(
      this.host,
      h("div", { class: "sky", "aria-hidden": "true" }, this.#sky),
      this.#header(demo),
      h(
        "section",
        { class: "hero" },
        h(
          "div",
          null,
          h(
            "h1",
            null,
            h("span", null, this.#known ? openText(open, tables.length) : say("lobby.connecting")),
            " ",
            open > 0 && h("span", { class: "invites" }, say("lobby.seat")),
          ),
          h("p", null, demo ? `${say("lobby.gift")} ${say("lobby.bets-about")}` : say("lobby.bets-about")),
        ),
        this.#join(),
      ),
      h("p", { class: "lost", role: "status", hidden: this.#failed < FAILED_MOST }, say("lobby.lost")),
      h("ul", { class: "tables" }, tables.map((table) => this.#cardOf(table, tables).draw(table, now))),
      staffLinks(),
    );
  }

  /** @param {LobbyTable} table @param {LobbyTable[]} tables */
  #cardOf(table, tables) {
    const name = tableTitle(table, tables);
    let card = this.#cards.get(table.table);
    if (card?.name !== name) card = new TableCard(this.pageData.felts[table.rulebook] ?? null, name);
    this.#cards.set(table.table, card);
    return card;
  }

  /** @param {boolean} demo */
  #header(demo) {
    const { sound } = this.prefs.now;
    return h(
      "header",
      { class: "top" },
      h("span", { class: "mark" }, h("i", { "aria-hidden": "true" }), h("span", null, this.pageData.venue)),
      demo && h("p", { class: "demo-mark" }, say("top-bar.demo")),
      h(
        "nav",
        { "aria-label": say("menu.title") },
        button(
          [icon("sound"), h("span", null, say(sound ? "sound.on" : "sound.off"))],
          () => this.prefs.set({ sound: !sound }),
          { class: "quiet-button", "aria-pressed": String(sound) },
        ),
        languageSwitch((chosen) => void this.#translate(chosen)),
      ),
    );
  }

  /** @param {string} lang */
  async #translate(lang) {
    this.prefs.set({ lang });
    if (await useLanguage(lang)) this.draw();
  }

  /** Phones join with the code that a screen of the host shows; elsewhere there is none. */
  #join() {
    const code = joinCode(() => this.draw());
    return code &&
      h(
        "aside",
        { class: "join" },
        h("div", null, h("h2", null, say("lobby.join")), h("p", null, say("lobby.join-about"))),
        code,
      );
  }
}

/** A wheel that stands still, above the tables. @param {import("./card.js").SmallFelt[]} felts */
function stillWheel([felt]) {
  const host = document.createElement("div");
  if (!felt) return host;
  const colours = new Map(felt.cells.map(([pocket, colour]) => [pocket, colour]));
  const order = felt.wheel.map((pocket) => ({ pocket, colour: colours.get(pocket) ?? "black" }));
  const still = { round: 0, spin: 0, pocket: null, last: null, launchedAt: null, now: 0, reduced: true };
  new Wheel(host, { order, say }).set({ phase: "between", ...still });
  return host;
}

/** The pages of staff. */
function staffLinks() {
  const link = (/** @type {typeof STAFF[number]} */ name) =>
    h("a", { class: "quiet-button", href: name }, icon(STAFF_ICONS[name]), h("span", null, staffText(name)));
  return h(
    "footer",
    { class: "staff" },
    h("span", null, say("lobby.staff")),
    STAFF.map(link),
    h("p", null, say("stats.odds")),
  );
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
  page.draw();
  void page.ask();
  setInterval(() => void page.ask(), ASK_MS);
  setInterval(() => page.draw(), TICK_MS);
  document.addEventListener("visibilitychange", () => document.hidden || void page.ask());
}
