// One game on the terminal, and its header.

import { el, marked } from "../shared/dom.js";
import { h, render } from "../shared/render.js";
import { settledAfter } from "../shared/result_delay.js";
import { sound } from "../shared/sound.js";
import { say, tableName } from "../shared/text.js";
import { history, limitsBox, messageLine, resultCard, timer } from "./game_status.js";
import { broughtBy, isSpinning, Timeline } from "./outcome.js";
import { Surfaces } from "./surfaces.js";

/**
 * @typedef {import("../shared/result_delay.js").Settled} Settled
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("./controller.js").GameState} GameState
 */

/** Keys that move the focus past a game. */
const PASSING = new Set(["Tab", "Shift"]);
/** The last seconds tick audibly. */
const AUDIBLE_FROM = 5;

export class Game {
  /** @param {Controller} ui @param {string} name of the table */
  constructor(ui, name) {
    this.ui = ui;
    this.name = name;
    this.node = el("section", {
      class: "game",
      "data-table": name,
      "aria-label": tableName(name),
    });
    this.surfaces = new Surfaces(ui, name);
    /** The scene of a spin, once it is loaded. @type {import("./spin_scene.js").SpinScene | null} */
    this.scene = null;
    /** @type {import("./win_banner.js").Banner | null} */
    this.banner = null;
    const focus = () => ui.focusOn(name);
    this.node.addEventListener("pointerdown", focus, { capture: true });
    this.node.addEventListener("click", focus, { capture: true });
    // Tabbing past the felt does not change the active game.
    this.node.addEventListener("keydown", ({ key }) => PASSING.has(key) || focus(), { capture: true });

    this.timeline = new Timeline(() => ui.session.redraw());
    /** @type {import("./outcome.js").Stage} */
    this.stage = "none";
    /** The stakes of the round just settled, and its number. @type {Settled | null} */
    this.settled = null;
    /** What that round brought. @type {import("./outcome.js").Brought | null} */
    this.brought = null;
    /** When betting closes, and how many seconds there were when that was known: the ring is full then. */
    this.betting = { closesAt: /** @type {number | null} */ (null), seconds: 1 };
    /** The seconds that were heard last. @type {number | null} */
    this.heard = null;
  }

  /** Whether the round just settled returned more than was staked. */
  get isWon() {
    const isPaid = this.stage === "paid" && !this.ui.table(this.name)?.corrected;
    return isPaid && (this.ui.game(this.name)?.net ?? 0) > 0;
  }

  /** Take in what the tables and the clock say: all that is drawn follows from it. */
  observe() {
    const { ui, name } = this;
    const [closesAt, seconds] = [ui.table(name)?.closes_at ?? null, ui.seconds(name)];
    if (closesAt !== this.betting.closesAt) this.betting = { closesAt, seconds: Math.max(1, seconds ?? 1) };
    if (seconds !== this.heard && seconds !== null && seconds <= AUDIBLE_FROM && name === ui.focus()) sound.tick();
    this.heard = seconds;
    const at = ui.gameState(name);
    if (at === null) return;
    this.settled = settledAfter(this.settled, at.table, at.mine);
    this.stage = this.timeline.stage(at.table);
    // A correction is a message, never a win: what was paid before it is not celebrated again.
    this.brought = at.table.corrected ? null : broughtBy(at, this.settled);
    if (!this.scene && ui.parts) {
      this.scene = new ui.parts.SpinScene(this.node, this.surfaces.places);
      this.banner = new ui.parts.Banner();
    }
  }

  /** @param {import("../shared/render.js").Child} [stats] the statistics card, where the side column has it */
  draw(stats) {
    const { ui, name, surfaces } = this;
    const at = ui.gameState(name);
    const { strip, whole, felt } = surfaces.places;
    marked(this.node, "data-focus", ui.focus() === name ? "" : null);
    marked(this.node, "data-sealed", at && at.mine.sealed === at.table.round ? "" : null);
    render(
      this.node,
      h(
        "aside",
        { class: "rail", "aria-label": say("rail.label") },
        surfaces.stand,
        at && resultCard(at.table, at.data),
        stats,
      ),
      strip,
      whole,
      felt,
      this.scene?.node,
      this.banner?.node,
      h("p", { class: "waits", role: "status", hidden: at !== null }, say("game.waits")),
      surfaces.beside,
    );
    if (at === null) return;
    surfaces.draw(at, this.settled, { stage: this.stage, paid: this.brought?.paid ?? {} });
    this.#drawScene(at);
    this.banner?.show(at, this.brought, this.stage === "paid" && at.table.phase === "between");
  }

  /** The header of the game: timer, message, limits and history. */
  header() {
    const { ui, name, betting } = this;
    const [status, seconds, table] = [ui.status(name), ui.seconds(name), ui.table(name)];
    return h(
      "div",
      { class: "head", "data-table": name, key: name },
      timer(status, seconds, seconds === null ? 0 : Math.min(1, seconds / betting.seconds), table?.pocket),
      messageLine(ui, name, status),
      limitsBox(ui, name),
      history(table, ui.data(name)?.colours),
    );
  }

  /** The wheel comes forward while the ball runs, and goes back a moment after it rests. @param {GameState} at */
  #drawScene(at) {
    const { ui, surfaces } = this;
    const { both, small } = ui.layout;
    const { home, places } = surfaces;
    if (!this.scene) {
      if (places.wheel.parentElement !== home) home.append(places.wheel);
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
