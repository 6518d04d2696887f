// One game: its head, its wheel, its racetrack and its felt, all of one table.

import { el, marked, shown } from "../kit/dom.js";
import { isWin, settledAfter } from "../kit/settled.js";
import { say } from "../kit/words.js";
import { Cloths } from "./cloths.js";
import { head } from "./head.js";
import { result } from "./result.js";

/**
 * @typedef {import("./ui.js").Ui} Ui
 * @typedef {import("../kit/settled.js").Settled} Settled
 */

/** The keys that lead past a game. */
const PASSING = new Set(["Tab", "Shift"]);

export class Game {
  /** @param {Ui} ui @param {string} name of the table */
  constructor(ui, name) {
    this.ui = ui;
    this.name = name;
    this.head = head(ui, name);
    this.result = result();
    /** What a sheet adds to the rail. */
    this.rail = el("aside", { class: "rail", "aria-label": say("rail.label") });
    this.waits = el("p", { class: "waits", role: "status" }, say("game.waits"));
    this.node = el("section", { class: "game", "data-table": name, "aria-label": say("game.label", { table: name }) });
    this.cloths = new Cloths(ui, name, this.node);
    const { strip, whole, felt } = this.cloths.places;
    this.rail.append(this.cloths.stand, this.result.node);
    this.node.append(this.rail, strip, whole, felt, this.waits);
    const focus = () => ui.focusOn(name);
    this.node.addEventListener("pointerdown", focus, { capture: true });
    this.node.addEventListener("click", focus, { capture: true });
    // Whoever only passes on the way to the buttons stays with the game that was played on.
    this.node.addEventListener("keydown", ({ key }) => PASSING.has(key) || focus(), { capture: true });
    /** The chips of the round just settled, and its number. @type {Settled | null} */
    this.settled = null;
    /** What can be said of time, as it was last drawn: when it changes, all is drawn anew. */
    this.timed = "";
  }

  /** Whether more has come back from the round just settled than was staked. */
  get isWon() {
    const covers = this.ui.data(this.name)?.covers;
    return covers !== undefined && isWin(this.ui.mine(this.name)?.won ?? 0, this.settled, covers);
  }

  update() {
    const { ui, name } = this;
    const at = ui.standing(name);
    this.timed = this.#time();
    this.head.update();
    shown(this.waits, at === null);
    if (at === null) return;
    const { table, mine, data } = at;
    this.settled = settledAfter(this.settled, table, mine);
    const fresh = table.pocket !== undefined && table.pocket !== null;
    this.result.update(table.pocket ?? table.numbers?.[0], fresh, data);
    this.cloths.update(at, this.settled);
    marked(this.node, "data-focus", ui.focus() === name ? "" : null);
    marked(this.node, "data-sealed", mine.sealed === table.round ? "" : null);
  }

  /** Let time go on. Tells whether something can be done no longer, or again. */
  tick() {
    this.head.tick();
    return this.timed !== this.#time();
  }

  #time() {
    return `${this.ui.isOpen(this.name)} ${this.ui.moment(this.name).is}`;
  }

  destroy() {
    this.cloths.destroy();
  }
}
