// The status of a game: message line, timer, limits, history and result.

import { h } from "../shared/render.js";
import { languageInUse, say, shortTableName, spotName, tableName } from "../shared/text.js";
import { amount } from "./money.js";

/**
 * @typedef {import("../shared/table_status.js").Status} Moment
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("../shared/types/wire.js").SpotPlace} SpotPlace
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {import("../shared/store.js").Game} Game
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 */

/** The message of a game, and its round. @param {Controller} ui @param {string} name of the table @param {Moment} status */
export function messageLine(ui, name, status) {
  const words = statusText(ui, name, status);
  const table = ui.table(name);
  // Prescribed messages are not translated; their meaning follows them.
  const meant = status.says && languageInUse() !== "en" ? say(`status.${status.is}`) : "";
  return h(
    "div",
    { class: "message", "data-zone": status.zone, "data-moment": status.is },
    // A long text gets a smaller size instead of a second line.
    h("b", {
      lang: status.says ? "en" : null,
      "data-long": words.length > 22 ? "very" : words.length > 15 ? "yes" : null,
    }, words),
    h("span", null, [meant, table ? roundText(ui, table) : ""].filter(Boolean).join(" · ")),
  );
}

/** The text of a status: the venue's, or the page's. @param {Controller} ui @param {string} name @param {Moment} moment */
export function statusText(ui, name, { is, says }) {
  if (says) return says;
  if (is !== "winning") return say(`status.${is}`);
  const pocket = ui.table(name)?.pocket ?? "";
  const colour = ui.data(name)?.colours.get(pocket);
  return colour ? say("status.winning", { pocket, colour: say(`colour.${colour}`) }) : pocket;
}

/** @param {Controller} ui @param {TableState} table */
function roundText({ layout }, { table: id, round, spin }) {
  const table = layout.both || layout.small ? shortTableName(id) : tableName(id);
  return spin > 1 ? say("message.spin", { table, round, spin }) : say("message.round", { table, round });
}

// The history bar: past numbers, the newest first and largest. Red stands higher and black lower, so colour is not the
// only signal.

/** The most numbers drawn. */
const DRAWN_MOST = 24;

/**
 * The history bar: as many numbers as fit, of one line.
 * @param {TableState | null} table @param {Map<string, string> | undefined} colours
 */
export function history(table, colours) {
  const items = (table?.numbers ?? []).slice(0, DRAWN_MOST).map((pocket, place) => {
    const colour = colours?.get(pocket);
    const name = colour ? say("number", { pocket, colour: say(`colour.${colour}`) }) : pocket;
    const mark = table?.corrected && place === 0 ? say("correction.title") : null;
    const label = mark ? `${name} · ${mark}` : name;
    return h("li", { "data-colour": colour, "data-corrected": mark, "aria-label": label }, pocket);
  });
  return h(
    "ol",
    { class: "history", "aria-label": say("history.label"), "data-fresh": Boolean(table?.pocket) },
    items,
  );
}

// The limits box: minimum and maximum stake of a table, in total where the total is limited.

/** @typedef {number | null | undefined} Cents */

/** @param {Controller} ui @param {string} name of the table */
export function limitsBox(ui, name) {
  const mine = ui.game(name);
  const [least, most] = mine
    ? [
      leastText(mine, outsideOf(ui.data(name))),
      mine.spot_most === null || mine.spot_most === undefined ? say("info.none") : amount(mine.spot_most),
    ]
    : ["", ""];
  return h(
    "dl",
    { class: "limits-box", "aria-label": say("info.label"), hidden: mine === null },
    limit(mine?.total_least, least, ["info.total-least", "info.spot-least"]),
    limit(mine?.total_most, most, ["info.total-most", "info.spot-most"]),
  );
}

/** @param {Cents} total @param {string} spots the limit of a bet @param {[string, string]} ids */
function limit(total, spots, [ofTotal, ofSpot]) {
  const isTotal = total !== null && total !== undefined;
  return h("div", null, h("dt", null, say(isTotal ? ofTotal : ofSpot)), h("dd", null, isTotal ? amount(total) : spots));
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

/** @param {TableState} table @param {Felt} data */
export function resultCard(table, data) {
  const isFresh = table.pocket !== undefined && table.pocket !== null;
  const pocket = table.pocket ?? table.numbers?.[0];
  const [colour, groups] = pocket === undefined ? ["", ""] : wordsOf(data, pocket);
  return h(
    "section",
    { class: "result card", "aria-label": say("result.label"), "data-fresh": isFresh },
    h("b", { "data-colour": pocket === undefined ? null : data.colours.get(pocket) }, pocket ?? "–"),
    h("h2", null, say(isFresh ? "result.fresh" : pocket === undefined ? "result.none" : "result.last")),
    h("span", { class: "colour" }, colour),
    h("span", { class: "groups" }, groups),
  );
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

/**
 * @param {Moment} status @param {number | null} seconds @param {number} share of the betting time that is left
 * @param {string | null | undefined} pocket the number of the round, once it is shown
 */
export function timer(status, seconds, share, pocket) {
  return h(
    "div",
    { class: "timer", role: "timer", "aria-label": say("timer.label"), "data-zone": status.zone },
    h(
      "svg",
      { viewBox: "0 0 56 56", "aria-hidden": "true" },
      h("circle", { ...CIRCLE, class: "whole" }),
      h("circle", {
        ...CIRCLE,
        class: "left",
        "stroke-dasharray": ROUND,
        "stroke-dashoffset": (ROUND * (1 - share)).toFixed(1),
      }),
    ),
    h("b", null, seconds ?? pocket ?? (status.zone === "over" ? "0" : "–")),
  );
}
