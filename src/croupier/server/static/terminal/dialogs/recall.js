// The last games, replayed.

import { Felt } from "../../felt/felt.js";
import { EMPTY_LAYOUT } from "../../felt/stacks.js";
import { openDialog } from "../../shared/dialog.js";
import { el } from "../../shared/dom.js";
import { Playback } from "../../shared/playback.js";
import { button, h, icon } from "../../shared/render.js";
import { locale, say, spotLabel, tableName } from "../../shared/text.js";
import { clockOf } from "../../shared/times.js";
import { amount, moneyFormat, netOf } from "../money.js";

/**
 * @typedef {import("../../shared/felt_cache.js").Felt} FeltData
 * @typedef {import("../calls.js").Chips} Chips
 * @typedef {import("../controller.js").Controller} Controller
 */

/** @param {Controller} ui */
export function openRecall(ui) {
  /** The games, once they have come. @type {PastGame[] | null} */
  let games = null;
  let isSent = true;
  /** @type {Replay | null} */
  let replay = null;
  const pick = (/** @type {PastGame} */ game) => {
    replay?.destroy();
    replay = new Replay(ui, game, () => dialog.redraw());
    dialog.redraw();
  };
  const before = ui.session.handlers.games;
  ui.session.handlers.games = (/** @type {{games: PastGame[]}} */ response) => {
    games = response.games.filter((game) => !isLanding(ui, game));
    if (games.length > 0) pick(games[0]);
    else dialog.redraw();
  };
  const waits = () => say(!isSent ? "reply.no-line" : games === null ? "replay.coming" : "replay.none");
  const dialog = openDialog({
    name: "recall",
    title: say("replay.title"),
    look: "wide",
    body: () => [
      h("p", { class: "quiet", role: "status", hidden: Boolean(games?.length) }, waits()),
      h(
        "div",
        { class: "replay" },
        h(
          "div",
          { class: "pasts", role: "group", "aria-label": say("replay.games") },
          games?.map((game) =>
            button(entry(game, wasCorrected(ui, game)), () => pick(game), {
              class: "row",
              key: `${game.table} ${game.round}`,
              "aria-pressed": String(replay?.game === game),
            })
          ),
        ),
        replay?.tree(),
      ),
    ],
    closed: () => {
      replay?.destroy();
      ui.session.handlers.games = before;
    },
  });
  isSent = ui.session.send({ t: "games" });
  dialog.redraw();
}

/** Whether the number of a game is not shown yet, because its ball still lands. @param {Controller} ui @param {PastGame} game */
function isLanding(ui, { table, round }) {
  const now = ui.table(table);
  return now?.round === round && (now.pocket ?? null) === null && now.phase !== "between";
}

/** Whether a game was corrected: its message says so. @param {Controller} ui @param {PastGame} game */
const wasCorrected = (ui, game) =>
  Boolean(
    ui.view().seat?.messages?.some(({ kind, round, pocket }) =>
      kind === "corrected" && round === game.round && pocket === game.pocket
    ),
  );

/** @param {PastGame} game @param {boolean} isCorrected */
const entry = ({ round, pocket, staked, returned }, isCorrected) =>
  h(
    "span",
    null,
    h("b", null, say("replay.round", { round }), isCorrected && h("small", null, say("correction.title"))),
    h("span", null, pocket ?? "–"),
    h("bdi", { class: "net" }, netOf(returned - staked)),
  );

// Frames: the stakes of a past game after each step, from its start to its number.

/**
 * @typedef {object} PastGame a game as the server sends it
 * @property {string} table
 * @property {number} round
 * @property {Chips} at_start
 * @property {{at_us: number, how: string, stakes: Chips}[]} steps the stakes after each step on the spots that it
 *   changed
 * @property {Chips} sealed
 * @property {string | null} pocket
 * @property {number} staked
 * @property {number} returned
 * @property {number} credit
 *
 * @typedef {{stakes: Chips, is: string, at: number | null, pocket: string | null}} Frame the stakes, and which step
 *   it is
 */

/** The label of each step. @type {Record<string, string>} */
export const STEP_TEXTS = {
  start: "replay.start",
  place: "replay.place",
  change: "replay.change",
  remove: "replay.remove",
  move: "replay.move",
  undo: "replay.undo",
  clear: "replay.clear",
  repeat: "replay.repeat",
  double: "replay.double",
  neighbours: "replay.neighbours",
  recall: "replay.recall",
  copy: "replay.copy",
  auto_copy: "replay.auto_copy",
  return: "replay.return",
  sealed: "replay.sealed",
  number: "replay.won",
  no_number: "replay.no-number",
};

/** @param {PastGame} game @returns {Frame[]} */
export function framesOf({ at_start: start, steps, sealed, pocket }) {
  let placed = { ...start };
  const frames = [frame(placed, "start")];
  for (const { at_us: at, how, stakes } of steps) {
    placed = after(placed, stakes);
    frames.push(frame(placed, how, at));
  }
  const over = pocket === null ? frame(sealed, "no_number") : { ...frame(sealed, "number"), pocket };
  return [...frames, frame(sealed, "sealed"), over];
}

/** @param {Chips} stakes @param {string} is @param {number | null} [at] @returns {Frame} */
const frame = (stakes, is, at = null) => ({ stakes, is, at, pocket: null });

/** @param {Chips} placed @param {Chips} stakes @returns {Chips} */
const after = (placed, stakes) =>
  Object.fromEntries(Object.entries({ ...placed, ...stakes }).filter(([, cents]) => cents > 0));

// A replay: one past game on its own felt, step by step or played through, marked as a replay.

/** How long each step is shown during playback. */
const STEP_MS = 900;

class Replay {
  /** @param {Controller} ui @param {PastGame} game @param {() => void} redraw */
  constructor(ui, game, redraw) {
    this.ui = ui;
    this.game = game;
    this.frames = framesOf(game);
    this.place = el("div", { class: "small-felt" });
    this.felt = feltOf(this.place, ui.data(game.table), ui.prefs.now.hand === "left");
    this.playback = new Playback(this.frames.map((_, place) => place * STEP_MS), () => {
      this.#drawFelt();
      redraw();
    });
    this.#drawFelt();
  }

  tree() {
    const { playback, game } = this;
    const { at, last, isPlaying } = playback;
    const back = { "aria-label": say("replay.back"), disabled: at === 0 };
    const forward = { "aria-label": say("replay.forward"), disabled: at === last };
    return h(
      "div",
      { class: "shown", key: `${game.table} ${game.round}` },
      h("p", { class: "banner" }, say("replay.banner")),
      this.place,
      h("p", { class: "moment", role: "status" }, this.#words()),
      h(
        "div",
        { class: "action-row" },
        button(icon("back"), () => playback.go(at - 1), back),
        button(say(isPlaying ? "replay.pause" : "replay.play"), () => playback.toggle(), { class: "main" }),
        button(icon("forward"), () => playback.go(at + 1), forward),
      ),
      h("dl", { class: "facts" }, factsOf(game)),
    );
  }

  #words() {
    const { is, at, pocket } = this.frames[this.playback.at];
    const words = say(STEP_TEXTS[is] ?? STEP_TEXTS.change, pocket === null ? {} : { pocket });
    const step = say("replay.step", { n: this.playback.at + 1, all: this.frames.length, words });
    return at === null ? step : `${step} · ${clockOf(at)}`;
  }

  #drawFelt() {
    const { stakes, pocket } = this.frames[this.playback.at];
    const over = pocket === null ? {} : { winning: pocket, dolly: pocket, last: { stakes } };
    this.felt?.set({
      ...EMPTY_LAYOUT,
      stakes: pocket === null ? stakes : {},
      assist: this.ui.prefs.now.assist,
      ...over,
    });
  }

  destroy() {
    this.playback.stop();
    this.felt?.destroy();
  }
}

/** A read-only felt. @param {HTMLElement} host @param {FeltData | null} data @param {boolean} mirrored @returns {Felt | null} */
function feltOf(host, data, mirrored) {
  if (!data) return null;
  const label = (/** @type {string} */ key) => {
    const spot = data.spotsByKey.get(key);
    return spot ? spotLabel(spot, data.kinds) : key;
  };
  const nothing = () => {};
  const felt = new Felt(host, {
    data,
    money: moneyFormat,
    label,
    on: { place: nothing, take: nothing, move: nothing, drop: nothing },
  });
  felt.lay({ orientation: "landscape", mirrored, lens: false });
  return felt;
}

/** @param {PastGame} game */
function factsOf({ table, round, pocket, staked, returned }) {
  const rows = [
    [say("replay.table"), tableName(table)],
    [say("replay.round-name"), new Intl.NumberFormat(locale()).format(round)],
    [say("replay.number"), pocket ?? say("replay.no-number")],
    [say("replay.staked"), amount(staked)],
    [say("replay.returned"), amount(returned)],
    [say("replay.net"), netOf(returned - staked)],
  ];
  return rows.map(([name, words]) => h("div", null, h("dt", null, name), h("dd", null, h("bdi", null, words))));
}
