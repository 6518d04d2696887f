// One table on the whole display: the number, the history and the footer.

import { each, el, marked, shown, text } from "../shared/dom.js";
import { fetched, statisticsOf } from "../shared/fetched.js";
import { BETTING } from "../shared/store.js";
import { secondsLeft, zone } from "../shared/table_status.js";
import { languageInUse, say } from "../shared/text.js";
import { attract, joinCard } from "./attract.js";
import { liveWheel } from "./live_wheel.js";
import { limits, limitsOf, statistics } from "./statistics.js";
import { phaseLook, tableMessage } from "../shared/phase.js";
import { clauseMark } from "../shared/clause.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {import("./table_state.js").TableDisplay} Telling
 */

/**
 * @typedef {{table: TableState, sent?: TableState, felt: Felt | null, display: import("./table_state.js").TableDisplay,
 *   arrived: () => void, now?: number | null}} Shown a table as it is shown, and as it was sent
 */

/** @returns {{node: HTMLElement, update: (shows: Shown) => void, isLanding: (table: TableState, now: number | null) => boolean}} */
export function oneTable() {
  const [number, before, counted, bounds] = [numberRing(), pastNumbers(), statistics(), limits()];
  const live = liveWheel();
  number.node.append(live.node);
  const [idle, join] = [attract(), joinCard()];
  const facts = el("div", { class: "data" }, counted.node, bounds.node, join.node);
  const node = el("div", { class: "whole" }, number.node, before.node, facts, idle.node);
  /** @param {Shown} shows */
  const update = ({ table, sent = table, felt, display, arrived, now = null }) => {
    const isAway = display.is === "away";
    number.update(display);
    // The wheel has the number already, so that the ball lands in it.
    const isLive = live.update(sent, felt, now, !isAway && display.is !== "number");
    marked(number.node, "data-live", isLive ? "" : null);
    // The wheel takes the place of the last number, which is named above it.
    if (isLive && display.number) text(number.node.querySelector(".label"), `${display.label} ${display.number}`);
    before.update(isAway ? [] : (table.numbers ?? []), felt?.colours);
    const isIdle = !isAway && idle.update(table, felt, now, arrived);
    // What an idle table does not show is not fetched.
    const isPlain = !isAway && !isIdle;
    counted.update(isPlain ? statisticsOf(table, arrived) : null, felt);
    bounds.update(isPlain ? limitsOf(table, arrived) : null, felt);
    shown(before.node, !isAway);
    marked(node, "data-idle", isIdle ? "" : null);
    shown(idle.node, isIdle);
  };
  return { node, update, isLanding: live.isLanding };
}

// The footer: the phase of a table in the words of its rules, the time left, and which result is authoritative.

/**
 * The phase of a table, with the seconds left.
 * @returns {{node: HTMLElement, update: (table: TableState
 *   | undefined, now: number | null) => void}}
 */
export function phase() {
  const says = el("span", { class: "says" });
  const left = el("span", { class: "left", role: "timer", "aria-live": "off" });
  const meant = el("span", { class: "meant" });
  const node = el("p", { class: "phase" }, el("i", {}), says, meant, left);
  /** @param {TableState | undefined} table @param {number | null} now */
  const update = (table, now) => {
    const seconds = table && BETTING.has(table.phase) && !table.closed ? secondsLeft(table.closes_at, now) : null;
    const message = table ? tableMessage(table) : say("status.connecting");
    text(says, message);
    // Prescribed messages are not translated; their meaning follows them.
    const isPrescribed = languageInUse() !== "en" && Boolean(table?.says) && message === table?.says;
    marked(says, "lang", isPrescribed ? "en" : null);
    text(meant, isPrescribed && table ? say(`phase.${table.phase}`) : "");
    shown(meant, isPrescribed);
    marked(node, "data-look", table ? phaseLook(table) : "calm");
    text(left, seconds === null ? "" : say("seconds.short", { n: seconds }));
    marked(left, "data-zone", seconds === null ? null : zone(seconds));
    shown(left, seconds !== null);
  };
  return { node, update };
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

/** @param {number} [most] @returns {{node: HTMLElement, update: (numbers: string[], colours:
 *   Map<string, string> | undefined) => void}} */
export function pastNumbers(most = SHOWN_MOST) {
  const list = el("ol", {});
  const node = el(
    "section",
    { class: "past", "aria-label": say("history.label") },
    el("h2", {}, say("board.numbers")),
    list,
  );
  /** @param {string[]} numbers @param {Map<string, string> | undefined} colours */
  const update = (numbers, colours) =>
    each(
      list,
      numbers.slice(0, most).map((pocket, place) => ({ pocket, place })),
      ({ place }) => place,
      () => el("li", {}, el("span", {}), el("small", { class: "unseen" })),
      (item, { pocket }) => {
        const colour = colours?.get(pocket) ?? "";
        marked(item, "data-column", colour || null);
        marked(/** @type {Element} */ (item.firstElementChild), "data-colour", colour || null);
        text(item.firstElementChild, pocket);
        text(item.lastElementChild, colour ? ` ${say(`colour.${colour}`)}` : "");
      },
    );
  return { node, update };
}

// The number in its colour, with its groups below; or the reason for having none.

const DOT = " · ";

/** @returns {{node: HTMLElement, update: (display: Telling) => void}} */
export function numberRing() {
  const label = el("p", { class: "label" });
  const number = el("b", { class: "number" });
  const disc = el("div", { class: "disc" }, number);
  const words = el("p", { class: "words" });
  const more = el("p", { class: "more" });
  const node = el("section", { class: "ring", "aria-label": say("result.label") }, label, disc, words, more);
  /** @param {Telling} display */
  const update = (display) => {
    marked(node, "data-is", display.is);
    marked(disc, "data-colour", display.colour || null);
    text(label, display.label);
    text(number, display.number);
    const said = display.number ? display.words.map(unbroken) : [display.words.join(" ")];
    if (words.textContent !== said.join(DOT)) words.replaceChildren(...said.flatMap(spelled));
    text(more, display.more.join(" · "));
    shown(more, display.more.length > 0);
  };
  return { node, update };
}

/**
 * A word, with a dot before it unless it is the first; the dots are hidden where each word has its own line.
 * @param {string} word @param {number} place
 */
const spelled = (word, place) => [
  ...(place > 0 ? [el("span", { class: "dot" }, DOT)] : []),
  el("span", { class: "word" }, word),
];

/** A word that does not break. @param {string} word */
const unbroken = (word) => word.replaceAll(" ", "\u00a0").replaceAll("-", "\u2011");
