// The arrangement of the terminal screen.

import { button, el, icon, marked, shown } from "../shared/dom.js";
import { languageSwitch } from "../shared/language_switch.js";
import { render } from "../shared/render.js";
import { sound } from "../shared/sound.js";
import { say } from "../shared/text.js";
import { actionBar, actionsOf } from "./actions.js";
import { announcements, showRefusals } from "./announcements.js";
import { betList } from "./bet_list.js";
import { copyControls } from "./copy_controls.js";
import { recallBar } from "./recall_bar.js";
import { sessionLine } from "./dialogs/session.js";
import { Game } from "./game.js";
import { meters } from "./meters.js";
import { switcher, tabs } from "./navigation.js";
import { noticeLine, topBar } from "./notices.js";
import { openAnotherSeat } from "./sign_on.js";
import { statsCard } from "./statistics.js";
import { chipTray } from "./tray.js";

/** @typedef {import("./controller.js").Controller} Controller */

export class Screen {
  /** @param {Controller} ui @param {HTMLElement | null} demo the demonstration banner of the page */
  constructor(ui, demo) {
    this.ui = ui;
    this.actions = actionsOf(ui);
    /** @type {Map<string, Game>} */
    this.games = new Map();
    /** Whether a win was celebrated in the last draw. */
    this.celebrated = false;
    /** The arrangement in use. */
    this.arranged = "";
    this.notice = noticeLine(ui);
    /** The place of the notice, unless a small screen shows it elsewhere. */
    this.noticePlace = el("div", { class: "news" });
    this.topBar = topBar(ui, demo, this.noticePlace);
    this.session = sessionLine(ui);
    this.switcher = switcher(ui);
    this.copyControls = copyControls(ui);
    this.tabs = tabs(ui, "play");
    this.meters = meters();
    this.tray = chipTray(ui, (cents, event) => this.games.get(ui.focus())?.surfaces.felt?.startDrag(cents, event));
    this.recall = recallBar(ui);
    this.stats = statsCard(ui);
    this.actionBar = actionBar(this.actions, () => this.#menu());
    this.bets = betList(ui);
    this.announcements = announcements(ui);
    this.refusals = showRefusals(ui, {
      bubble: (table, spot, words, clause, remedy) =>
        this.games.get(table)?.surfaces.refuse(spot, words, clause, remedy),
      refuse: this.announcements.refuse,
    });
    this.menu = button(icon("menu"), () => this.#menu(), { class: "menu", "aria-label": say("menu.title") });
    const language = el("div", { class: "language-place" });
    render(language, languageSwitch((lang) => ui.prefs.set({ lang })));
    this.attendant = button(
      el("span", {}, icon("bell"), el("span", { class: "words" }, say("attendant.button"))),
      () => ui.dialogs.attendant(),
      {
        class: "attendant",
        "aria-label": say("attendant.title"),
      },
    );
    this.centre = el("div", { class: "centre" }, this.session.node, this.attendant, language, this.menu);
    this.headers = el("header", { class: "headbar" });
    this.pair = el("div", { class: "pair" });
    this.play = el("div", { class: "play", id: "play" });
    this.bottom = el("footer", { class: "bottom" }, this.meters.node, this.tray.node, this.recall.node);
    const bars = [this.topBar.node, this.headers, this.tabs.node];
    const rest = [this.bottom, this.actionBar.node, this.bets.node, this.announcements.node];
    this.node = el("div", { class: "screen" }, ...bars, this.play, ...rest);
  }

  update() {
    const { ui } = this;
    const small = isSmall();
    ui.layout = { small, both: ui.tables().length > 1 && ui.prefs.now.games === 2 && isWide() && !small };
    this.#syncGames();
    this.#arrange();
    for (const game of this.games.values()) game.update();
    this.topBar.update();
    this.notice.update();
    this.session.update();
    marked(this.attendant, "data-called", ui.view().seat?.call ? "" : null);
    this.switcher.update(isWide() && !small);
    this.copyControls.update();
    this.tabs.update();
    const figures = this.#figures();
    this.meters.update(figures);
    if (figures.celebrated && !this.celebrated) sound.win();
    this.celebrated = figures.celebrated;
    this.#updateBottom(small);
    this.bets.update();
    this.announcements.update();
    ui.playAuto(this.refusals() > 0);
  }

  /** Advance time. Returns whether everything must be redrawn. */
  tick() {
    this.notice.update();
    this.session.tick();
    this.switcher.tick();
    this.announcements.tick();
    return [...this.games.values()].map((game) => game.tick()).some(Boolean);
  }

  destroy() {
    for (const game of this.games.values()) game.destroy();
    this.node.remove();
  }

  /** Everything below the felts. @param {boolean} small */
  #updateBottom(small) {
    const { ui } = this;
    this.tray.update();
    this.recall.update(ui.seated());
    this.stats.update(ui.seated());
    // No chip is chosen while a recalled pattern waits for confirmation.
    shown(this.tray.node, Boolean(this.recall.node.hidden));
    this.actionBar.update(small);
  }

  #figures() {
    const { ui } = this;
    const { seat } = ui.seated();
    const sum = (/** @type {string[]} */ tables, /** @type {"staked" | "net"} */ name) =>
      tables.reduce((all, table) => all + (ui.game(table)?.[name] ?? 0), 0);
    // A win belongs to the number shown; until the next number it is the last win of the active game.
    const fresh = ui.tables().filter((name) => (ui.table(name)?.pocket ?? null) !== null);
    const celebrated = [...this.games.values()].some((game) => game.isWon);
    return {
      credit: seat.credit,
      bet: sum(ui.tables(), "staked"),
      win: sum(fresh.length > 0 ? fresh : [ui.focus()], "net"),
      isFresh: fresh.length > 0,
      held: seat.held ?? 0,
      celebrated,
    };
  }

  /** One game for every table of the terminal. */
  #syncGames() {
    const tables = this.ui.tables();
    for (const name of tables) if (!this.games.has(name)) this.games.set(name, new Game(this.ui, name));
    for (const [name, game] of this.games) {
      if (tables.includes(name)) continue;
      game.destroy();
      this.games.delete(name);
    }
  }

  /** Move elements to their places. Only what CSS cannot do is done here. */
  #arrange() {
    const { ui, node } = this;
    const { both, small } = ui.layout;
    const { view, tab, hand, assist } = ui.prefs.now;
    for (
      const [name, value] of Object.entries({
        games: both ? 2 : 1,
        room: small ? "small" : "wide",
        view,
        tab,
        hand,
      })
    ) {
      marked(node, `data-${name}`, value);
    }
    marked(node, "data-assist", assist ? "" : null);
    const over = small && isPortrait();
    // With both games shown the arrangement does not depend on the active one, or the focus would be lost.
    const wanted = JSON.stringify([both, small, over, ui.tables(), both ? "" : ui.focus()]);
    if (wanted === this.arranged) return;
    this.arranged = wanted;
    const focused = document.activeElement;
    this.#place(both, small, over);
    // A moved element loses the focus.
    if (focused instanceof HTMLElement && this.node.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** @param {boolean} both games are shown @param {boolean} small
   * @param {boolean} over whether notices replace the history */
  #place(both, small, over) {
    const { ui } = this;
    const games = both ? [...this.games.values()] : [/** @type {Game} */ (this.games.get(ui.focus()))];
    const [first, second] = games;
    if (both) this.headers.replaceChildren(first.header.node, this.centre, second.header.node);
    else this.headers.replaceChildren(first.header.node, small ? this.pair : this.switcher.node, this.centre);
    this.pair.replaceChildren(...(small ? [this.switcher.node, this.copyControls.node] : []));
    shown(this.pair, ui.tables().length > 1);
    // In portrait, notices replace the history, so that nothing under a finger moves.
    (over ? this.headers : this.noticePlace).append(this.notice.node);
    if (both) this.play.replaceChildren(first.node, this.copyControls.node, second.node);
    else this.play.replaceChildren(first.node);
    if (!both) first.rail.append(this.stats.node);
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

// Screen size: whether it is small, and whether two games fit side by side.

const small = matchMedia("(max-width: 699px), (max-height: 539px)");
const portrait = matchMedia("(orientation: portrait)");
const wide = matchMedia("(min-width: 1000px) and (min-height: 540px)");

const isSmall = () => small.matches;
const isWide = () => wide.matches;
const isPortrait = () => portrait.matches;

/** Call back on every change. @param {() => void} changed @returns {() => void} stops it */
export function onResize(changed) {
  const all = [small, wide, portrait];
  for (const one of all) one.addEventListener("change", changed);
  return () => all.forEach((one) => one.removeEventListener("change", changed));
}
