// A replay: one past game on a felt of its own, a step forward or back at a time, or played through. It says that it
// is one.

import { button, el, enabled, shown, text } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { amount, short } from "../../kit/money.js";
import { locale, say, spotLabel } from "../../kit/words.js";
import { Felt } from "../../felt/api.js";
import { BARE } from "../../felt/piles.js";
import { framesOf, MOMENTS } from "./frames.js";
import { netOf } from "./session.js";
import { clockOf } from "./when.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {import("./frames.js").Frame} Frame */
/** @typedef {import("./frames.js").Past} Past */

/** How long each step is shown when a game is played. */
const STEP_MS = 900;

export class Replay {
  /** @param {Ui} ui */
  constructor(ui) {
    this.ui = ui;
    /** @type {Felt | null} */
    this.felt = null;
    /** @type {Frame[]} */
    this.frames = [];
    this.at = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    this.place = el("div", { class: "small-felt" });
    this.moment = el("p", { class: "moment", role: "status" });
    this.facts = el("dl", { class: "facts" });
    this.back = button(icon("back"), () => this.#move(this.at - 1), { "aria-label": say("replay.back") });
    this.forward = button(icon("forward"), () => this.#move(this.at + 1), { "aria-label": say("replay.forward") });
    this.play = button(say("replay.play"), () => (this.timer ? this.stop() : this.#run()), { class: "main" });
    const banner = el("p", { class: "banner" }, say("replay.banner"));
    const steps = el("div", { class: "deeds" }, this.back, this.play, this.forward);
    this.node = el("div", { class: "shown", hidden: true }, banner, this.place, this.moment, steps, this.facts);
  }

  /** Begin with a game, at its start. @param {Past} game */
  begin(game) {
    this.stop();
    shown(this.node, true);
    this.frames = framesOf(game);
    this.facts.replaceChildren(...factsOf(game));
    this.felt?.destroy();
    this.felt = feltOf(this.place, this.ui.data(game.table), this.ui.prefs.now.hand === "left");
    this.#draw(0);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    text(this.play, say("replay.play"));
  }

  destroy() {
    this.stop();
    this.felt?.destroy();
  }

  #run() {
    if (this.at === this.frames.length - 1) this.#draw(0);
    text(this.play, say("replay.pause"));
    const next = () => (this.at < this.frames.length - 1 ? this.#draw(this.at + 1) : this.stop());
    this.timer = setInterval(next, STEP_MS);
  }

  /** @param {number} to */
  #move(to) {
    this.stop();
    this.#draw(to);
  }

  /** @param {number} to */
  #draw(to) {
    this.at = to;
    const { stakes, is, at, pocket } = this.frames[to];
    const over = pocket === null ? {} : { winning: pocket, dolly: pocket, last: { stakes } };
    this.felt?.set({ ...BARE, stakes: pocket === null ? stakes : {}, assist: this.ui.prefs.now.assist, ...over });
    const words = say(MOMENTS[is] ?? MOMENTS.change, pocket === null ? {} : { pocket });
    const step = say("replay.step", { n: to + 1, all: this.frames.length, words });
    text(this.moment, at === null ? step : `${step} · ${clockOf(at)}`);
    enabled(this.back, to > 0);
    enabled(this.forward, to < this.frames.length - 1);
  }
}

/** A felt that is only looked at.
 * @param {HTMLElement} host @param {any} data @param {boolean} mirrored @returns {Felt | null} */
function feltOf(host, data, mirrored) {
  if (!data) return null;
  const label = (/** @type {string} */ spot) => spotLabel(data.named.get(spot), data.kinds);
  const nothing = () => {};
  const felt = new Felt(host, {
    data,
    amount: short,
    label,
    on: { place: nothing, take: nothing, move: nothing, drop: nothing },
  });
  felt.lay({ orientation: "landscape", mirrored, lens: false });
  return felt;
}

/** @param {Past} game */
function factsOf({ table, round, pocket, staked, returned }) {
  const rows = [
    [say("replay.table"), table],
    [say("replay.round-name"), new Intl.NumberFormat(locale()).format(round)],
    [say("replay.number"), pocket ?? say("replay.no-number")],
    [say("replay.staked"), amount(staked)],
    [say("replay.returned"), amount(returned)],
    [say("replay.net"), netOf(returned - staked)],
  ];
  return rows.map(([name, words]) => el("div", {}, el("dt", {}, name), el("dd", {}, el("bdi", {}, words))));
}
