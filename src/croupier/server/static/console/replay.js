// The replay of a round: dialog, player, controls and the downloadable bundle.

import { openDialog } from "../shared/dialog.js";
import { button, el, enabled, field, icon, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import {
  actorOf,
  closesAt,
  feltStateOf,
  framesOf,
  instantOf,
  replayFelt,
  replaySeats,
  stepList,
  stepText,
} from "./replay_view.js";
import { dateOf, refusedText } from "./text.js";
import { clauseLink, save, saveBundle } from "./widgets.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").ReplayResult} ReplayResponse
 */

/**
 * @typedef {{table: string, round: number, terminal?: string | null}} Which
 */

/** Replay a round. @param {ConsoleClient} client @param {Which} which */
export function openReplay(client, { table, round, terminal = null }) {
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const about = el("p", { class: "quiet" }, say("replayed.looking"));
  const place = el("div", { class: "replayed" });
  /** @type {Player | null} */
  let player = null;
  const report = (/** @type {string} */ words) => {
    text(reply, words);
    shown(reply, words !== "");
  };
  const files = [
    button(withIcon("form", say("replayed.notation")), () => notation(client, { table, round }).then(report), {
      disabled: true,
    }),
    button(withIcon("save", say("dispute.bundle")), () => saveBundle(client, { table, round }).then(report), {
      disabled: true,
    }),
  ];
  const dialog = openDialog({
    name: "replay",
    title: say("replayed.title", { round, table }),
    look: "wide",
    body: [about, place, reply],
    foot: [...files, button(say("document.close"), () => dialog.close())],
    update: () => player?.draw(),
    closed: () => player?.destroy(),
  });
  fetchRound(client, { table, round, terminal }).then((response) => {
    if (!dialog.node.open) return;
    if (response.t === "refused") return (shown(about, false), report(refusedText(response.refusal)));
    about.replaceChildren(...summary(response));
    player = new Player(client, response, terminal);
    place.append(player.node);
    dialog.node.addEventListener("keydown", (event) => player?.key(event));
    files.forEach((one) => (one.disabled = false));
    player.draw();
  });
}

/**
 * Fetch a round with all its seats; where that is too large, with the given terminal only.
 * @param {ConsoleClient} client @param {Which} which
 */
async function fetchRound(client, { table, round, terminal }) {
  const whole = await client.query("replay", { table, round });
  return whole.t !== "refused" && whole.left_out > 0 && terminal
    ? client.query("replay", { table, round, terminal })
    : whole;
}

/** @param {string} name @param {string} words */
const withIcon = (name, words) => el("span", {}, icon(name), words);

/** A summary of the round. @param {ReplayResponse} response */
function summary({ opened_at_us: at, pocket, corrected, status, rulebook, left_out: out }) {
  const words = [
    say("replayed.opened", { time: dateOf(at) }),
    rulebook,
    pocket === null ? say("replayed.no-number", { status }) : say("replayed.number", { pocket, status }),
  ];
  if (corrected.length > 0) words.push(say("replayed.corrected", { pockets: corrected.join(", ") }));
  if (out > 0) words.push(say("replayed.left-out", { n: out }));
  return [words.join(" · ")];
}

/** Save a round as notation. Returns the reason where it failed. @param {ConsoleClient} client @param {Which} which */
async function notation(client, { table, round }) {
  const response = await client.query("replay", { table, round, notation: true });
  if (response.t === "refused") return refusedText(response.refusal);
  if (response.notation === null) return response.no_notation;
  save({ name: `${table}-${round}.round`, type: "text/plain;charset=utf-8", content: response.notation });
  return "";
}

// The controls: play, pause, step, speed and position.

/** Playback speeds. */
const SPEEDS = [1, 4, 16];

/**
 * @typedef {{toggle: () => void, go: (at: number) => void, hasten: (speed: number) => void}} Controls
 * @typedef {{at: number, all: number, playing: boolean, speed: number, says: string}} Shown
 */

/** @param {Controls} does */
function replayControls({ toggle, go, hasten }) {
  let at = 0;
  const back = button(icon("back"), () => go(at - 1), { "aria-label": say("replayed.back") });
  const on = button(icon("forward"), () => go(at + 1), { "aria-label": say("replayed.on") });
  const play = button(say("replayed.play"), toggle, { class: "main play" });
  const slide = el("input", { type: "range", min: 0, step: 1, "aria-label": say("replayed.where") });
  slide.addEventListener("input", () => go(Number(slide.value)));
  const speeds = SPEEDS.map((speed) =>
    button(`${speed}×`, () => hasten(speed), { "aria-label": say("replayed.speed", { n: speed }) })
  );
  const faster = el("div", { class: "speeds", role: "group", "aria-label": say("replayed.fast") }, ...speeds);
  const node = el("div", { class: "replay-bar" }, back, play, on, slide, faster);
  /** @param {Shown} shown */
  const update = (shown) => {
    at = shown.at;
    enabled(back, at > 0);
    enabled(on, at < shown.all - 1);
    text(play, shown.playing ? say("replayed.pause") : say("replayed.play"));
    marked(slide, "max", shown.all - 1);
    if (slide.value !== String(at)) slide.value = String(at);
    marked(slide, "aria-valuetext", shown.says);
    speeds.forEach((one, place) => marked(one, "aria-pressed", String(SPEEDS[place] === shown.speed)));
  };
  return { node, update };
}

// The player: a round on its felt at one step, moved by hand or by a clock.

/** The tick of the playback clock. */
const TICK_MS = 100;

class Player {
  /** @param {ConsoleClient} client @param {ReplayResponse} response @param {string | null} terminal whose stakes are shown first */
  constructor(client, response, terminal) {
    this.client = client;
    this.response = response;
    /** Every terminal that had stakes. */
    this.names = [...new Set([...response.seats, ...response.steps].flatMap((one) => one.terminal ?? []))].sort();
    this.terminal = terminal !== null && this.names.includes(terminal) ? terminal : null;
    this.frames = framesOf(response);
    this.at = 0;
    this.speed = SPEEDS[1];
    /** The server time of the step shown. */
    this.now = this.frames[0]?.step.at_us ?? 0;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    /** @type {ReturnType<typeof replayFelt> | null} */
    this.felt = null;
    this.place = el("div", { class: "replay-felt" });
    this.moment = el("p", { class: "moment" });
    this.timing = el("p", { class: "timing" });
    this.bar = replayControls({
      toggle: () => this.toggle(),
      go: (at) => this.go(at),
      hasten: (speed) => this.#setSpeed(speed),
    });
    this.steps = stepList({ rulebook: response.rulebook, steps: response.steps, go: (at) => this.go(at) });
    this.seats = replaySeats(client, response, this.names);
    this.node = this.#laid();
  }

  #laid() {
    const option = (/** @type {string} */ value, words = value) =>
      el("option", { value, selected: value === (this.terminal ?? "") }, words);
    const whose = el("select", {}, option("", say("replayed.all-seats")), ...this.names.map((name) => option(name)));
    whose.addEventListener("change", () => {
      this.terminal = whose.value || null;
      this.draw();
    });
    const left = el("div", { class: "replay-scene" }, this.moment, this.place, this.bar.node, this.seats.node);
    const right = el(
      "div",
      { class: "replay-side" },
      this.timing,
      field(say("replayed.whose"), whose),
      this.steps.node,
    );
    return el("div", { class: "replay-grid" }, left, right);
  }

  /** Draw the current step. */
  draw() {
    const data = this.client.felt(this.response.table);
    if (!this.felt && data && this.place.isConnected) this.felt = replayFelt(this.place, data);
    const frame = this.frames[this.at];
    if (!frame) return;
    this.felt?.set(feltStateOf(frame, this.terminal));
    this.seats.update(frame, this.terminal);
    this.#describe();
  }

  #describe() {
    const { step } = this.frames[this.at];
    const clause = clauseLink(this.response.rulebook, step.clause);
    const says = say("replayed.step", { n: this.at + 1, all: this.frames.length, words: stepText(step) });
    this.moment.setAttribute("aria-live", this.timer ? "off" : "polite");
    if (this.moment.dataset.step !== String(this.at)) {
      this.moment.dataset.step = String(this.at);
      const by = el("small", {}, `${actorOf(step)} · ${instantOf(step.at_us)}`);
      this.moment.replaceChildren(el("strong", {}, stepText(step)), " ", ...(clause ? [clause, " "] : []), by);
      this.steps.update(this.at);
    }
    this.bar.update({ at: this.at, all: this.frames.length, playing: this.timer !== null, speed: this.speed, says });
    this.#time();
  }

  /** Show the time into the round, and until betting closes. */
  #time() {
    const seconds = (/** @type {number} */ us) => `${(Math.max(0, us) / 1e6).toFixed(1)} s`;
    const began = this.frames[0].step.at_us;
    const closes = closesAt(this.frames, this.at);
    const left = closes === null ? "" : ` · ${say("replayed.closes", { time: seconds(closes - this.now) })}`;
    const said = closes === null && this.frames[this.at].sealed ? ` · ${say("replayed.closed")}` : left;
    text(this.timing, `${say("replayed.into", { time: seconds(this.now - began) })}${said}`);
  }

  /** Go to a step and stop. @param {number} at */
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
    this.timer = setInterval(() => this.#advance(), TICK_MS);
    this.draw();
  }

  #stop() {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** Advance the clock, and show everything up to it. */
  #advance() {
    this.now += TICK_MS * 1000 * this.speed;
    let to = this.at;
    while (to < this.frames.length - 1 && this.frames[to + 1].step.at_us <= this.now) to += 1;
    if (to === this.frames.length - 1) this.#stop();
    if (to === this.at) return this.#time();
    this.at = to;
    this.draw();
  }

  /** @param {number} speed */
  #setSpeed(speed) {
    this.speed = speed;
    this.draw();
  }

  /** Keys work where no other control uses them. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, .felt")) return;
    /** @type {Record<string, () => void>} */
    const does = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.frames.length - 1),
      "-": () => this.#setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(this.speed) - 1)]),
      "+": () => this.#setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + 1)]),
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
