// The last games, replayed.

import { Felt } from "../../felt/felt.js";
import { EMPTY_LAYOUT } from "../../felt/stacks.js";
import { openDialog } from "../../shared/dialog.js";
import { button, each, el, enabled, icon, marked, shown, text } from "../../shared/dom.js";
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
  const waits = el("p", { class: "quiet", role: "status" }, say("replay.coming"));
  const list = el("div", { class: "pasts", role: "group", "aria-label": say("replay.games") });
  const replay = new Replay(ui);
  const pick = (/** @type {PastGame} */ game) => {
    for (const one of list.children) marked(one, "aria-pressed", String(one.getAttribute("data-key") === keyOf(game)));
    replay.begin(game);
  };
  const before = ui.session.handlers.games;
  ui.session.handlers.games = (/** @type {{games: PastGame[]}} */ response) => {
    const games = response.games.filter((game) => !isLanding(ui, game));
    text(waits, games.length === 0 ? say("replay.none") : "");
    shown(waits, games.length === 0);
    each(list, games, keyOf, (game) => button(entry(game, wasCorrected(ui, game)), () => pick(game), { class: "row" }));
    if (games.length > 0) pick(games[0]);
  };
  openDialog({
    name: "recall",
    title: say("replay.title"),
    look: "wide",
    body: [waits, el("div", { class: "replay" }, list, replay.node)],
    closed: () => {
      replay.destroy();
      ui.session.handlers.games = before;
    },
  });
  if (!ui.session.send({ t: "games" })) text(waits, say("reply.no-line"));
}

/** Whether the number of a game is not shown yet, because its ball still lands. @param {Controller} ui @param {PastGame} game */
function isLanding(ui, { table, round }) {
  const now = ui.table(table);
  return now?.round === round && (now.pocket ?? null) === null && now.phase !== "between";
}

/** @param {PastGame} game */
const keyOf = ({ table, round }) => `${table} ${round}`;

/** Whether a game was corrected: its message says so. @param {Controller} ui @param {PastGame} game */
const wasCorrected = (ui, game) =>
  Boolean(
    ui.view().seat?.messages?.some(({ kind, round, pocket }) =>
      kind === "corrected" && round === game.round && pocket === game.pocket
    ),
  );

/** @param {PastGame} game @param {boolean} isCorrected */
const entry = ({ round, pocket, staked, returned }, isCorrected) =>
  el(
    "span",
    {},
    el("b", {}, say("replay.round", { round }), ...(isCorrected ? [el("small", {}, say("correction.title"))] : [])),
    el("span", {}, pocket ?? "–"),
    el("bdi", { class: "net" }, netOf(returned - staked)),
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

export class Replay {
  /** @param {Controller} ui */
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
    const steps = el("div", { class: "action-row" }, this.back, this.play, this.forward);
    this.node = el("div", { class: "shown", hidden: true }, banner, this.place, this.moment, steps, this.facts);
  }

  /** Show a game, at its start. @param {PastGame} game */
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
    this.felt?.set({
      ...EMPTY_LAYOUT,
      stakes: pocket === null ? stakes : {},
      assist: this.ui.prefs.now.assist,
      ...over,
    });
    const words = say(STEP_TEXTS[is] ?? STEP_TEXTS.change, pocket === null ? {} : { pocket });
    const step = say("replay.step", { n: to + 1, all: this.frames.length, words });
    text(this.moment, at === null ? step : `${step} · ${clockOf(at)}`);
    enabled(this.back, to > 0);
    enabled(this.forward, to < this.frames.length - 1);
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
  return rows.map(([name, words]) => el("div", {}, el("dt", {}, name), el("dd", {}, el("bdi", {}, words))));
}
