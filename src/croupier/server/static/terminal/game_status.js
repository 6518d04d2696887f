// The status of a game: message line, timer, limits, history and result.

import { each, el, marked, shown, svg, text } from "../shared/dom.js";
import { languageInUse, say, spotName, tableName } from "../shared/text.js";
import { amount } from "./money.js";

/**
 * @typedef {import("../shared/table_status.js").Status} Moment
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("../shared/types/wire.js").SpotPlace} SpotPlace
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {import("../shared/store.js").Game} Game
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 */

export function messageLine() {
  const words = el("b", {});
  const about = el("span", {});
  const node = el("div", { class: "message" }, words, about);

  /** @param {Controller} ui @param {string} name of the table @param {Moment} status */
  const update = (ui, name, status) => {
    const refusals = statusText(ui, name, status);
    text(words, refusals);
    marked(words, "lang", status.says ? "en" : null);
    // A long text gets a smaller size instead of a second line.
    marked(words, "data-long", refusals.length > 22 ? "very" : refusals.length > 15 ? "yes" : null);
    marked(node, "data-zone", status.zone);
    marked(node, "data-moment", status.is);
    const table = ui.table(name);
    // Prescribed messages are not translated; their meaning follows them.
    const meant = status.says && languageInUse() !== "en" ? say(`status.${status.is}`) : "";
    text(about, [meant, table ? roundText(table) : ""].filter(Boolean).join(" · "));
  };
  return { node, update };
}

/** The text of a status: the venue's, or the page's. @param {Controller} ui @param {string} name @param {Moment} moment */
export function statusText(ui, name, { is, says }) {
  if (says) return says;
  if (is !== "winning") return say(`status.${is}`);
  const pocket = ui.table(name)?.pocket ?? "";
  const colour = ui.data(name)?.colours.get(pocket);
  return colour ? say("status.winning", { pocket, colour: say(`colour.${colour}`) }) : pocket;
}

/** @param {TableState} table */
function roundText({ table: id, round, spin }) {
  const table = tableName(id);
  return spin > 1 ? say("message.spin", { table, round, spin }) : say("message.round", { table, round });
}

// The history bar: past numbers, the newest first and largest. Red stands higher and black lower, so colour is not the
// only signal.

/** The most numbers drawn. */
const DRAWN_MOST = 24;

export function history() {
  const node = el("ol", { class: "history", "aria-label": say("history.label") });
  let drawn = "";
  /** Show as many whole numbers as fit. */
  const fit = () => {
    const items = /** @type {HTMLElement[]} */ ([...node.children]);
    for (const item of items) shown(item, true);
    const gap = Number.parseFloat(getComputedStyle(node).columnGap) || 0;
    let room = node.clientWidth + gap;
    const widths = items.map((item) => item.offsetWidth + gap);
    items.forEach((item, place) => {
      room -= widths[place];
      shown(item, room >= 0);
    });
  };
  new ResizeObserver(fit).observe(node);

  /**
   * @param {string[]} numbers the newest first @param {Map<string, string> | undefined} colours
   * @param {boolean} fresh whether the newest is of this round @param {boolean} isCorrected whether it was corrected
   */
  const update = (numbers, colours, fresh, isCorrected) => {
    const wanted = JSON.stringify([numbers.slice(0, DRAWN_MOST), colours !== undefined, isCorrected]);
    marked(node, "data-fresh", fresh ? "" : null);
    if (wanted === drawn) return;
    drawn = wanted;
    each(
      node,
      numbers.slice(0, DRAWN_MOST).map((pocket, place) => ({ pocket, place })),
      ({ place }) => place,
      () => el("li", {}),
      (item, { pocket, place }) => {
        const colour = colours?.get(pocket) ?? "";
        text(item, pocket);
        marked(item, "data-colour", colour || null);
        const name = colour ? say("number", { pocket, colour: say(`colour.${colour}`) }) : pocket;
        const mark = isCorrected && place === 0 ? say("correction.title") : null;
        marked(item, "data-corrected", mark);
        marked(item, "aria-label", mark ? `${name} · ${mark}` : name);
      },
    );
    fit();
  };
  return { node, update };
}

// The limits box: minimum and maximum stake of a table, in total where the total is limited.

/** @typedef {number | null | undefined} Cents */

/** @param {Controller} ui @param {string} name of the table */
export function limitsBox(ui, name) {
  const rows = { least: row(), most: row() };
  const node = el("dl", { class: "limits-box", "aria-label": say("info.label") }, rows.least.node, rows.most.node);
  /** @param {Game | null} mine the game, as last received */
  const update = (mine) => {
    shown(node, Boolean(mine));
    if (!mine) return;
    rows.least.update(mine.total_least, leastText(mine, outsideOf(ui.data(name))), [
      "info.total-least",
      "info.spot-least",
    ]);
    rows.most.update(
      mine.total_most,
      mine.spot_most === null || mine.spot_most === undefined ? say("info.none") : amount(mine.spot_most),
      ["info.total-most", "info.spot-most"],
    );
  };
  return { node, update };
}

function row() {
  const [words, figure] = [el("dt", {}), el("dd", {})];
  /** @param {Cents} total @param {string} spots the limit of a bet @param {[string, string]} ids */
  const update = (total, spots, [ofTotal, ofSpot]) => {
    const isTotal = total !== null && total !== undefined;
    text(words, say(isTotal ? ofTotal : ofSpot));
    text(figure, isTotal ? amount(total) : spots);
  };
  return { node: el("div", {}, words, figure), update };
}

/** The kinds of bets away from the numbers. @param {Felt | null} felt */
const outsideOf = (felt) =>
  new Set((felt?.kinds ?? []).filter(({ segment }) => segment !== "inside").map(({ kind }) => kind));

/**
 * The minimum of a bet: one for all, one inside and one outside, or the least.
 * @param {Game} mine @param {Set<string>} outer the kinds of outside bets
 */
function leastText({ spot_least: first, limits = [] }, outer) {
  const of = (/** @type {boolean} */ isOutside) =>
    new Set(limits.filter(([kind]) => outer.has(kind) === isOutside).map(([, least]) => least ?? 0));
  const [[inside, ...more], [outside, ...others]] = [[...of(false)], [...of(true)]];
  const isPair = more.length + others.length === 0 && inside !== undefined && outside !== undefined &&
    inside !== outside;
  if (isPair) return say("info.in-out", { inside: amount(inside), outside: amount(outside) });
  if (first === null || first === undefined) return say("info.none");
  const least = Math.min(first, ...limits.map(([, least]) => least ?? 0));
  const isOne = limits.every(([, other]) => (other ?? 0) === first);
  return isOne ? amount(first) : say("lobby.range-from", { least: amount(least) });
}

// The result: the last valid number, with its colour and groups.

export function result() {
  const number = el("b", {});
  const title = el("h2", {});
  const colour = el("span", { class: "colour" });
  const groups = el("span", { class: "groups" });
  const node = el(
    "section",
    { class: "result card", "aria-label": say("result.label") },
    number,
    title,
    colour,
    groups,
  );
  let drawn = "";

  /** @param {string | undefined} pocket @param {boolean} fresh whether it is of this round @param {Felt | null} data */
  const update = (pocket, fresh, data) => {
    const wanted = JSON.stringify([pocket, fresh, Boolean(data)]);
    if (wanted === drawn) return;
    drawn = wanted;
    const painted = data && pocket !== undefined ? data.colours.get(pocket) : null;
    marked(node, "data-fresh", fresh ? "" : null);
    marked(number, "data-colour", painted);
    text(number, pocket ?? "–");
    text(title, say(fresh ? "result.fresh" : pocket === undefined ? "result.none" : "result.last"));
    const [first, second] = data && pocket !== undefined ? wordsOf(data, pocket) : ["", ""];
    text(colour, first);
    text(groups, second);
  };
  return { node, update };
}

/**
 * The outside bets that a number wins: the even chances, and the dozens and columns.
 * @param {Felt} data @param {string} pocket @returns {[string, string]}
 */
function wordsOf(data, pocket) {
  const outside = new Set(data.boxes.map((box) => box.bet));
  const won = data.spots.filter((spot) => outside.has(spot.key) && spot.covers.includes(pocket));
  const isNumbered = (/** @type {SpotPlace} */ spot) => spot.key.includes(" ");
  const spotsByKey = (/** @type {SpotPlace[]} */ spots) => spots.map(spotName).join(" · ");
  const even = spotsByKey(won.filter((spot) => !isNumbered(spot)));
  return [even || say(`colour.${data.colours.get(pocket)}`), spotsByKey(won.filter(isNumbered))];
}

// The timer: a ring and whole seconds until betting closes. The message beside it says the same.

const RADIUS = 25;
const ROUND = 2 * Math.PI * RADIUS;
const CIRCLE = { cx: 28, cy: 28, r: RADIUS };

export function timer() {
  const digits = el("b", {});
  const left = svg("circle", { ...CIRCLE, class: "left", "stroke-dasharray": ROUND });
  const whole = svg("circle", { ...CIRCLE, class: "whole" });
  const ring = svg("svg", { viewBox: "0 0 56 56", "aria-hidden": "true" }, whole, left);
  const node = el("div", { class: "timer", role: "timer", "aria-label": say("timer.label") }, ring, digits);
  // The length of the betting time is not known: the ring is full when it first appears.
  let [of, length] = [/** @type {number | null} */ (null), 1];

  /**
   * @param {Moment} status @param {number | null} seconds @param {number | null | undefined} closesAt
   * @param {string | null | undefined} pocket the number of the round, once it is shown
   */
  const update = (status, seconds, closesAt, pocket) => {
    if (closesAt !== of) [of, length] = [closesAt ?? null, Math.max(1, seconds ?? 1)];
    const part = seconds === null ? 0 : Math.min(1, seconds / length);
    text(digits, seconds ?? pocket ?? (status.zone === "over" ? "0" : "–"));
    marked(node, "data-zone", status.zone);
    const offset = (ROUND * (1 - part)).toFixed(1);
    if (left.getAttribute("stroke-dashoffset") !== offset) left.setAttribute("stroke-dashoffset", offset);
  };
  return { node, update };
}
