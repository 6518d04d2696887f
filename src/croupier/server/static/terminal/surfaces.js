// The felt, racetrack and wheel of one game.

import { Tooltips } from "../felt/aim.js";
import { Felt } from "../felt/felt.js";
import { Racetrack } from "../racetrack/racetrack.js";
import { el, isMotionReduced } from "../shared/dom.js";
import { statisticsOf } from "../shared/fetched.js";
import { sound } from "../shared/sound.js";
import { say, spotLabel } from "../shared/text.js";
import { lookOf } from "../wheel/spin.js";
import { Wheel } from "../wheel/wheel.js";
import { isFirstPress } from "./actions.js";
import { statusText } from "./game_status.js";
import { connectionNotices } from "./notices.js";
import { heatOf } from "./statistics.js";
import { amount, moneyFormat } from "./money.js";

/**
 * @typedef {import("./controller.js").Felt} FeltData
 * @typedef {import("../felt/aim.js").Remedy} Remedy
 * @typedef {import("../shared/result_delay.js").Settled} Settled
 * @typedef {import("./controller.js").GameState} Standing
 * @typedef {import("./controller.js").Controller} Controller
 */

/**
 * @typedef {{stage: import("./outcome.js").Stage, paid: Record<string, number>}} Outcome
 * @typedef {{felt: Felt, strip: Racetrack, whole: Racetrack, wheel: Wheel}} Drawn
 */

/** The distance of a refusal from its number on the racetrack. */
const REACH_PX = 20;

export class Surfaces {
  /** @param {Controller} ui @param {string} name of the table */
  constructor(ui, name) {
    this.ui = ui;
    this.name = name;
    /** The place of refusals while no felt is visible. */
    this.beside = el("div", { class: "beside" });
    /** Made when something is first refused there. @type {Tooltips | null} */
    this.tips = null;
    const box = (/** @type {string} */ name) => el("div", { class: name });
    /** The place of the wheel while it is not inside the racetrack. */
    this.stand = box("stand");
    this.places = { wheel: box("wheelbox"), strip: box("racebox"), whole: box("viewbox"), felt: box("tablebox") };
    this.stand.append(this.places.wheel);
    /** The hash of the felt that is drawn. */
    this.hash = "";
    /** @type {Drawn | null} */
    this.drawn = null;
    // A felt is longer than wide: it lies along the longer side of its place.
    /** The size of the felt's place: measured when it changes, as every measurement after a change costs a layout. */
    this.feltSize = { width: 0, height: 0 };
    this.watch = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = this.places.felt;
      this.feltSize = { width, height };
      this.#lay();
    });
    this.watch.observe(this.places.felt);
    this.laid = "";
  }

  /** @returns {Felt | null} */
  get felt() {
    return this.drawn?.felt ?? null;
  }

  /** Whether the wheel is visible. */
  get isWheelSeen() {
    return this.places.wheel.checkVisibility();
  }

  /** The place of the wheel while no scene shows it. */
  get home() {
    return (visibleSurfaces(this.ui).whole && this.drawn?.whole.well) || this.stand;
  }

  /** @param {Standing} at @param {Settled | null} settled @param {Outcome} outcome */
  draw(at, settled, outcome) {
    const { ui, name } = this;
    const drawn = this.#build(at.data);
    const heat = ui.prefs.now.heat ? heatOf(at.table && statisticsOf(at.table, () => ui.session.redraw())) : null;
    const look = feltStateOf(ui, at, settled, heat, outcome);
    const race = { ...look, reach: ui.prefs.now.reach, pocket: look.dolly };
    const seen = visibleSurfaces(ui);
    if (seen.felt) drawn.felt.set(look);
    if (seen.strip) drawn.strip.set(race);
    if (seen.whole) drawn.whole.set(race);
    drawn.wheel.set(this.#spin((ui.serverView ?? ui.view()).tables[name].state));
    this.#lay();
  }

  /**
   * Show why something was refused, at the spot that was pressed where it is visible.
   * @param {string | null} spot @param {string} words @param {string | null} clause @param {Remedy | null} [remedy]
   */
  refuse(spot, words, clause, remedy = null) {
    if (!this.drawn) return;
    if (visibleSurfaces(this.ui).felt) return this.drawn.felt.showRefusal(spot, words, clause, remedy);
    const [pocket] = (spot && this.ui.data(this.name)?.covers.get(spot)) || [];
    // At the number of the racetrack that was pressed, or in the middle.
    const at = pocket ? this.drawn.whole.anchor(pocket) : null;
    const { left, top, width, height } = this.beside.getBoundingClientRect();
    const point = at ? { x: at.x - left, y: at.y - top } : { x: width / 2, y: height / 2 };
    this.tips ??= new Tooltips(this.beside);
    this.tips.refuse({ ...point, reach: at ? REACH_PX : 0 }, words, clause, remedy);
  }

  /** @param {import("../shared/types/wire.js").TableState} table */
  #spin(table) {
    const { assist } = this.ui.prefs.now;
    return { ...lookOf(table), now: this.ui.session.now(), reduced: isMotionReduced(), assist };
  }

  #lay() {
    const { width, height } = this.feltSize;
    if (!this.drawn || width === 0) return;
    const { prefs, layout } = this.ui;
    const wanted = {
      orientation: /** @type {"portrait" | "landscape"} */ (height > width ? "portrait" : "landscape"),
      mirrored: prefs.now.hand === "left",
      lens: layout.both,
    };
    if (JSON.stringify(wanted) === this.laid) return;
    this.laid = JSON.stringify(wanted);
    this.drawn.felt.lay(wanted);
  }

  /**
   * Draw the current felt once; a new felt replaces the old one.
   * @param {FeltData} data
   * @returns {Drawn}
   */
  #build(data) {
    const { places } = this;
    if (this.drawn && this.hash === data.hash) return this.drawn;
    this.#clear();
    const on = this.#handlers();
    const label = (/** @type {string} */ key) => {
      const spot = data.spotsByKey.get(key);
      return spot ? spotLabel(spot, data.kinds) : key;
    };
    const race = { data, money: moneyFormat, say, on };
    this.hash = data.hash;
    this.laid = "";
    this.drawn = {
      felt: new Felt(places.felt, { data, money: moneyFormat, label, note: (spot) => this.#note(spot), on }),
      strip: new Racetrack(places.strip, { ...race, shape: "strip" }),
      whole: new Racetrack(places.whole, { ...race, shape: "view" }),
      wheel: new Wheel(places.wheel, { order: data.wheel, say, on: this.#wheelEvents() }),
    };
    return this.drawn;
  }

  /** Only the table in focus makes a sound. */
  #wheelEvents() {
    const { ui, name } = this;
    const isAudible = () => ui.focus() === name && this.isWheelSeen;
    return {
      rest: () => ui.landed(name),
      roll: (/** @type {number} */ speed) => void (isAudible() && sound.roll(speed)),
      click: (/** @type {import("../wheel/wheel.js").Click} */ { strength }) =>
        void (isAudible() && sound.click(strength)),
    };
  }

  /** The handlers of the surfaces. */
  #handlers() {
    const { ui, name } = this;
    return {
      place: (/** @type {string} */ spot) => ui.press(name, spot),
      number: (/** @type {string} */ pocket) => ui.press(name, pocket),
      take: (/** @type {string} */ spot) => ui.remove(name, spot),
      move: (/** @type {string} */ from, /** @type {string} */ to) => ui.move(name, from, to),
      drop: (/** @type {string} */ spot, /** @type {number} */ cents) => ui.place(name, spot, cents),
      call: (/** @type {import("../shared/types/wire.js").CallVariant} */ way) => ui.call(name, way),
      pick: () => ui.dialogs.specials?.(),
      reach: (/** @type {number} */ reach) => ui.prefs.set({ reach }),
      aim: (/** @type {[string, number][] | null} */ pieces) => this.#aim(pieces),
      shut: (/** @type {string} */ spot) => this.refuse(spot, closedReason(ui, name), null),
    };
  }

  /** The note of a spot: the minimum that a red chip is missing. @param {string} spot */
  #note(spot) {
    const { red = [], limits = [] } = this.ui.game(this.name) ?? {};
    const kind = this.ui.data(this.name)?.spotsByKey.get(spot)?.kind;
    const least = limits.find(([of]) => of === kind)?.[1];
    return red.includes(spot) && least ? say("game.least", { least: amount(least) }) : null;
  }

  /** Preview the chips of a call bet. @param {[string, number][] | null} pieces */
  #aim(pieces) {
    const chip = this.ui.chip();
    const worth = chip === "eraser" ? 0 : chip;
    this.ui.preview(pieces && pieces.map(([spot, chips]) => [spot, chips * worth]), this.name);
  }

  #clear() {
    for (const one of Object.values(this.drawn ?? {})) one.destroy();
    this.stand.append(this.places.wheel);
  }

  destroy() {
    this.watch.disconnect();
    this.#clear();
  }
}

/** Which of the three are visible. @param {Controller} ui */
function visibleSurfaces({ layout, prefs }) {
  const { view, tab } = prefs.now;
  if (layout.both) return { felt: true, strip: true, whole: false };
  if (layout.small) return { felt: tab === "table", strip: false, whole: tab === "racetrack" };
  return { felt: view === "table", strip: view === "table", whole: view === "wheel" };
}

/** Why no bet may be placed now. @param {Controller} ui @param {string} name */
function closedReason(ui, name) {
  const status = ui.status(name);
  const closed = ui.data(name)?.messages.closed?.[0] ?? say("status.closed");
  return connectionNotices(ui)[0]?.says ?? (status.is === "winning" ? closed : statusText(ui, name, status));
}

// The state of a felt: server state, preferences and preview combined.

/**
 * @typedef {Record<string, [number | null, number | null, number | null]>} SpotLimits minimum, maximum and maximum win
 */

/**
 * @param {Controller} ui @param {Standing} at @param {Settled | null} settled @param {Record<string, number> | null} heat
 * @param {Outcome} outcome
 */
function feltStateOf(ui, { name, table, mine, data }, settled, heat, { stage, paid }) {
  const { guessed } = ui.view();
  // Until the wheel has gone back, the felt is as it was.
  const isEarly = stage === "number" || stage === "felt";
  const pocket = isEarly ? null : (table.pocket ?? null);
  const isOver = pocket !== null && table.phase === "between";
  return {
    stakes: isEarly && settled ? settled.stakes : mine.bets,
    guessed: guessed[name] ?? {},
    red: mine.red ?? [],
    ghosts: { ...mine.ghosts, ...(ui.previewed?.table === name ? ui.previewed.ghosts : {}) },
    ringed: ui.isOpen(name) ? ringedBy(mine.neighbours, ui.asksNeighbours) : [],
    winning: pocket,
    last: isOver && settled ? { stakes: settled.stakes } : null,
    paid: isOver && stage === "paid" ? paid : {},
    dolly: pocket,
    multiples: table.multiples,
    pots: table.pots,
    open: ui.isOpen(name),
    chip: ui.chip(),
    limits: ui.prefs.now.limits ? spotLimits(mine.limits ?? [], data.spots) : null,
    heat: ui.prefs.now.heat ? heat : null,
    assist: ui.prefs.now.assist,
    live: isOver ? Object.keys(mine.bets) : [],
    sealed: mine.sealed === table.round,
  };
}

/**
 * The spots that the Neighbours button acts on, its number first: once it was pressed, and while it is pointed at.
 * @param {import("./actions.js").NextNeighbours} next @param {boolean} isAsked
 */
const ringedBy = (next, isAsked) =>
  next && (isAsked || !isFirstPress(next))
    ? [next.pocket, ...Object.keys(next.adds).filter((spot) => spot !== next.pocket)]
    : [];

/**
 * Limits come by kind of bet; a felt shows them by spot.
 * @param {import("../shared/types/wire.js").KindLimits[]} limits
 * @param {import("../shared/types/wire.js").SpotPlace[]} spots
 */
function spotLimits(limits, spots) {
  const known = new Map(limits.map(([kind, ...figures]) => [kind, figures]));
  /** @type {SpotLimits} */
  const found = {};
  for (const { key, kind } of spots) {
    const figures = known.get(kind);
    if (figures) found[key] = figures;
  }
  return found;
}
