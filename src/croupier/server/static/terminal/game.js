// One game on the terminal, and its header.

import { el, marked, shown } from "../shared/dom.js";
import { settledAfter } from "../shared/result_delay.js";
import { sound } from "../shared/sound.js";
import { say, tableName } from "../shared/text.js";
import { history, limitsBox, messageLine, result, timer } from "./game_status.js";
import { broughtBy, isSpinning, Timeline } from "./outcome.js";
import { Surfaces } from "./surfaces.js";

/**
 * @typedef {import("../shared/result_delay.js").Settled} Settled
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("./controller.js").GameState} GameState
 */

/** Keys that move the focus past a game. */
const PASSING = new Set(["Tab", "Shift"]);

export class Game {
  /** @param {Controller} ui @param {string} name of the table */
  constructor(ui, name) {
    this.ui = ui;
    this.name = name;
    this.header = gameHeader(ui, name);
    this.result = result();
    /** The side column, which the statistics card is added to. */
    this.rail = el("aside", { class: "rail", "aria-label": say("rail.label") });
    this.waits = el("p", { class: "waits", role: "status" }, say("game.waits"));
    this.node = el("section", {
      class: "game",
      "data-table": name,
      "aria-label": say("game.label", { table: tableName(name) }),
    });
    this.surfaces = new Surfaces(ui, name, this.node);
    const { strip, whole, felt } = this.surfaces.places;
    this.rail.append(this.surfaces.stand, this.result.node);
    /** The scene of a spin, once it is loaded. @type {import("./spin_scene.js").SpinScene | null} */
    this.scene = null;
    /** @type {ReturnType<typeof import("./win_banner.js").banner> | null} */
    this.banner = null;
    this.node.append(this.rail, strip, whole, felt, this.waits);
    this.timeline = new Timeline(() => ui.session.redraw());
    /** @type {import("./outcome.js").Stage} */
    this.stage = "none";
    const focus = () => ui.focusOn(name);
    this.node.addEventListener("pointerdown", focus, { capture: true });
    this.node.addEventListener("click", focus, { capture: true });
    // Tabbing past the felt does not change the active game.
    this.node.addEventListener("keydown", ({ key }) => PASSING.has(key) || focus(), { capture: true });
    /** The stakes of the round just settled, and its number. @type {Settled | null} */
    this.settled = null;
    /** The time-dependent state drawn last: a change redraws everything. */
    this.timed = "";
  }

  /** Whether the round just settled returned more than was staked. */
  get isWon() {
    const isPaid = this.stage === "paid" && !this.ui.table(this.name)?.corrected;
    return isPaid && (this.ui.game(this.name)?.net ?? 0) > 0;
  }

  update() {
    const { ui, name } = this;
    const at = ui.gameState(name);
    this.timed = this.#time();
    this.header.update();
    shown(this.waits, at === null);
    if (at === null) return;
    const { table, mine, data } = at;
    this.settled = settledAfter(this.settled, table, mine);
    const fresh = table.pocket !== undefined && table.pocket !== null;
    this.result.update(table.pocket ?? table.numbers?.[0], fresh, data);
    this.stage = this.timeline.stage(table);
    // A correction is a message, never a win: what was paid before it is not celebrated again.
    const brought = table.corrected ? null : broughtBy(at, this.settled);
    this.surfaces.update(at, this.settled, { stage: this.stage, paid: brought?.paid ?? {} });
    this.#scene(at);
    this.banner?.update(at, brought, this.stage === "paid" && table.phase === "between");
    marked(this.node, "data-focus", ui.focus() === name ? "" : null);
    marked(this.node, "data-sealed", mine.sealed === table.round ? "" : null);
  }

  /** Advance time. Returns whether everything must be redrawn. */
  tick() {
    this.header.tick();
    return this.timed !== this.#time();
  }

  #time() {
    return `${this.ui.isOpen(this.name)} ${this.ui.status(this.name).is}`;
  }

  /** The wheel comes forward while the ball runs, and goes back a moment after it rests. @param {GameState} at */
  #scene(at) {
    const { ui, surfaces } = this;
    const { both, small } = ui.layout;
    if (!this.scene && ui.parts) {
      this.scene = new ui.parts.SpinScene(this.node, surfaces.places);
      this.banner = ui.parts.banner();
      this.waits.before(this.scene.node, this.banner.node);
    }
    const { home } = surfaces;
    if (!this.scene) {
      if (surfaces.places.wheel.parentElement !== home) home.append(surfaces.places.wheel);
      return;
    }
    const isWheelView = !both && !small && ui.prefs.now.view === "wheel";
    const isOn = !isWheelView && (isSpinning(at.table) || this.stage === "number");
    const isUpright = small && this.node.clientHeight > this.node.clientWidth;
    this.scene.update(isOn, at, both ? "both" : isUpright ? "small" : "wide", home, this.settled?.stakes);
  }

  destroy() {
    this.scene?.destroy();
    this.surfaces.destroy();
  }
}

// The header of a game: timer, message, limits and history.

/** The last seconds tick audibly. */
const AUDIBLE_FROM = 5;

/** @param {Controller} ui @param {string} name of the table */
function gameHeader(ui, name) {
  const parts = { timer: timer(), message: messageLine(), info: limitsBox(ui, name), history: history() };
  const node = el("div", { class: "head", "data-table": name }, ...Object.values(parts).map((part) => part.node));

  /** @type {number | null} */
  let lastSeconds = null;
  /** What changes with time alone. */
  const tick = () => {
    const [status, seconds] = [ui.status(name), ui.seconds(name)];
    if (seconds !== lastSeconds && seconds !== null && seconds <= AUDIBLE_FROM && name === ui.focus()) sound.tick();
    lastSeconds = seconds;
    parts.timer.update(status, seconds, ui.table(name)?.closes_at, ui.table(name)?.pocket);
    parts.message.update(ui, name, status);
  };
  const update = () => {
    tick();
    parts.info.update(ui.game(name));
    const table = ui.table(name);
    parts.history.update(
      table?.numbers ?? [],
      ui.data(name)?.colours,
      Boolean(table?.pocket),
      Boolean(table?.corrected),
    );
  };
  return { node, update, tick };
}
