// The arrangement of the terminal screen.

import { languageSwitch } from "../shared/language_switch.js";
import { button, h, icon } from "../shared/render.js";
import { sound } from "../shared/sound.js";
import { say } from "../shared/text.js";
import { actionBar, actionsOf } from "./actions.js";
import { Announcer, showRefusals } from "./announcements.js";
import { betList } from "./bet_list.js";
import { isPortrait } from "./controller.js";
import { copyControls } from "./copy_controls.js";
import { sessionLine, timePlayed } from "./dialogs/session.js";
import { Game } from "./game.js";
import { Meters } from "./meters.js";
import { switcher, tabs } from "./navigation.js";
import { noticeLine, topBar } from "./notices.js";
import { isRecalling, recallBar } from "./recall_bar.js";
import { openAnotherSeat } from "./sign_on.js";
import { statsCard } from "./statistics.js";
import { chipTray } from "./tray.js";

/** @typedef {import("./controller.js").Controller} Controller */

const MINUTE_US = 60e6;

export class Screen {
  /** @param {Controller} ui @param {boolean} isDemo whether the page says that it is a demonstration */
  constructor(ui, isDemo) {
    this.ui = ui;
    this.isDemo = isDemo;
    this.actions = actionsOf(ui);
    /** @type {Map<string, Game>} */
    this.games = new Map();
    this.meters = new Meters();
    this.announcer = new Announcer(ui);
    this.showRefusals = showRefusals(ui, {
      bubble: (table, spot, words, clause, remedy) =>
        this.games.get(table)?.surfaces.refuse(spot, words, clause, remedy),
      refuse: (words, clause) => this.announcer.refuse(words, clause),
    });
    /** Whether a win was celebrated before. */
    this.celebrated = false;
    /** What changes with time alone, as it was drawn. */
    this.drawnAt = "";
  }

  /** Take in what the tables and the clock say. */
  observe() {
    this.#syncGames();
    for (const game of this.games.values()) game.observe();
    const { celebrated } = this;
    this.celebrated = [...this.games.values()].some((game) => game.isWon);
    if (this.celebrated && !celebrated) sound.win();
    this.drawnAt = this.#moment();
  }

  /** The whole screen. Games and meters draw what is inside of them afterwards. */
  tree() {
    const { ui, games } = this;
    const { both, small } = ui.layout;
    const { view, tab, hand, assist } = ui.prefs.now;
    const shown = both ? [...games.values()] : [/** @type {Game} */ (games.get(ui.focus()))];
    const [first, second] = shown;
    // A small upright screen shows notices in the place of the history, so that nothing under a finger moves.
    const isOver = small && isPortrait();
    const notice = noticeLine(ui);
    const switched = small
      ? h("div", { class: "pair", key: "pair", hidden: ui.tables().length < 2 }, switcher(ui), copyControls(ui))
      : switcher(ui);
    const { list, panel } = tabs(ui);
    return h(
      "div",
      {
        class: "screen",
        inert: ui.view().connection === "ended",
        "data-games": both ? 2 : 1,
        "data-room": small ? "small" : "wide",
        "data-assist": assist,
        "data-view": view,
        "data-tab": tab,
        "data-hand": hand,
      },
      topBar(ui, this.isDemo, !isOver && notice),
      h(
        "header",
        { class: "headbar" },
        first.header(),
        !both && switched,
        this.#centre(),
        second?.header(),
        isOver && notice,
      ),
      small && list,
      h(
        "div",
        { class: "play", ...(small ? panel : {}) },
        first.node,
        both && copyControls(ui),
        second?.node,
      ),
      h(
        "footer",
        { class: "bottom" },
        this.meters.node,
        chipTray(ui, (cents, event) => games.get(ui.focus())?.surfaces.felt?.startDrag(cents, event), isRecalling(ui)),
        recallBar(ui),
      ),
      actionBar(this.actions, small, () => this.#menu()),
      betList(ui),
      h("div", { class: "live" }, this.announcer.polite, this.announcer.urgent),
    );
  }

  /** Draw the games and the meters, which are on the page. */
  drawParts() {
    const { both } = this.ui.layout;
    for (const game of this.games.values()) {
      game.draw(!both && game.name === this.ui.focus() && statsCard(this.ui));
    }
    this.meters.show(this.#figures());
  }

  /** What follows from what is shown: announcements, refusals, and bets that are repeated. */
  react() {
    this.announcer.announce();
    this.ui.playAuto(this.showRefusals() > 0);
  }

  /** Whether time alone has changed what is shown. */
  isDue() {
    return this.drawnAt !== this.#moment();
  }

  destroy() {
    for (const game of this.games.values()) game.destroy();
  }

  #moment() {
    const { ui } = this;
    const now = ui.session.now() ?? 0;
    return JSON.stringify([
      ui.tables().map((name) => [ui.isOpen(name), ui.status(name).is, ui.seconds(name)]),
      [now, timePlayed(ui) ?? 0].map((us) => Math.floor(us / MINUTE_US)),
      now < ui.news.until,
    ]);
  }

  /** Session, attendant, language and menu. */
  #centre() {
    const { ui } = this;
    return h(
      "div",
      { class: "centre", key: "centre" },
      sessionLine(ui),
      button(
        h("span", null, icon("bell"), h("span", { class: "words" }, say("attendant.button"))),
        () => ui.dialogs.attendant(),
        {
          class: "attendant",
          "aria-label": say("attendant.title"),
          "data-called": Boolean(ui.view().seat?.call),
        },
      ),
      h("div", { class: "language-place" }, languageSwitch((lang) => ui.prefs.set({ lang }))),
      button(icon("menu"), () => this.#menu(), { class: "menu", "aria-label": say("menu.title") }),
    );
  }

  #figures() {
    const { ui } = this;
    const { seat } = ui.seated();
    const sum = (/** @type {string[]} */ tables, /** @type {"staked" | "net"} */ name) =>
      tables.reduce((all, table) => all + (ui.game(table)?.[name] ?? 0), 0);
    // A win belongs to the number shown; until the next number it is the last win of the active game.
    const fresh = ui.tables().filter((name) => (ui.table(name)?.pocket ?? null) !== null);
    return {
      credit: seat.credit,
      bet: sum(ui.tables(), "staked"),
      win: sum(fresh.length > 0 ? fresh : [ui.focus()], "net"),
      isFresh: fresh.length > 0,
      held: seat.held ?? 0,
      celebrated: this.celebrated,
    };
  }

  /** One game for every table of the terminal, by name. */
  #syncGames() {
    const tables = this.ui.tables();
    const before = this.games;
    this.games = new Map(tables.map((name) => [name, before.get(name) ?? new Game(this.ui, name)]));
    for (const [name, game] of before) if (!this.games.has(name)) game.destroy();
  }

  /** Actions that do not fit a small screen come first in its menu. */
  #menu() {
    const { small } = this.ui.layout;
    const rest = this.actions.filter(
      ({ isOffered: there, small: has, id }) => small && !has?.() && !IN_MENU.has(id) && (there?.() ?? true),
    );
    /** @type {[string, string, () => void][]} */
    const first = rest
      .filter(({ isEnabled: can }) => can?.() ?? true)
      .map(({ id, icon: drawn, words, press }) => [drawn ?? id, words(), press]);
    if (this.ui.session.demo) first.push(["copy", say("menu.another-seat"), openAnotherSeat]);
    this.ui.dialogs.menu(first);
  }
}

/** Actions that the menu has anyway. */
const IN_MENU = new Set(["special", "save", "limits", "view"]);
