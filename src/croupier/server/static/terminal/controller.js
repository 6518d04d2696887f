// The controller of a terminal: what is shown and chosen; sends commands.

import { felt } from "../shared/felt_cache.js";
import { sound } from "../shared/sound.js";
import { isOpen, isReady } from "../shared/store.js";
import { momentOf, secondsLeft } from "../shared/table_status.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/table_status.js").Moment} Moment
 * @typedef {import("../shared/preferences.js").Prefs} Prefs
 * @typedef {import("../shared/session.js").Session} Session
 * @typedef {import("../shared/types/wire.js").TableState} Table
 * @typedef {import("../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../shared/store.js").View} View
 */

/**
 * @typedef {import("../shared/types/wire.js").Game & {bets: Record<string, number>}} Mine a game of this terminal
 * @typedef {{name: string, table: Table, mine: Mine, data: Felt}} Standing everything known of a game
 * @typedef {[string, number][]} Pieces spots with their stakes
 * @typedef {{table?: string, spot?: string | null}} At where the player pressed
 * @typedef {{table?: string, add?: Record<string, number>, take?: string[], clear?: boolean}} Guess
 */

/** More than the number of commands that can be pending. */
const TOUCHED_MOST = 64;

export class Ui {
  /** @param {Session} session @param {Prefs} prefs */
  constructor(session, prefs) {
    this.session = session;
    this.prefs = prefs;
    /** The view drawn last. @type {View | null} */
    this.drawn = null;
    /**
     * The last view from the server: it may hold a number that is not drawn yet, because the ball still lands.
     * @type {View | null}
     */
    this.told = null;
    /** Called when the ball of a table has come to rest. @type {(table: string) => void} */
    this.landed = () => {};
    /** Where each command was pressed, by request id. @type {Map<number, {table: string, spot: string | null}>} */
    this.touched = new Map();
    /**
     * Stakes previewed before they are placed, and at which table.
     * @type {{table: string, ghosts: Record<string, number>} | null}
     */
    this.aimed = null;
    /** The open function of every dialog, by name. @type {Record<string, (...given: any[]) => void>} */
    this.open = {};
    /** The layout: whether both games are shown, and whether the screen is small. */
    this.shows = { both: false, small: false };
  }

  /** The view to draw now. @returns {View} */
  view() {
    return this.drawn ?? this.session.view;
  }

  /** The view of a terminal in use: its controls and dialogs exist only then. @returns {TerminalView} */
  seated() {
    return /** @type {TerminalView} */ (this.view());
  }

  /** The tables of this terminal. @returns {string[]} */
  tables() {
    return Object.keys(this.view().seat?.games ?? {});
  }

  /** The table that the buttons act on. @returns {string} */
  focus() {
    const tables = this.tables();
    const wanted = [this.prefs.now.focus, this.session.wanted.table ?? ""];
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

  /** The game of this terminal at a table. @param {string} [name] @returns {Mine | null} */
  mine(name = this.focus()) {
    return this.view().seat?.games[name] ?? null;
  }

  /** The felt of a table, or null until it is fetched. @param {string} [name] @returns {Felt | null} */
  data(name = this.focus()) {
    const hash = this.view().fixture?.felt || this.table(name)?.felt;
    return hash ? felt(hash, () => this.session.redraw()) : null;
  }

  /** Everything known of a game, or null until it has arrived. @param {string} name @returns {Standing | null} */
  standing(name) {
    const [table, mine, data] = [this.table(name), this.mine(name), this.data(name)];
    return table && mine && data ? { name, table, mine, data } : null;
  }

  /** Whole seconds until betting closes at a table; null where it is untimed or closed. @param {string} name */
  seconds(name) {
    const table = this.table(name);
    return table && isOpen(table) ? secondsLeft(table.closes_at, this.session.now()) : null;
  }

  /** @param {string} name @returns {Moment} */
  moment(name) {
    const view = this.view();
    return momentOf({
      line: view.line,
      inService: view.seat?.in_service !== false,
      table: this.table(name),
      seconds: this.seconds(name),
      fixed: this.data(name)?.messages ?? {},
    });
  }

  /** Whether bets may be placed at a table now, as far as the page knows. @param {string} [name] */
  isOpen(name = this.focus()) {
    const view = this.view();
    return isReady(view) && view.seat?.in_service !== false && isOpen(this.table(name)) && this.seconds(name) !== 0;
  }

  /** The value of the chosen chip, in cents. @returns {number | "eraser"} */
  chip() {
    const { fixture, seat } = this.view();
    const { chip } = this.prefs.now;
    if (chip === "eraser") return chip;
    const credits = fixture?.chips.includes(chip) ? chip : (fixture?.chips[0] ?? 1);
    return credits * (seat?.denomination ?? 100);
  }

  /**
   * Send a command for a game, with a guess at its effect on the chips. Returns the request id.
   * @param {string} type @param {object} [fields] @param {Guess | null} [guess] @param {At} [at]
   * @returns {number | null}
   */
  ask(type, fields = {}, guess = null, { table = this.focus(), spot = null } = {}) {
    const known = this.table(table);
    if (!known) return null;
    const about = { table, round: known.round, spin: known.spin };
    const command = { type, terminal: this.seated().fixture.terminal, ...about, ...fields };
    const id = this.session.ask(command, guess && { ...about, ...guess });
    if (id !== null) this.#touch(id, { table, spot });
    if (id !== null && guess?.add) sound.chip();
    return id;
  }

  /** Place the chosen chip on a spot, or remove its stake. @param {string} table @param {string} spot */
  press(table, spot) {
    const chip = this.chip();
    return chip === "eraser" ? this.take(table, spot) : this.lay(table, spot, chip);
  }

  /** @param {string} table @param {string} spot @param {number} cents */
  lay(table, spot, cents) {
    return this.ask("PlaceBets", { bets: [[spot, cents]] }, { add: { [spot]: cents } }, { table, spot });
  }

  /** @param {string} table @param {string} spot */
  take(table, spot) {
    if (!this.mine(table)?.bets[spot]) return null;
    return this.ask("RemoveBets", { spots: [spot] }, { take: [spot] }, { table, spot });
  }

  /**
   * Remember where a command was pressed, for as long as it may be refused.
   * @param {number} id @param {{table: string, spot: string | null}} at
   */
  #touch(id, at) {
    this.touched.delete(id);
    this.touched.set(id, at);
    if (this.touched.size > TOUCHED_MOST) this.touched.delete([...this.touched.keys()][0]);
  }

  /**
   * The stakes of a game with all pending requests, including those sent since the last draw.
   * @param {string} [table] @returns {Record<string, number>}
   */
  lying(table = this.focus()) {
    return this.session.view.seat?.games[table]?.bets ?? {};
  }

  /** @param {string} table @param {string} source @param {string} target */
  move(table, source, target) {
    const stake = this.lying(table)[source] ?? 0;
    if (stake === 0 || source === target) return null;
    return this.ask(
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
    const spot = this.data(table)?.named.has(way.of) ? way.of : (way.pieces[0]?.[0] ?? null);
    return this.ask("PlaceBets", { bets: [[way.said, chip]] }, { add }, { table, spot });
  }

  /**
   * Preview stakes as ghosts before they are placed, in cents, or clear the preview.
   * @param {Pieces | null} pieces @param {string} [table]
   */
  aim(pieces, table = this.focus()) {
    if (pieces === null && this.aimed === null) return;
    this.aimed = pieces && { table, ghosts: Object.fromEntries(pieces) };
    this.session.redraw();
  }
}
