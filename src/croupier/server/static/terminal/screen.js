// The arrangement of the terminal screen.

import { button, el, icon, marked, shown } from "../shared/dom.js";
import { sound } from "../shared/sound.js";
import { say } from "../shared/text.js";
import { actions, deedsOf } from "./actions.js";
import { announcer, refusals } from "./announcements.js";
import { bets } from "./bet_list.js";
import { gutter } from "./copy_controls.js";
import { recallBar } from "./dialogs/patterns.js";
import { sessionLine } from "./dialogs/session.js";
import { statsCard } from "./dialogs/statistics.js";
import { Game } from "./game.js";
import { meters } from "./meters.js";
import { switcher, tabs } from "./navigation.js";
import { strip, told } from "./notices.js";
import { anotherSeat } from "./sign_on.js";
import { tray } from "./tray.js";

/** @typedef {import("./controller.js").Ui} Ui */

export class Screen {
  /** @param {Ui} ui @param {HTMLElement | null} demo the demonstration banner of the page */
  constructor(ui, demo) {
    this.ui = ui;
    this.deeds = deedsOf(ui);
    /** @type {Map<string, Game>} */
    this.games = new Map();
    /** Whether a win was celebrated in the last draw. */
    this.celebrated = false;
    /** The arrangement in use. */
    this.arranged = "";
    this.told = told(ui);
    /** The place of the notice, unless a small screen shows it elsewhere. */
    this.news = el("div", { class: "news" });
    this.strip = strip(ui, demo, this.news);
    this.session = sessionLine(ui);
    this.switcher = switcher(ui);
    this.gutter = gutter(ui);
    this.tabs = tabs(ui, "play");
    this.meters = meters();
    this.tray = tray(ui, (cents, event) => this.games.get(ui.focus())?.cloths.felt?.carry(cents, event));
    this.recall = recallBar(ui);
    this.stats = statsCard(ui);
    this.actions = actions(this.deeds, () => this.#menu());
    this.bets = bets(ui);
    this.announcer = announcer(ui);
    this.refusals = refusals(ui, {
      bubble: (table, spot, words, clause) => this.games.get(table)?.cloths.refuse(spot, words, clause),
      refuse: this.announcer.refuse,
    });
    this.menu = button(icon("menu"), () => this.#menu(), { class: "menu", "aria-label": say("menu.title") });
    this.centre = el("div", { class: "centre" }, this.session.node, this.menu);
    this.top = el("header", { class: "headbar" });
    this.pair = el("div", { class: "pair" });
    this.play = el("div", { class: "play", id: "play" });
    this.bottom = el("footer", { class: "bottom" }, this.meters.node, this.tray.node, this.recall.node);
    const bars = [this.strip.node, this.top, this.tabs.node];
    const rest = [this.bottom, this.actions.node, this.bets.node, this.announcer.node];
    this.node = el("div", { class: "screen" }, ...bars, this.play, ...rest);
  }

  update() {
    const { ui } = this;
    const small = isSmall();
    ui.shows = { small, both: ui.tables().length > 1 && ui.prefs.now.games === 2 && isWide() && !small };
    this.#furnish();
    this.#arrange();
    for (const game of this.games.values()) game.update();
    this.strip.update();
    this.told.update();
    this.session.update();
    this.switcher.update(isWide() && !small);
    this.gutter.update();
    this.tabs.update();
    const figures = this.#figures();
    this.meters.update(figures);
    if (figures.celebrated && !this.celebrated) sound.win();
    this.celebrated = figures.celebrated;
    this.#lower(small);
    this.bets.update();
    this.announcer.update();
    this.refusals();
  }

  /** Advance time. Returns whether everything must be redrawn. */
  tick() {
    this.told.update();
    this.session.tick();
    this.switcher.tick();
    this.announcer.tick();
    return [...this.games.values()].map((game) => game.tick()).some(Boolean);
  }

  destroy() {
    for (const game of this.games.values()) game.destroy();
    this.node.remove();
  }

  /** Everything below the felts. @param {boolean} small */
  #lower(small) {
    const { ui } = this;
    this.tray.update();
    this.recall.update(ui.seated());
    this.stats.update(ui.seated());
    // No chip is chosen while a recalled pattern waits for confirmation.
    shown(this.tray.node, this.recall.node.hidden);
    this.actions.update(small);
  }

  #figures() {
    const { ui } = this;
    const { seat } = ui.seated();
    const sum = (/** @type {string[]} */ tables, /** @type {"staked" | "won"} */ name) =>
      tables.reduce((all, table) => all + (ui.mine(table)?.[name] ?? 0), 0);
    // A win belongs to the number shown; until the next number it is the last win of the active game.
    const fresh = ui.tables().filter((name) => (ui.table(name)?.pocket ?? null) !== null);
    const celebrated = [...this.games.values()].some((game) => game.isWon);
    return {
      credit: seat.credit,
      bet: sum(ui.tables(), "staked"),
      win: sum(fresh.length > 0 ? fresh : [ui.focus()], "won"),
      isFresh: fresh.length > 0,
      held: seat.held ?? 0,
      celebrated,
    };
  }

  /** One game for every table of the terminal. */
  #furnish() {
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
    const { both, small } = ui.shows;
    const { view, tab, hand, assist } = ui.prefs.now;
    for (const [name, value] of Object.entries({
      games: both ? 2 : 1,
      room: small ? "small" : "wide",
      view,
      tab,
      hand,
    }))
      marked(node, `data-${name}`, value);
    marked(node, "data-assist", assist ? "" : null);
    const over = small && isUpright();
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
    if (both) this.top.replaceChildren(first.head.node, this.centre, second.head.node);
    else this.top.replaceChildren(first.head.node, small ? this.pair : this.switcher.node, this.centre);
    this.pair.replaceChildren(...(small ? [this.switcher.node, this.gutter.node] : []));
    shown(this.pair, ui.tables().length > 1);
    // In portrait, notices replace the history, so that nothing under a finger moves.
    (over ? this.top : this.news).append(this.told.node);
    if (both) this.play.replaceChildren(first.node, this.gutter.node, second.node);
    else this.play.replaceChildren(first.node);
    if (!both) first.rail.append(this.stats.node);
  }

  /** Actions that do not fit a small screen come first in its menu. */
  #menu() {
    const { small } = this.ui.shows;
    const rest = this.deeds.filter(
      ({ there, small: has, id }) => small && !has && !SHEETS.has(id) && (there?.() ?? true),
    );
    /** @type {[string, string, () => void][]} */
    const first = rest
      .filter(({ can }) => can?.() ?? true)
      .map(({ id, icon: drawn, words, press }) => [drawn ?? id, words(), press]);
    if (this.ui.session.demo) first.push(["copy", say("menu.another-seat"), anotherSeat]);
    this.ui.open.menu(first);
  }
}

/** Actions that the menu has anyway. */
const SHEETS = new Set(["special", "save", "limits", "view"]);

// Screen size: whether it is small, and whether two games fit side by side.

const small = matchMedia("(max-width: 699px), (max-height: 539px)");
const upright = matchMedia("(orientation: portrait)");
const wide = matchMedia("(min-width: 1000px) and (min-height: 540px)");

const isSmall = () => small.matches;
const isWide = () => wide.matches;
export const isUpright = () => upright.matches;

/** Call back on every change. @param {() => void} changed @returns {() => void} stops it */
export function onRoom(changed) {
  const all = [small, wide, upright];
  for (const one of all) one.addEventListener("change", changed);
  return () => all.forEach((one) => one.removeEventListener("change", changed));
}
