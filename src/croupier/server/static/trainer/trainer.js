// The payout trainer: a picture of winning bets, a number, and the time it takes to know the payout.

import { chipOf } from "../felt/pieces.js";
import { button, el, enabled, icon, marked, shown, svg, text } from "../shared/dom.js";
import { picture } from "./picture.js";
import { FIELDS, isRight, scoreOf, typeKey } from "./score.js";
import { cutOf, money, sumTable, tipOf } from "./working.js";

/**
 * @typedef {import("./score.js").Drill} Drill
 * @typedef {import("./score.js").Given} Given
 * @typedef {{rulebook: string, title: string, currency: string, levels: string[]}} Offer
 *
 * @typedef {object} State
 * @property {Offer} offer the chosen rulebook
 * @property {string} level
 * @property {number} seed of the drill
 * @property {Drill | null} drill
 * @property {string} problem why there is no drill
 * @property {string[]} typed the fields of the answer
 * @property {number} field the one that is typed into
 * @property {number} since when the drill was shown
 * @property {Given | null} result of this drill, once it is answered
 * @property {Given[]} given all answers at this level
 */

/** How long a dealer should take, and when that is nearly over. */
const TIME_S = 30;
const SOON_S = 8;
const TICK_MS = 200;
const SEED_MAX = 2 ** 31 - 1;
/** Seconds at which a bar of the chart is full. */
const BAR_S = 30;

/** @type {Record<string, string>} */
const LEVELS = { singles: "Singles", picture: "Picture", neighbours: "Neighbours", stacks: "Cut it", amount: "In cash" };
/** @type {Record<Drill["question"], string>} */
const QUESTIONS = { pieces: "How many pieces?", stacks: "How many stacks, and what over?", amount: "How much money?" };

function openTrainer() {
  const host = document.querySelector("main.app.trainer");
  const place = document.getElementById("place");
  if (!(host instanceof HTMLElement) || !place) return;
  /** @type {{drills: Offer[]}} */
  const { drills } = JSON.parse(place.textContent ?? "");
  if (drills.length === 0) {
    host.replaceChildren(el("p", { class: "empty" }, "No rulebook here pays chips, so there is nothing to practise."));
    return;
  }
  const trainer = new Trainer(drills, new URLSearchParams(location.hash.slice(1)));
  host.replaceChildren(trainer.node);
  document.addEventListener("keydown", (event) => trainer.key(event));
  setInterval(() => trainer.tick(), TICK_MS);
  trainer.start();
}

class Trainer {
  /**
   * An address such as `trainer#level=stacks&seed=7` begins with that drill, so that two people can have the same.
   * @param {Offer[]} offers @param {URLSearchParams} wanted
   */
  constructor(offers, wanted) {
    this.offers = offers;
    const offer = offers.find(({ rulebook }) => rulebook === wanted.get("rulebook")) ?? offers[0];
    const level = [wanted.get("level"), "picture", ...offer.levels].find((each) => offer.levels.includes(each ?? ""));
    const seed = /^\d{1,9}$/.test(wanted.get("seed") ?? "") ? Number(wanted.get("seed")) : randomSeed();
    /** @type {State} */
    this.state = { ...this.#fresh(), offer, level: level ?? "", seed, given: [] };
    this.header = header(this);
    this.picture = picture();
    this.question = question();
    this.keypad = keypad(this);
    this.why = el("div", { class: "why card", hidden: true });
    this.hint = el("p", { class: "hint" });
    const left = el("section", { class: "left", "aria-label": "The felt" }, this.picture.node, this.why, this.hint);
    const right = el("section", { class: "right", "aria-label": "Your answer" }, this.question.node, this.keypad.node);
    this.node = el("div", { class: "inside" }, this.header.node, el("div", { class: "content" }, left, right));
  }

  /** Show the first drill. */
  start() {
    return this.#fetch();
  }

  /** Choose a rulebook or a level, which begins a new score. @param {Partial<State>} chosen */
  choose(chosen) {
    const offer = chosen.offer ?? this.state.offer;
    const wanted = chosen.level ?? this.state.level;
    const level = offer.levels.includes(wanted) ? wanted : offer.levels[0];
    Object.assign(this.state, { offer, level, seed: randomSeed(), given: [] });
    return this.#fetch();
  }

  /** Show the next drill. */
  next() {
    this.state.seed = (this.state.seed + 1) % SEED_MAX;
    return this.#fetch();
  }

  /** Take a key of the keyboard. @param {KeyboardEvent} event */
  key(event) {
    const onControl = event.target instanceof HTMLElement && event.target.closest("button, select") !== null;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (/^\d$/.test(event.key)) this.type(event.key);
    else if (event.key === "Backspace") this.type("back");
    // A button that has the focus takes Enter itself.
    else if (event.key === "Enter" && !onControl) {
      // The verdict moves the focus to a button, which would take this key too.
      event.preventDefault();
      this.#advance();
    }
  }

  /** @param {string} key a figure, or "back" */
  type(key) {
    const { drill, result, typed, field } = this.state;
    if (!drill || result) return;
    const back = key === "back" && typed[field] === "" && field > 0;
    this.state.field = back ? field - 1 : field;
    if (!back) typed[field] = typeKey(typed[field], key);
    this.draw();
  }

  /** The main button: the next field, the answer, or the next drill. */
  press() {
    this.#advance();
  }

  tick() {
    const { drill, result, since } = this.state;
    if (drill && !result) this.question.time((performance.now() - since) / 1000);
  }

  draw() {
    const { drill, result, offer, problem } = this.state;
    this.header.update(this.state);
    this.question.update(this.state);
    this.keypad.update(this.state);
    text(this.hint, problem || (drill ? hintOf(drill) : "…"));
    shown(this.hint, result === null);
    shown(this.why, result !== null);
    if (drill) this.picture.update(drill);
    if (drill && result) this.why.replaceChildren(sumTable(drill, offer.currency));
  }

  #advance() {
    const { drill, result, typed, field } = this.state;
    if (!drill) return void this.#fetch();
    if (result) return void this.next();
    if (typed[field] === "") return;
    if (field + 1 < typed.length) this.state.field += 1;
    else this.#judge(drill);
    this.draw();
  }

  /** @param {Drill} drill */
  #judge(drill) {
    const seconds = (performance.now() - this.state.since) / 1000;
    this.state.result = { right: isRight(drill, this.state.typed), seconds };
    this.state.given.push(this.state.result);
  }

  #fresh() {
    return { drill: null, problem: "", typed: [""], field: 0, since: performance.now(), result: null };
  }

  /** Fetch the drill of the state's seed; a later choice overtakes it. */
  async #fetch() {
    Object.assign(this.state, this.#fresh());
    this.draw();
    const { offer, level, seed } = this.state;
    const address = `drill/${offer.rulebook}/${level}/${seed}.json`;
    const drill = await fetch(new URL(address, document.baseURI)).then(
      (response) => (response.ok ? response.json() : null),
      () => null,
    );
    if (seed !== this.state.seed || level !== this.state.level || offer !== this.state.offer) return;
    if (drill) Object.assign(this.state, { drill, typed: FIELDS[/** @type {Drill} */ (drill).question].map(() => "") });
    this.state.problem = drill ? "" : "The server does not respond. Press the button to try again.";
    this.state.since = performance.now();
    this.draw();
  }
}

/** @param {Drill} drill */
function hintOf({ pocket, lines }) {
  const isOnBlock = lines.some(({ numbers }) => numbers);
  return `The number is ${pocket}. ${isOnBlock ? "A marker bet counts with a fifth." : "Nothing else on the felt counts."}`;
}

/** A random seed for a run of drills. */
const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % SEED_MAX;

/** The heading: levels, rulebooks and score. @param {Trainer} trainer */
function header(trainer) {
  const levels = el("div", { class: "levels", role: "group", "aria-label": "Level" });
  const options = trainer.offers.map(({ rulebook, title }) => el("option", { value: rulebook }, title));
  const choice = el("select", { "aria-label": "Rules" }, ...options);
  choice.addEventListener("change", () => trainer.choose({ offer: trainer.offers[choice.selectedIndex] }));
  const figures = { right: el("b"), streak: el("b"), median: el("b") };
  const score = el(
    "dl",
    { class: "score" },
    ...Object.entries({ right: "right", streak: "in a row", median: "median" }).map(([name, words]) =>
      el("div", {}, el("dt", {}, words), el("dd", {}, figures[/** @type {"right"} */ (name)])),
    ),
  );
  const node = el("header", { class: "trainer-header" }, el("h1", {}, "Payout trainer"), levels, choice, score);
  const demo = document.querySelector("body > .demo");
  if (demo) score.before(demo);
  /** @param {State} state */
  const update = ({ offer, level, given }) => {
    if (levels.dataset.of !== offer.rulebook) {
      levels.dataset.of = offer.rulebook;
      levels.replaceChildren(
        ...offer.levels.map((each) => button(LEVELS[each], () => trainer.choose({ level: each }), { "data-level": each })),
      );
    }
    for (const each of levels.children) marked(each, "aria-pressed", String(each.getAttribute("data-level") === level));
    const { right, asked, streak, median } = scoreOf(given);
    text(figures.right, `${right} of ${asked}`);
    text(figures.streak, streak);
    text(figures.median, median === null ? "–" : `${median.toFixed(1)} s`);
  };
  shown(choice, trainer.offers.length > 1);
  return { node, update };
}

/** The question, what was typed, the clock, and afterwards the verdict with the stacks. */
function question() {
  const owner = el("div", { class: "owner" });
  const clock = ring();
  const spent = el("span", { class: "spent" });
  const words = el("p", { class: "question", role: "status" });
  const fields = el("div", { class: "fields" });
  const cut = el("div", { class: "after" });
  const chart = el("figure", { class: "latest" });
  const top = el("div", { class: "top" }, owner, clock.node, spent);
  const node = el("div", { class: "card ask" }, top, words, fields, cut, chart);
  /** @param {State} state */
  const update = ({ drill, result, typed, field, offer, given }) => {
    marked(node, "data-is", result && (result.right ? "right" : "wrong"));
    text(words, drill ? verdictOf(drill, result, typed, offer.currency) : "");
    owner.replaceChildren(...(drill ? ownerOf(drill, offer.currency) : []));
    const values = result && drill ? drill.answer.map((value) => String(value / unitOf(drill))) : typed;
    fields.replaceChildren(...(drill ? fieldsOf(drill, values, result ? -1 : field) : []));
    shown(clock.node, result === null);
    shown(spent, result !== null);
    text(spent, result ? `${result.seconds.toFixed(1)} s` : "");
    cut.replaceChildren(...(drill && result ? [cutOf(drill, offer.currency)] : []));
    const { latest } = scoreOf(given);
    shown(chart, result === null && latest.length > 0);
    chart.replaceChildren(el("figcaption", {}, "Last answers"), el("div", { class: "bars" }, ...latest.map(barOf)));
  };
  return { node, update, time: clock.update };
}

/** @param {Drill} drill */
const unitOf = ({ question: asked }) => (asked === "amount" ? 100 : 1);

/** @param {Drill} drill @param {Given | null} result @param {string[]} typed @param {string} currency */
function verdictOf(drill, result, typed, currency) {
  if (!result) return QUESTIONS[drill.question];
  if (result.right) return "Right.";
  const [said, right] = [typed.map(Number), drill.answer.map((value) => value / unitOf(drill))];
  const show = (/** @type {number[]} */ values) =>
    drill.question === "amount" ? money(values[0] * 100, currency) : values.join(" + ");
  return `You said ${show(said)}. It is ${show(right)}.`;
}

/** Whose chips these are. @param {Drill} drill @param {string} currency */
function ownerOf({ chip, value }, currency) {
  const name = chip.charAt(0).toUpperCase() + chip.slice(1);
  return [chipOf(chip, ""), el("p", {}, el("b", {}, name), el("small", {}, `${money(value, currency)} a piece`))];
}

/** @param {Drill} drill @param {string[]} values @param {number} current */
function fieldsOf(drill, values, current) {
  const names = FIELDS[drill.question];
  return values.map((value, place) =>
    el(
      "output",
      { class: "typed", "data-current": place === current && names.length > 1 ? true : null, "aria-label": names[place] },
      el("span", {}, value || "–"),
      names.length > 1 ? el("small", {}, place === 0 ? "stacks" : "over") : null,
    ),
  );
}

/** One answer in the chart. @param {Given} given */
function barOf({ right, seconds }) {
  const bar = el("span", { class: "bar", "data-right": right ? "yes" : "no" });
  bar.style.setProperty("--share", String(Math.min(1, seconds / BAR_S)));
  const said = `${right ? "right" : "wrong"}, ${Math.round(seconds)} seconds`;
  return el("span", { class: "answer", role: "img", "aria-label": said }, bar, el("small", {}, right ? Math.round(seconds).toString() : "×"));
}

/** A ring that empties, with whole seconds in it. */
function ring() {
  const radius = 19;
  const round = 2 * Math.PI * radius;
  const left = svg("circle", { class: "left", cx: 22, cy: 22, r: radius, transform: "rotate(-90 22 22)" });
  const track = svg("circle", { class: "track", cx: 22, cy: 22, r: radius });
  const figure = el("b");
  const drawing = svg("svg", { viewBox: "0 0 44 44", "aria-hidden": "true" }, track, left);
  const node = el("span", { class: "ring", role: "timer", "aria-label": "Seconds left" }, figure);
  node.prepend(drawing);
  /** @param {number} seconds since the drill was shown */
  const update = (seconds) => {
    const rest = Math.max(0, TIME_S - seconds);
    text(figure, Math.ceil(rest));
    marked(node, "data-look", rest === 0 ? "stop" : rest <= SOON_S ? "warn" : "ok");
    left.setAttribute("stroke-dasharray", `${(round * rest) / TIME_S} ${round}`);
  };
  update(0);
  return { node, update };
}

/** Figures, and the main button. @param {Trainer} trainer */
function keypad(trainer) {
  const figures = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((key) => button(key, () => trainer.type(key)));
  const back = button("⌫", () => trainer.type("back"), { "aria-label": "Delete the last figure" });
  const zero = button("0", () => trainer.type("0"));
  const say = button("Say it", () => trainer.press(), { class: "main" });
  const keys = el("div", { class: "keys" }, ...figures, back, zero, say);
  const tip = el("p", { class: "tip" });
  const next = button("Next picture", () => trainer.press(), { class: "main next" });
  next.append(icon("forward"));
  const after = el("div", { class: "next-step" }, tip, next);
  const node = el("div", { class: "keypad" }, keys, after);
  /** @param {State} state */
  const update = ({ drill, result, typed, field }) => {
    shown(keys, result === null);
    if (after.hidden === (result !== null)) {
      after.hidden = result === null;
      // Enter goes on with the keyboard, wherever the focus was.
      if (result) next.focus();
      else if (document.activeElement === next || document.activeElement === document.body) say.blur();
    }
    text(say, !drill ? "Try again" : field + 1 < typed.length ? "And over" : "Say it");
    enabled(say, !drill || typed[field] !== "");
    text(tip, drill && result ? tipOf(drill) : "");
  };
  after.hidden = true;
  return { node, update };
}

openTrainer();
