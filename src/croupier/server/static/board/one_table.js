// One table on the whole display: the number, the history and the footer.

import { fetched, statisticsOf } from "../shared/fetched.js";
import { drawnNumbers } from "../shared/multiples.js";
import { h } from "../shared/render.js";
import { BETTING } from "../shared/store.js";
import { secondsLeft, zone } from "../shared/table_status.js";
import { languageInUse, say } from "../shared/text.js";
import { joinCard } from "./attract.js";
import { limits, limitsOf, statistics } from "./statistics.js";
import { phaseLook, tableMessage } from "../shared/phase.js";
import { clauseMark } from "../shared/clause.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {import("./table_state.js").TableDisplay} TableDisplay
 */

/**
 * @typedef {import("./attract.js").Attract} Attract
 * @typedef {import("./live_wheel.js").LiveWheel} LiveWheel
 * @typedef {{table: TableState, sent: TableState, felt: Felt | null, display: TableDisplay, arrived: () => void,
 *   now: number | null}} Shown a table as it is shown, and as it was sent
 */

/** @param {Shown} shows @param {LiveWheel} wheel @param {Attract} attract */
export function oneTable({ table, sent, felt, display, arrived, now }, wheel, attract) {
  const isAway = display.is === "away";
  // The wheel has the number already, so that the ball lands in it.
  const live = wheel.draw(sent, felt, now, !isAway && display.is !== "number");
  const idle = isAway ? null : attract.draw(table, felt, now, arrived);
  // What an idle table does not show is not fetched.
  const isPlain = !isAway && !idle;
  // The wheel takes the place of the last number, which is named above it.
  const label = live && display.number ? `${display.label} ${display.number}` : display.label;
  return h(
    "div",
    { class: "whole", "data-idle": idle !== null },
    numberRing({ ...display, label }, live, !isAway && drawnNumbers(table.multiples, felt?.colours)),
    !isAway && pastNumbers(table.numbers ?? [], felt?.colours),
    h(
      "div",
      { class: "data" },
      isPlain && [statistics(statisticsOf(table, arrived), felt), limits(limitsOf(table, arrived), felt)],
      joinCard(arrived),
    ),
    idle,
  );
}

// The footer: the phase of a table in the words of its rules, the time left, and which result is authoritative.

/** The phase of a table, with the seconds left. @param {TableState | undefined} table @param {number | null} now */
export function phase(table, now) {
  const seconds = table && BETTING.has(table.phase) && !table.closed ? secondsLeft(table.closes_at, now) : null;
  const message = table ? tableMessage(table) : say("status.connecting");
  // Prescribed messages are not translated; their meaning follows them.
  const isPrescribed = table !== undefined && languageInUse() !== "en" && Boolean(table.says) && message === table.says;
  return h(
    "p",
    { class: "phase", "data-look": table ? phaseLook(table) : "calm" },
    h("i", null),
    h("span", { class: "says", lang: isPrescribed && "en" }, message),
    isPrescribed && h("span", { class: "meant" }, say(`phase.${table.phase}`)),
    seconds !== null &&
      h(
        "span",
        { class: "left", role: "timer", "aria-live": "off", "data-zone": zone(seconds) },
        say("seconds.short", { n: seconds }),
      ),
  );
}

/**
 * The rule on which result is authoritative where a display differs: in English in the venue's words.
 * @param {string} rulebook @param {() => void} arrived @returns {string}
 */
export function authorityRule(rulebook, arrived) {
  const rules = fetched(rulesAddress(rulebook), RULES, arrived);
  const clause = rules?.clauses.find((/** @type {{clause: string}} */ one) => one.clause === rules.authority);
  if (!clause) return "";
  const says = languageInUse() === "en" ? clause.says : say(`authority.${rules.governs}`);
  // Isolated, so that a clause reads from left to right in Arabic too.
  return `${says} \u2068${clauseMark(clause.clause)}\u2069`;
}

/** The version of fetched rules, and where they are. @param {string} rulebook */
export const rulesAddress = (rulebook) => `rules/${encodeURIComponent(rulebook)}.json`;
export const RULES = "rules";

// Past numbers: the newest first, one per row, in three columns so that position repeats colour.

const SHOWN_MOST = 16;

/** @param {string[]} numbers @param {Map<string, string> | undefined} colours @param {number} [most] */
export function pastNumbers(numbers, colours, most = SHOWN_MOST) {
  const row = (/** @type {string} */ pocket) => {
    const colour = colours?.get(pocket);
    return h(
      "li",
      { "data-column": colour },
      h("span", { "data-colour": colour }, pocket),
      h("small", { class: "unseen" }, colour && ` ${say(`colour.${colour}`)}`),
    );
  };
  return h(
    "section",
    { class: "past", "aria-label": say("history.label") },
    h("h2", null, say("board.numbers")),
    h("ol", null, numbers.slice(0, most).map(row)),
  );
}

// The number in its colour, with its groups below; or the reason for having none.

const DOT = " · ";

/**
 * @param {TableDisplay} display @param {import("../shared/render.js").Child} live the wheel in its place
 * @param {import("../shared/render.js").Child} drawn the numbers that were drawn before the spin
 */
export function numberRing({ is, label, number, colour, words, more }, live, drawn) {
  const named = number ? words.map(unbroken) : [words.join(" ")];
  return h(
    "section",
    { class: "ring", "aria-label": say("result.label"), "data-is": is, "data-live": Boolean(live) },
    h("p", { class: "label" }, label),
    h("div", { class: "disc", "data-colour": colour || null }, h("b", { class: "number" }, number)),
    // The dots are hidden where each word has its own line.
    h(
      "p",
      { class: "words" },
      named.map((word, place) => [place > 0 && h("span", { class: "dot" }, DOT), h("span", { class: "word" }, word)]),
    ),
    more.length > 0 && h("p", { class: "more" }, more.join(DOT)),
    drawn,
    live,
  );
}

/** A word that does not break. @param {string} word */
const unbroken = (word) => word.replaceAll(" ", "\u00a0").replaceAll("-", "\u2011");
