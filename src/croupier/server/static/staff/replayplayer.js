// The player of a replay: a round on its felt at one moment, moved by hand or by its own clock at some speed.

import { el, field, text } from "../kit/dom.js";
import { clauseLink } from "./clause.js";
import { bar, SPEEDS } from "./replaybar.js";
import { lookOf, replayFelt } from "./replayfelt.js";
import { closesAt, framesOf } from "./replayframes.js";
import { replaySeats } from "./replayseats.js";
import { doerOf, instantOf, saidOf, stepList } from "./replaysteps.js";

/** @typedef {import("./desk.js").Desk} Desk @typedef {import("../kit/consoles.js").ToldReplay} Told */

/** So often the clock goes on while it plays. */
const BEAT_MS = 100;

export class Player {
  /** @param {Desk} desk @param {Told} told @param {string | null} terminal whose chips are shown first */
  constructor(desk, told, terminal) {
    this.desk = desk;
    this.told = told;
    /** Everybody who had chips at some time. */
    this.names = [...new Set([...told.seats, ...told.steps].flatMap((one) => one.terminal ?? []))].sort();
    this.terminal = terminal !== null && this.names.includes(terminal) ? terminal : null;
    this.frames = framesOf(told);
    this.at = 0;
    this.speed = SPEEDS[1];
    /** The house's time of the moment that is shown. */
    this.now = this.frames[0]?.step.at_us ?? 0;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    /** @type {ReturnType<typeof replayFelt> | null} */
    this.felt = null;
    this.place = el("div", { class: "replay-felt" });
    this.moment = el("p", { class: "moment" });
    this.timing = el("p", { class: "timing" });
    this.bar = bar({ toggle: () => this.toggle(), go: (at) => this.go(at), hasten: (speed) => this.#hasten(speed) });
    this.steps = stepList({ rulebook: told.rulebook, steps: told.steps, go: (at) => this.go(at) });
    this.seats = replaySeats(desk, told, this.names);
    this.node = this.#laid();
  }

  #laid() {
    const option = (/** @type {string} */ value, words = value) =>
      el("option", { value, selected: value === (this.terminal ?? "") }, words);
    const whose = el("select", {}, option("", "All seats"), ...this.names.map((name) => option(name)));
    whose.addEventListener("change", () => {
      this.terminal = whose.value || null;
      this.draw();
    });
    const left = el("div", { class: "replay-scene" }, this.moment, this.place, this.bar.node, this.seats.node);
    const right = el("div", { class: "replay-side" }, this.timing, field("Whose chips", whose), this.steps.node);
    return el("div", { class: "replay-grid" }, left, right);
  }

  /** Show the moment anew. */
  draw() {
    const data = this.desk.felt(this.told.table);
    if (!this.felt && data && this.place.isConnected) this.felt = replayFelt(this.place, data);
    const frame = this.frames[this.at];
    if (!frame) return;
    this.felt?.set(lookOf(frame, this.terminal));
    this.seats.update(frame, this.terminal);
    this.#tell();
  }

  #tell() {
    const { step } = this.frames[this.at];
    const clause = clauseLink(this.told.rulebook, step.clause);
    const says = `Step ${this.at + 1} of ${this.frames.length}: ${saidOf(step)}`;
    this.moment.setAttribute("aria-live", this.timer ? "off" : "polite");
    if (this.moment.dataset.step !== String(this.at)) {
      this.moment.dataset.step = String(this.at);
      const by = el("small", {}, `${doerOf(step)} · ${instantOf(step.at_us)}`);
      this.moment.replaceChildren(el("strong", {}, saidOf(step)), " ", ...(clause ? [clause, " "] : []), by);
      this.steps.update(this.at);
    }
    this.bar.update({ at: this.at, all: this.frames.length, playing: this.timer !== null, speed: this.speed, says });
    this.#time();
  }

  /** Say how far into the round it is, and how long betting goes on. */
  #time() {
    const seconds = (/** @type {number} */ us) => `${(Math.max(0, us) / 1e6).toFixed(1)} s`;
    const began = this.frames[0].step.at_us;
    const closes = closesAt(this.frames, this.at);
    const left = closes === null ? "" : ` · betting closes in ${seconds(closes - this.now)}`;
    const said = closes === null && this.frames[this.at].sealed ? " · no more bets" : left;
    text(this.timing, `${seconds(this.now - began)} into the round${said}`);
  }

  /** Go to a moment, and stay there. @param {number} at */
  go(at) {
    this.#stop();
    this.#move(at);
  }

  /** @param {number} at */
  #move(at) {
    this.at = Math.min(Math.max(0, at), this.frames.length - 1);
    this.now = this.frames[this.at].step.at_us;
    this.draw();
  }

  toggle() {
    if (this.timer !== null) {
      this.#stop();
      return this.draw();
    }
    if (this.at === this.frames.length - 1) this.#move(0);
    this.timer = setInterval(() => this.#beat(), BEAT_MS);
    this.draw();
  }

  #stop() {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** Go on by a moment, and show all that has happened by then. */
  #beat() {
    this.now += BEAT_MS * 1000 * this.speed;
    let to = this.at;
    while (to < this.frames.length - 1 && this.frames[to + 1].step.at_us <= this.now) to += 1;
    if (to === this.frames.length - 1) this.#stop();
    if (to === this.at) return this.#time();
    this.at = to;
    this.draw();
  }

  /** @param {number} speed */
  #hasten(speed) {
    this.speed = speed;
    this.draw();
  }

  /** Keys work wherever nothing else has a use for them. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, .felt")) return;
    /** @type {Record<string, () => void>} */
    const does = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.frames.length - 1),
      "-": () => this.#hasten(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]),
      "+": () => this.#hasten(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
    };
    if (event.key === " " && !target.closest("button, a")) does[" "] = () => this.toggle();
    const act = does[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  destroy() {
    this.#stop();
    this.felt?.destroy();
  }
}
