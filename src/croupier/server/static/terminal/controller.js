// The controller of a terminal: what is shown and chosen; sends commands.

import { fetchFelt } from "../shared/felt_cache.js";
import { sound } from "../shared/sound.js";
import { isOpen, isReady } from "../shared/store.js";
import { secondsLeft, statusOf } from "../shared/table_status.js";
import * as auto from "./auto_repeat.js";
import { nextNews, NO_NEWS } from "./notices.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/table_status.js").Status} Moment
 * @typedef {import("../shared/preferences.js").Preferences} Prefs
 * @typedef {import("../shared/session.js").Session} Session
 * @typedef {import("../shared/types/wire.js").TableState} Table
 * @typedef {import("../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../shared/store.js").View} View
 * @typedef {import("../shared/store.js").Answer} Answer
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 */

/**
 * @typedef {import("../shared/types/wire.js").GameView & {bets: Record<string, number>}} OwnGame a game of this terminal
 * @typedef {{name: string, table: Table, mine: OwnGame, data: Felt}} GameState everything known of a game
 * @typedef {[string, number][]} Pieces spots with their stakes
 * @typedef {{table?: string, spot?: string | null}} At where the player pressed
 * @typedef {{table?: string, add?: Record<string, number>, take?: string[], clear?: boolean}} Guess
 * @typedef {{spin: string, count: number, repeated: boolean, first: string}} Changes
 */

/** Commands for a game that move no chip. */
const KEEPS_CHIPS = new Set(["SavePattern", "RecallPattern", "CancelRecall", "CommitShare", "RevealShare"]);

export class Controller {
  /** @param {Session} session @param {Prefs} prefs */
  constructor(session, prefs) {
    this.session = session;
    this.prefs = prefs;
    /** The view drawn last. @type {View | null} */
    this.drawnView = null;
    /**
     * The last view from the server: it may hold a number that is not drawn yet, because the ball still lands.
     * @type {View | null}
     */
    this.serverView = null;
    /** Called when the ball of a table has come to rest. @type {(table: string) => void} */
    this.landed = () => {};
    /** Where a command was pressed that was refused. @type {WeakMap<Refusal, {table: string, spot: string | null}>} */
    this.pressedAt = new WeakMap();
    /**
     * Stakes previewed before they are placed, and at which table.
     * @type {{table: string, ghosts: Record<string, number>} | null}
     */
    this.previewed = null;
    /** Whether the neighbours that the button would add are shown. */
    this.asksNeighbours = false;
    /** The rounds in which the last bets are repeated, by table. @type {Map<string, import("./auto_repeat.js").AutoRepeat>} */
    this.auto = new Map();
    /** How many changes of the running spin can be undone, and whether the last repeated, by table. @type {Map<string, Changes>} */
    this.changes = new Map();
    /** The tables that a visitor may deal, and nobody does. @type {Set<string>} */
    this.undealt = new Set();
    /** What is loaded after the page. @type {typeof import("./dialogs/panels.js").parts | null} */
    this.parts = null;
    /** The open function of every dialog, by name. @type {Record<string, (...given: any[]) => void>} */
    this.dialogs = {};
    /** The messages of the server that are shown for a while. */
    this.news = NO_NEWS;
  }

  /** The layout: whether the screen is small, whether two games fit, and whether both are shown. */
  get layout() {
    const small = isSmall();
    const fitsBoth = isWide() && !small;
    return { small, fitsBoth, both: this.tables().length > 1 && this.prefs.now.games === 2 && fitsBoth };
  }

  /** Take in what is shown from now on. @param {View} serverView @param {View} view */
  observe(serverView, view) {
    [this.serverView, this.drawnView] = [serverView, view];
    const { seat } = view;
    if (!seat) return;
    this.news = nextNews(this.news, seat.messages ?? [], this.session.now() ?? 0);
  }

  /** Ask whether anybody deals, where a visitor may: the table says nothing until somebody does. */
  async askDealer() {
    const waits = this.tables().some((name) => this.table(name)?.wheel === "keypad" && !this.isOpen(name));
    if (!waits && this.undealt.size === 0) return;
    const answer = await fetch(new URL("lobby.json", document.baseURI)).catch(() => null);
    if (!answer?.ok) return;
    /** @type {{tables: {table: string, undealt: boolean}[]}} */
    const { tables } = await answer.json();
    this.undealt = new Set(tables.filter(({ undealt }) => undealt).map(({ table }) => table));
    this.session.redraw();
  }

  /** The view to draw now. @returns {View} */
  view() {
    return this.drawnView ?? this.session.view;
  }

  /** The view of a terminal in use: its controls and dialogs exist only then. @returns {TerminalView} */
  seated() {
    return /** @type {TerminalView} */ (this.view());
  }

  /** The tables of this terminal, by name. @returns {string[]} */
  tables() {
    return Object.keys(this.view().seat?.games ?? {}).sort((one, other) => one.localeCompare(other));
  }

  /** The table that the buttons act on. @returns {string} */
  focus() {
    const tables = this.tables();
    const wanted = [this.prefs.now.focus, this.session.parameters.table ?? ""];
    return wanted.find((name) => tables.includes(name)) ?? tables[0] ?? "";
  }

  /** @param {string} table */
  focusOn(table) {
    if (table !== this.focus()) this.prefs.set({ focus: table });
  }

  /** A table as last received. @param {string} [name] @returns {Table | null} */
  table(name = this.focus()) {
    return this.view().tables[name]?.state ?? null;
  }

  /** The game of this terminal at a table. @param {string} [name] @returns {OwnGame | null} */
  game(name = this.focus()) {
    return this.view().seat?.games[name] ?? null;
  }

  /** The felt of a table, or null until it is fetched. @param {string} [name] @returns {Felt | null} */
  data(name = this.focus()) {
    const hash = this.view().fixture?.felt || this.table(name)?.felt;
    return hash ? fetchFelt(hash, () => this.session.redraw()) : null;
  }

  /** Everything known of a game, or null until it has arrived. @param {string} name @returns {GameState | null} */
  gameState(name) {
    const [table, mine, data] = [this.table(name), this.game(name), this.data(name)];
    return table && mine && data ? { name, table, mine, data } : null;
  }

  /** Whole seconds until betting closes at a table; null where it is untimed or closed. @param {string} name */
  seconds(name) {
    const table = this.table(name);
    return table && isOpen(table) ? secondsLeft(table.closes_at, this.session.now()) : null;
  }

  /** @param {string} name @returns {Moment} */
  status(name) {
    const view = this.view();
    return statusOf({
      connection: view.connection,
      inService: view.seat?.in_service !== false,
      table: this.table(name),
      seconds: this.seconds(name),
      prescribed: this.data(name)?.messages ?? {},
    });
  }

  /** Whether bets may be placed at a table now, as far as the page knows. @param {string} [name] */
  isOpen(name = this.focus()) {
    const view = this.view();
    return isReady(view) && view.seat?.in_service !== false && !view.seat?.pause && isOpen(this.table(name)) &&
      this.seconds(name) !== 0;
  }

  /** The value of the chosen chip, in cents. @returns {number | "eraser"} */
  chip() {
    const { fixture, seat } = this.view();
    const { chip } = this.prefs.now;
    if (chip === "eraser") return chip;
    const denomination = seat?.denomination ?? 100;
    return (fixture?.chips.includes(chip) ? chip : this.#leastChip(denomination)) * denomination;
  }

  /** The smallest chip that meets the minimum of a bet on one number, and of all bets. @param {number} denomination */
  #leastChip(denomination) {
    const chips = this.view().fixture?.chips ?? [1];
    const { limits = [], total_least: total } = this.game() ?? {};
    const least = Math.max(limits.find(([kind]) => kind === "straight")?.[1] ?? 0, total ?? 0);
    return chips.find((chip) => chip * denomination >= least) ?? chips[0];
  }

  /**
   * Send a command for a game, with a guess at its effect on the chips; the response follows.
   * @param {string} type @param {object} [fields] @param {Guess | null} [guess] @param {At} [at]
   * @returns {Promise<Answer> | null}
   */
  sendCommand(type, fields = {}, guess = null, { table = this.focus(), spot = null } = {}) {
    const known = this.table(table);
    if (!known) return null;
    const about = { table, round: known.round, spin: known.spin };
    const command = { type, terminal: this.seated().fixture.terminal, ...about, ...fields };
    const answer = this.session.sendCommand(command, guess && { ...about, ...guess });
    if (answer === null) return null;
    this.#countChange(table, type);
    if (guess?.add) sound.chip();
    void answer.then(({ refusal }) => refusal && this.#refused(refusal, { table, spot }));
    return answer;
  }

  /** The changes of the running spin at a table, and the chips that it began with. @param {string} table */
  #changesOf(table) {
    const { round, spin } = this.table(table) ?? {};
    const [known, now] = [this.changes.get(table), `${round}:${spin}`];
    if (known?.spin === now) return known;
    // A page that has just opened does not know what was changed before.
    const first = known === undefined ? "{}" : this.#chipsAt(table);
    const fresh = { spin: now, count: 0, repeated: false, first };
    this.changes.set(table, fresh);
    return fresh;
  }

  /** @param {string} table */
  #chipsAt(table) {
    return JSON.stringify(this.game(table)?.bets ?? {});
  }

  /** @param {string} table @param {string} type of the command that was sent */
  #countChange(table, type) {
    const changes = this.#changesOf(table);
    if (KEEPS_CHIPS.has(type)) return;
    changes.count = Math.max(0, changes.count + (type === "UndoBet" ? -1 : 1));
    changes.repeated = type === "RepeatBets";
  }

  /** A refused command changed nothing. @param {Refusal} refusal @param {{table: string, spot: string | null}} at */
  #refused(refusal, at) {
    this.pressedAt.set(refusal, at);
    const changes = this.#changesOf(at.table);
    changes.count = Math.max(0, changes.count - 1);
    changes.repeated = false;
  }

  canUndo(table = this.focus()) {
    const { count, first } = this.#changesOf(table);
    return count > 0 || this.#chipsAt(table) !== first;
  }

  canRepeat(table = this.focus()) {
    return Boolean(this.game(table)?.repeats) && !this.#changesOf(table).repeated;
  }

  /** Place the chosen chip on a spot, or remove its stake. @param {string} table @param {string} spot */
  press(table, spot) {
    const chip = this.chip();
    return chip === "eraser" ? this.remove(table, spot) : this.place(table, spot, chip);
  }

  /** @param {string} table @param {string} spot @param {number} cents */
  place(table, spot, cents) {
    return this.sendCommand("PlaceBets", { bets: [[spot, cents]] }, { add: { [spot]: cents } }, { table, spot });
  }

  /** @param {string} table @param {string} spot */
  remove(table, spot) {
    if (!this.game(table)?.bets[spot]) return null;
    return this.sendCommand("RemoveBets", { spots: [spot] }, { take: [spot] }, { table, spot });
  }

  /** Repeat the last bets for a number of rounds at the active table. @param {number} rounds */
  startAuto(rounds) {
    const table = this.focus();
    const round = this.table(table)?.round ?? 0;
    // A round that has bets already is not one of them.
    const isPlayed = this.isOpen(table) && Object.keys(this.pendingStakes(table)).length > 0;
    this.auto.set(table, auto.started(rounds, isPlayed ? round : round - 1));
    this.session.redraw();
  }

  /** @param {string} [table] */
  stopAuto(table = this.focus()) {
    this.auto.delete(table);
    this.session.redraw();
  }

  /** How many rounds are left. @param {string} [table] */
  autoLeft(table = this.focus()) {
    return this.auto.get(table)?.left ?? 0;
  }

  /** Repeat bets where it is time. @param {boolean} isRefused whether something was refused since the last draw */
  playAuto(isRefused) {
    for (const [table, known] of this.auto) {
      const [round, hasBets] = [this.table(table)?.round ?? 0, Object.keys(this.pendingStakes(table)).length > 0];
      const [now, repeats] = auto.next(known, { round, isOpen: this.isOpen(table), hasBets, isRefused });
      this.auto.set(table, now);
      if (repeats) this.sendCommand("RepeatBets", {}, null, { table });
    }
  }

  /**
   * The stakes of a game with all pending requests, including those sent since the last draw.
   * @param {string} [table] @returns {Record<string, number>}
   */
  pendingStakes(table = this.focus()) {
    return this.session.view.seat?.games[table]?.bets ?? {};
  }

  /** @param {string} table @param {string} source @param {string} target */
  move(table, source, target) {
    const stake = this.pendingStakes(table)[source] ?? 0;
    if (stake === 0 || source === target) return null;
    return this.sendCommand(
      "MoveBet",
      { source, target },
      { take: [source], add: { [target]: stake } },
      { table, spot: target },
    );
  }

  /**
   * Place a call bet with the chosen chip on each piece.
   * @param {string} table @param {{said: string, of: string, pieces: Pieces}} way
   */
  call(table, way) {
    const chip = this.chip();
    if (chip === "eraser") return null;
    const add = Object.fromEntries(way.pieces.map(([spot, chips]) => [spot, chips * chip]));
    // A call on a number was pressed there; any other is reported at its first chip.
    const spot = this.data(table)?.spotsByKey.has(way.of) ? way.of : (way.pieces[0]?.[0] ?? null);
    return this.sendCommand("PlaceBets", { bets: [[way.said, chip]] }, { add }, { table, spot });
  }

  /** Show the neighbours that the button would add, or hide them. @param {boolean} isAsked */
  askNeighbours(isAsked) {
    if (isAsked === this.asksNeighbours) return;
    this.asksNeighbours = isAsked;
    this.session.redraw();
  }

  /**
   * Preview stakes as ghosts before they are placed, in cents, or clear the preview.
   * @param {Pieces | null} pieces @param {string} [table]
   */
  preview(pieces, table = this.focus()) {
    if (pieces === null && this.previewed === null) return;
    this.previewed = pieces && { table, ghosts: Object.fromEntries(pieces) };
    this.session.redraw();
  }
}

// Screen size: whether it is small, upright, and whether two games fit side by side.

const small = matchMedia("(max-width: 699px), (max-height: 539px)");
const portrait = matchMedia("(orientation: portrait)");
const wide = matchMedia("(min-width: 1000px) and (min-height: 540px)");

const isSmall = () => small.matches;
const isWide = () => wide.matches;
export const isPortrait = () => portrait.matches;

/** Call back on every change. @param {() => void} changed */
export function onResize(changed) {
  for (const one of [small, wide, portrait]) one.addEventListener("change", changed);
}
