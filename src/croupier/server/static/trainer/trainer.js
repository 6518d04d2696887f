// The payout trainer: a picture of winning bets, a number, and the time it takes to know the payout.

import { chipOf, colourName } from "../felt/pieces.js";
import { Preferences } from "../shared/preferences.js";
import { button, h, icon, render } from "../shared/render.js";
import { parametersOf } from "../shared/session.js";
import { languageInUse, languageOf, LANGUAGES, locale, say, useLanguage } from "../shared/text.js";
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

async function openTrainer() {
  const host = document.querySelector("main.app.trainer");
  const place = document.getElementById("place");
  if (!(host instanceof HTMLElement) || !place) return;
  const [parameters, prefs] = [parametersOf(location), new Preferences(localStorage)];
  await useLanguage(languageOf(parameters.lang, prefs.now.lang, navigator.languages));
  // The header has the mark of a demonstration.
  const demo = document.querySelector("body > .demo");
  demo?.remove();
  /** @type {{drills: Offer[]}} */
  const { drills } = JSON.parse(place.textContent ?? "");
  if (drills.length === 0) return render(host, h("p", { class: "empty" }, say("trainer.empty")));
  const speak = async (/** @type {string} */ lang) => {
    prefs.set({ lang });
    await useLanguage(lang);
    trainer.draw();
  };
  const trainer = new Trainer(drills, parameters, () => render(host, page(trainer, demo !== null, speak)));
  document.addEventListener("keydown", (event) => trainer.key(event));
  setInterval(() => trainer.draw(), TICK_MS);
  trainer.start();
}

class Trainer {
  /**
   * An address such as `trainer#level=stacks&seed=7` begins with that drill, so that two people can have the same.
   * @param {Offer[]} offers @param {Record<string, string>} wanted @param {() => void} draw
   */
  constructor(offers, wanted, draw) {
    this.offers = offers;
    this.draw = draw;
    const offer = offers.find(({ rulebook }) => rulebook === wanted.rulebook) ?? offers[0];
    const level = [wanted.level, "picture", ...offer.levels].find((each) => offer.levels.includes(each ?? ""));
    const seed = /^\d{1,9}$/.test(wanted.seed ?? "") ? Number(wanted.seed) : randomSeed();
    /** @type {State} */
    this.state = { ...this.#fresh(), offer, level: level ?? "", seed, given: [] };
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
    this.state.problem = drill ? "" : say("trainer.no-server");
    this.state.since = performance.now();
    this.draw();
  }
}

/** A random seed for a run of drills. */
const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % SEED_MAX;

/** @param {Trainer} trainer @param {boolean} isDemo @param {(lang: string) => void} speak */
function page(trainer, isDemo, speak) {
  const { drill, result, offer, problem } = trainer.state;
  const chips = say(drill?.lines.some(({ numbers }) => numbers) ? "trainer.hint-marker" : "trainer.hint-plain");
  const hint = drill ? `${say("trainer.number", { pocket: drill.pocket })} ${chips}` : "…";
  return h(
    "div",
    { class: "inside" },
    header(trainer, isDemo, speak),
    h(
      "div",
      { class: "content" },
      h(
        "section",
        { class: "left", "aria-label": say("trainer.felt") },
        drill && picture(drill),
        drill && result && h("div", { class: "why card" }, sumTable(drill, offer.currency)),
        !result && h("p", { class: "hint" }, problem || hint),
      ),
      h("section", { class: "right", "aria-label": say("trainer.answer") }, question(trainer.state), keypad(trainer)),
    ),
  );
}

/** The heading: levels, rulebooks, language and score. @param {Trainer} trainer @param {boolean} isDemo @param {(lang: string) => void} speak */
function header(trainer, isDemo, speak) {
  const { offer, level, given } = trainer.state;
  const { right, asked, streak, median } = scoreOf(given);
  const score = {
    right: say("trainer.of", { right, asked }),
    streak: String(streak),
    median: median === null ? "–" : secondsText(median),
  };
  const chooseOffer = (/** @type {any} */ { target }) =>
    trainer.choose({ offer: trainer.offers[target.selectedIndex] });
  const levelKey = (/** @type {string} */ each) =>
    button(say(`trainer-level.${each}`), () => trainer.choose({ level: each }), {
      key: each,
      "data-level": each,
      "aria-pressed": String(each === level),
    });
  return h(
    "header",
    { class: "trainer-header" },
    h("h1", null, say("trainer.title")),
    h("div", { class: "levels", role: "group", "aria-label": say("trainer.level") }, offer.levels.map(levelKey)),
    trainer.offers.length > 1 &&
      h(
        "select",
        // Titles are as the rulebooks have them, in English.
        {
          class: "rules-choice",
          dir: "ltr",
          lang: "en",
          "aria-label": say("trainer.rules"),
          value: offer.rulebook,
          change: chooseOffer,
        },
        trainer.offers.map(({ rulebook, title }) => h("option", { value: rulebook }, title)),
      ),
    h(
      "select",
      {
        class: "language-choice",
        "aria-label": say("language.label"),
        value: languageInUse(),
        change: (/** @type {any} */ { target }) => speak(target.value),
      },
      Object.entries(LANGUAGES).map(([lang, name]) => h("option", { value: lang, lang }, name)),
    ),
    isDemo && h("p", { class: "demo" }, say("top-bar.demo")),
    h(
      "dl",
      { class: "score" },
      Object.entries(score).map(([name, value]) =>
        h("div", null, h("dt", null, say(`trainer-score.${name}`)), h("dd", null, h("b", null, value)))
      ),
    ),
  );
}

/** @param {number} seconds */
const secondsText = (seconds) =>
  say("trainer.seconds", {
    n: seconds.toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  });

/** The question, what was typed, the clock, and afterwards the verdict with the stacks. @param {State} state */
function question({ drill, result, typed, field, offer, given, since }) {
  const { latest } = scoreOf(given);
  const values = result && drill ? drill.answer.map((value) => String(value / unitOf(drill))) : typed;
  return h(
    "div",
    { class: "card ask", "data-is": result && (result.right ? "right" : "wrong") },
    h(
      "div",
      { class: "top" },
      h(
        "div",
        { class: "owner" },
        drill && [
          chipOf(drill.chip, ""),
          h(
            "p",
            null,
            h("b", null, colourName(drill.chip)),
            h("small", null, say("trainer.a-piece", { value: money(drill.value, offer.currency) })),
          ),
        ],
      ),
      result
        ? h("span", { class: "spent" }, secondsText(result.seconds))
        : ring(drill ? (performance.now() - since) / 1000 : 0),
    ),
    h("p", { class: "question", role: "status" }, drill && verdictOf(drill, result, typed, offer.currency)),
    h("div", { class: "fields" }, drill && fieldsOf(drill, values, result ? -1 : field)),
    h("div", { class: "after" }, drill && result && cutOf(drill, offer.currency)),
    !result && latest.length > 0 &&
      h(
        "figure",
        { class: "latest" },
        h("figcaption", null, say("trainer.last")),
        h("div", { class: "bars" }, latest.map(bar)),
      ),
  );
}

/** @param {Drill} drill */
const unitOf = ({ question: asked }) => (asked === "amount" ? 100 : 1);

/** @param {Drill} drill @param {Given | null} result @param {string[]} typed @param {string} currency */
function verdictOf(drill, result, typed, currency) {
  if (!result) return say(`trainer-question.${drill.question}`);
  if (result.right) return say("trainer.right");
  const show = (
    /** @type {number[]} */ values,
  ) => (drill.question === "amount" ? money(values[0] * 100, currency) : values.join(" + "));
  return say("trainer.wrong", {
    said: show(typed.map(Number)),
    right: show(drill.answer.map((value) => value / unitOf(drill))),
  });
}

/** @param {Drill} drill @param {string[]} values @param {number} current */
function fieldsOf(drill, values, current) {
  const names = FIELDS[drill.question];
  return values.map((value, place) => {
    const label = say(`trainer-field.${names[place]}`);
    return h(
      "output",
      { class: "typed", "data-current": place === current && names.length > 1, "aria-label": label },
      h("span", null, value || "–"),
      names.length > 1 && h("small", null, label),
    );
  });
}

/** One answer in the chart. @param {Given} given */
function bar({ right, seconds }) {
  const n = Math.round(seconds);
  return h(
    "span",
    { class: "answer", role: "img", "aria-label": say(right ? "trainer.bar-right" : "trainer.bar-wrong", { n }) },
    h("span", {
      class: "bar",
      "data-right": right ? "yes" : "no",
      style: { "--share": String(Math.min(1, seconds / BAR_S)) },
    }),
    h("small", null, right ? String(n) : "×"),
  );
}

/** A ring that empties, with whole seconds in it. @param {number} seconds since the drill was shown */
function ring(seconds) {
  const rest = Math.max(0, TIME_S - seconds);
  const circle = { cx: 22, cy: 22, r: 19 };
  const round = 2 * Math.PI * circle.r;
  return h(
    "span",
    {
      class: "ring",
      role: "timer",
      "aria-label": say("trainer.seconds-left"),
      "data-look": rest === 0 ? "stop" : rest <= SOON_S ? "warn" : "ok",
    },
    h(
      "svg",
      { viewBox: "0 0 44 44", "aria-hidden": "true" },
      h("circle", { ...circle, class: "track" }),
      h("circle", {
        ...circle,
        class: "left",
        transform: "rotate(-90 22 22)",
        "stroke-dasharray": `${(round * rest) / TIME_S} ${round}`,
      }),
    ),
    h("b", null, Math.ceil(rest)),
  );
}

/** Figures, and the main button. @param {Trainer} trainer */
function keypad(trainer) {
  const { drill, result, typed, field } = trainer.state;
  const press = () => trainer.press();
  const key = (/** @type {string} */ figure) => button(figure, () => trainer.type(figure));
  const main = !drill ? say("trainer.again") : field + 1 < typed.length ? say("trainer.and-over") : say("trainer.say");
  if (!result) {
    return h(
      "div",
      { class: "keypad" },
      h(
        "div",
        { class: "keys", key: "keys" },
        [..."123456789"].map(key),
        button("⌫", () => trainer.type("back"), { "aria-label": say("trainer.delete") }),
        key("0"),
        button(main, press, { class: "main", disabled: Boolean(drill) && typed[field] === "" }),
      ),
    );
  }
  // Enter goes on with the keyboard, wherever the focus was.
  const focus = (/** @type {HTMLElement} */ next) => next.focus();
  return h(
    "div",
    { class: "keypad" },
    h(
      "div",
      { class: "next-step", key: "next" },
      h("p", { class: "tip" }, drill && tipOf(drill)),
      button([say("trainer.next"), icon("forward")], press, { class: "main next", ref: focus }),
    ),
  );
}

await openTrainer();
