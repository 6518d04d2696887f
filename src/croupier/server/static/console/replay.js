// The replay of a round: dialog, player, controls and the downloadable bundle.

import { openDialog } from "../shared/dialog.js";
import { el } from "../shared/dom.js";
import { Playback } from "../shared/playback.js";
import { button, field, h, icon } from "../shared/render.js";
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
import { ruleLink, save, saveBundle } from "./widgets.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").ReplayResult} ReplayResponse
 */

/**
 * @typedef {{table: string, round: number, terminal?: string | null}} Which
 */

/** Replay a round. @param {ConsoleClient} client @param {Which} which */
export function openReplay(client, { table, round, terminal = null }) {
  /** The round as it plays, once it has come. @type {Player | null} */
  let player = null;
  /** Why there is none, or why a file was not made. */
  let reported = "";
  const report = (/** @type {string} */ words) => {
    reported = words;
    dialog.redraw();
  };
  const isLooking = () => player === null && reported === "";
  const file = (/** @type {string} */ sign, /** @type {string} */ words, /** @type {() => Promise<string>} */ make) =>
    button(h("span", null, icon(sign), words), () => make().then(report), { disabled: player === null });
  const dialog = openDialog({
    name: "replay",
    title: say("replayed.title", { round, table }),
    look: "wide",
    body: () => [
      isLooking() && h("p", { class: "quiet" }, say("replayed.looking")),
      player && h("p", { class: "quiet" }, summary(player.response)),
      h("div", { class: "replayed" }, player?.tree()),
      h("p", { class: "reply", role: "alert", hidden: reported === "" }, reported),
    ],
    foot: () => [
      file("form", say("replayed.notation"), () => notation(client, { table, round })),
      file("save", say("dispute.bundle"), () => saveBundle(client, { table, round })),
      button(say("document.close"), () => dialog.close()),
    ],
    update: () => player?.drawFelt(),
    closed: () => player?.destroy(),
  });
  fetchRound(client, { table, round, terminal }).then((response) => {
    if (!dialog.node.open) return;
    if (response.t === "refused") return report(refusedText(response.refusal));
    const shown = new Player(client, response, terminal, () => {
      dialog.redraw();
      shown.drawFelt();
    });
    player = shown;
    dialog.node.addEventListener("keydown", (event) => shown.key(event));
    shown.redraw();
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

/** A summary of the round. @param {ReplayResponse} response */
function summary({ opened_at_us: at, pocket, corrected, status, rulebook, left_out: out }) {
  const words = [
    say("replayed.opened", { time: dateOf(at) }),
    rulebook,
    pocket === null ? say("replayed.no-number", { status }) : say("replayed.number", { pocket, status }),
  ];
  if (corrected.length > 0) words.push(say("replayed.corrected", { pockets: corrected.join(", ") }));
  if (out > 0) words.push(say("replayed.left-out", { n: out }));
  return words.join(" · ");
}

/** Save a round as notation. Returns the reason where it failed. @param {ConsoleClient} client @param {Which} which */
async function notation(client, { table, round }) {
  const response = await client.query("replay", { table, round, notation: true });
  if (response.t === "refused") return refusedText(response.refusal);
  if (response.notation === null) return response.no_notation;
  save({ name: `${table}-${round}.round`, type: "text/plain;charset=utf-8", content: response.notation });
  return "";
}

// The player: a round on its felt at one step, with its controls: play, pause, step, speed and position.

/** Playback speeds. */
const SPEEDS = [1, 4, 16];

class Player {
  /**
   * @param {ConsoleClient} client @param {ReplayResponse} response @param {string | null} terminal whose stakes are shown
   *   first @param {() => void} redraw
   */
  constructor(client, response, terminal, redraw) {
    this.client = client;
    this.response = response;
    this.redraw = redraw;
    /** Every terminal that had stakes. */
    this.names = [...new Set([...response.seats, ...response.steps].flatMap((one) => one.terminal ?? []))].sort();
    this.terminal = terminal !== null && this.names.includes(terminal) ? terminal : null;
    this.frames = framesOf(response);
    this.playback = new Playback(this.frames.map(({ step }) => step.at_us / 1000), redraw, SPEEDS[1]);
    /** The step that was shown, and the one whose line is in sight. */
    this.seen = -1;
    /** @type {ReturnType<typeof replayFelt> | null} */
    this.felt = null;
    this.place = el("div", { class: "replay-felt" });
  }

  /** The felt draws itself in its place, which is on the page. */
  drawFelt() {
    const data = this.client.felt(this.response.table);
    const { at } = this.playback;
    if (!this.felt && data && this.place.isConnected) this.felt = replayFelt(this.place, data);
    if (this.frames[at]) this.felt?.set(feltStateOf(this.frames[at], this.terminal));
    if (at === this.seen) return;
    this.seen = at;
    this.place.closest(".replay-grid")?.querySelector("[aria-current=step]")?.scrollIntoView({ block: "nearest" });
  }

  tree() {
    const { response, playback, frames, terminal } = this;
    const frame = frames[playback.at];
    if (!frame) return null;
    const whose = (/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget }) => {
      this.terminal = currentTarget.value || null;
      this.redraw();
    };
    const option = (/** @type {string} */ value, words = value) =>
      h("option", { key: value, value, selected: value === (terminal ?? "") }, words);
    return h(
      "div",
      { class: "replay-grid" },
      h(
        "div",
        { class: "replay-scene" },
        this.#moment(frame.step),
        this.place,
        this.#controls(),
        replaySeats(this.client, response, this.names, frame, terminal),
      ),
      h(
        "div",
        { class: "replay-side" },
        h("p", { class: "timing" }, this.#timing()),
        field(
          say("replayed.whose"),
          h("select", { change: whose }, option("", say("replayed.all-seats")), this.names.map((name) => option(name))),
        ),
        stepList(response, playback.at, (at) => playback.go(at)),
      ),
    );
  }

  /** @param {import("./replay_view.js").Step} step */
  #moment(step) {
    const { response, playback } = this;
    const clause = ruleLink(response.rulebook, step.clause);
    return h(
      "p",
      { class: "moment", "aria-live": playback.isPlaying ? "off" : "polite" },
      h("strong", null, stepText(step)),
      " ",
      clause && [clause, " "],
      h("small", null, `${actorOf(step)} · ${instantOf(step.at_us)}`),
    );
  }

  #controls() {
    const { playback, frames } = this;
    const { at, last } = playback;
    const words = say("replayed.step", { n: at + 1, all: frames.length, words: stepText(frames[at].step) });
    const slide = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
      playback.go(Number(currentTarget.value));
    return h(
      "div",
      { class: "replay-bar" },
      button(icon("back"), () => playback.go(at - 1), { "aria-label": say("replayed.back"), disabled: at === 0 }),
      button(say(playback.isPlaying ? "replayed.pause" : "replayed.play"), () => playback.toggle(), {
        class: "main play",
      }),
      button(icon("forward"), () => playback.go(at + 1), { "aria-label": say("replayed.on"), disabled: at === last }),
      h("input", {
        type: "range",
        min: 0,
        max: last,
        step: 1,
        value: at,
        input: slide,
        "aria-label": say("replayed.where"),
        "aria-valuetext": words,
      }),
      h(
        "div",
        { class: "speeds", role: "group", "aria-label": say("replayed.fast") },
        SPEEDS.map((speed) =>
          button(`${speed}×`, () => playback.setSpeed(speed), {
            key: speed,
            "aria-label": say("replayed.speed", { n: speed }),
            "aria-pressed": String(speed === playback.speed),
          })
        ),
      ),
    );
  }

  /** The time into the round, and until betting closes. */
  #timing() {
    const { playback: { at, now }, frames } = this;
    const seconds = (/** @type {number} */ ms) => `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
    const closes = closesAt(frames, at);
    const said = closes !== null
      ? ` · ${say("replayed.closes", { time: seconds(closes / 1000 - now) })}`
      : frames[at].sealed
      ? ` · ${say("replayed.closed")}`
      : "";
    return `${say("replayed.into", { time: seconds(now - frames[0].step.at_us / 1000) })}${said}`;
  }

  /** Keys work where no other control uses them. @param {KeyboardEvent} event */
  key(event) {
    const { playback } = this;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest("input, select, .felt")) return;
    const speed = SPEEDS.indexOf(playback.speed);
    /** @type {Record<string, () => void>} */
    const does = {
      ArrowLeft: () => playback.go(playback.at - 1),
      ArrowRight: () => playback.go(playback.at + 1),
      Home: () => playback.go(0),
      End: () => playback.go(playback.last),
      "-": () => playback.setSpeed(SPEEDS[Math.max(0, speed - 1)]),
      "+": () => playback.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, speed + 1)]),
    };
    if (event.key === " " && !target.closest("button, a")) does[" "] = () => playback.toggle();
    const act = does[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  destroy() {
    this.playback.stop();
    this.felt?.destroy();
  }
}
