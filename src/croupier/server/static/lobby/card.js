// The card of a table in the lobby.

import { each, el, isMotionReduced, marked, shown, svg, text } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { DeviceStorage } from "../shared/session.js";
import { isOpen } from "../shared/store.js";
import { secondsLeft, statusOf, zone } from "../shared/table_status.js";
import { locale, say, variantText } from "../shared/text.js";
import { Wheel } from "../wheel/wheel.js";

/**
 * @typedef {object} LobbyTable a table as the server describes it
 * @property {string} table
 * @property {string} venue
 * @property {string} rulebook
 * @property {string} currency
 * @property {number} zeros
 * @property {"european" | "american"} order
 * @property {string} felt
 * @property {import("../shared/types/wire.js").TableState["phase"]} phase
 * @property {number} round
 * @property {number} spin
 * @property {boolean} closed
 * @property {number | null} closes_at
 * @property {number | null} launched_at
 * @property {number | null} betting_s
 * @property {string | null} pocket
 * @property {number | null} number_at
 * @property {string[]} numbers
 * @property {number | null} least
 * @property {number | null} most
 * @property {boolean} practice
 * @property {boolean} undealt whether a visitor may deal it, and nobody does
 * @property {boolean} live whether it is played with chips
 * @property {number} seats
 * @property {number} free
 *
 * @typedef {[string, string, number, number, number, number]} Cell pocket, colour, and area along and across
 * @typedef {{cells: Cell[], boxes: [number, number, number, number][], wheel: string[]}} SmallFelt
 */

/** The most seats drawn one by one, and the numbers shown. */
const CHAIRS_MOST = 8;
const NUMBERS = 8;
/** The phases in which the wheel replaces the countdown. */
const SPINS = new Set(["closed", "running", "at_rest"]);

/** Whether a table takes part: it is not closed. @param {LobbyTable} table */
export const isTableOpen = ({ closed }) => !closed;

/** @param {SmallFelt | null} felt @param {string} name */
export function tableCard(felt, name) {
  const colours = new Map(felt?.cells.map(([pocket, colour]) => [pocket, colour]));
  const picture = felt ? [smallFelt(felt, false), smallFelt(felt, true)] : [];
  const badge = phaseBadge(felt, colours);
  const now = el("b", { class: "now" });
  const deal = el("a", { class: "deal", href: "dealer" }, say("undealt.deal"));
  const undealt = el("p", { class: "undealt" }, say("undealt"), " ", deal);
  const variant = el("p", { class: "variant" });
  const numbers = el("ol", { class: "numbers", "aria-label": say("history.label") });
  const bets = el("dd", {});
  const [chairs, free] = [el("span", { class: "chairs", "aria-hidden": "true" }), el("span", {})];
  const [seatsTitle, seats] = [el("dt", {}, say("lobby.seats")), el("dd", {}, chairs, " ", free)];
  const sit = el("a", { class: "sit" });
  const rules = el("a", { class: "rules-link" }, say("lobby.rules"));
  const node = el(
    "li",
    { class: "card" },
    el("div", { class: "picture" }, ...picture, el("p", { class: "phase" }, badge.node, now)),
    el(
      "div",
      { class: "about" },
      el("h2", {}, name),
      variant,
      undealt,
      numbers,
      el(
        "dl",
        {},
        el("dt", {}, say("lobby.bets")),
        bets,
        seatsTitle,
        seats,
      ),
      el("div", { class: "ways" }, sit, rules),
    ),
  );

  /** @param {LobbyTable} table @param {number | null} at the server's time */
  const update = (table, at) => {
    const seconds = isOpen(/** @type {any} */ (table)) ? secondsLeft(table.closes_at, at) : null;
    const status = statusOf({
      connection: "up",
      inService: true,
      table: /** @type {any} */ (table),
      seconds,
      prescribed: {},
    });
    text(now, statusWords(table, status.is, colours));
    marked(now, "data-zone", status.zone);
    marked(node, "data-closed", table.closed ? "" : null);
    badge.update(table, seconds, at);
    text(variant, [variantText(table), table.practice ? say("lobby.practice") : ""].filter(Boolean).join(" · "));
    shown(undealt, table.undealt);
    drawNumbers(numbers, table, colours);
    text(bets, rangeText(table));
    drawChairs(chairs, table);
    text(free, table.free === 0 ? say("lobby.full") : say("lobby.free", { n: table.free }));
    for (const part of [seatsTitle, seats]) shown(part, table.seats > 0);
    // A table without terminals is played with chips, and a full one has a seat for this browser alone if it left one there.
    const watches = table.closed || table.seats === 0 || (table.free === 0 && !hasSeat(table.table));
    text(sit, watches ? say("lobby.watch") : say("lobby.sit"));
    marked(sit, "aria-label", say(watches ? "lobby.watch-at" : "lobby.sit-at", { table: name }));
    marked(sit, "data-quiet", watches ? "" : null);
    marked(sit, "href", `${watches ? "board#" : "terminal#sit=1&"}table=${encodeURIComponent(table.table)}`);
    marked(rules, "href", `rules/${encodeURIComponent(table.rulebook)}`);
    for (const cell of node.querySelectorAll("[data-pocket]")) {
      marked(cell, "data-won", cell.getAttribute("data-pocket") === table.pocket ? "" : null);
    }
  };
  return { node, update };
}

/** Whether this browser has a seat at a table. @param {string} table */
const hasSeat = (table) => new DeviceStorage(localStorage, "terminal", table).device !== null;

/** @param {LobbyTable} table @param {string} is @param {Map<string, string>} colours */
function statusWords({ pocket }, is, colours) {
  if (is !== "winning") return say(`status.${is}`);
  return say("status.winning", { pocket: pocket ?? "", colour: say(`colour.${colours.get(pocket ?? "") ?? "green"}`) });
}

/** @param {LobbyTable} table */
function rangeText({ least, most, currency }) {
  const format = (/** @type {number} */ cents) => money(cents, currency, locale());
  if (least === null) return "–";
  return most === null
    ? say("lobby.range-from", { least: format(least) })
    : say("lobby.range", { least: format(least), most: format(most) });
}

/** @param {HTMLElement} list @param {LobbyTable} table @param {Map<string, string>} colours */
const drawNumbers = (list, table, colours) =>
  each(
    list,
    table.numbers.slice(0, NUMBERS).map((pocket, place) => ({ pocket, place })),
    ({ place }) => place,
    () => el("li", {}),
    (item, { pocket }) => {
      text(item, pocket);
      marked(item, "data-colour", colours.get(pocket));
    },
  );

/** @param {HTMLElement} node @param {LobbyTable} table */
function drawChairs(node, { seats, free }) {
  shown(node, seats <= CHAIRS_MOST);
  const taken = seats - free;
  each(
    node,
    Array.from({ length: Math.min(seats, CHAIRS_MOST) }, (_, place) => place),
    (place) => place,
    () => el("i", {}),
    (chair, place) => marked(chair, "data-taken", place < taken ? "" : null),
  );
}

// The badge: a countdown ring, the wheel while the ball runs, or the number.

const RING = 2 * Math.PI * 44;

/** @param {SmallFelt | null} felt @param {Map<string, string>} colours */
function phaseBadge(felt, colours) {
  const arc = svg("circle", { r: 44, class: "arc", "stroke-dasharray": RING.toFixed(1) });
  const ring = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" }, svg("circle", { r: 44 }), arc);
  const digits = el("b", {});
  const countdown = el("span", { class: "ring" });
  countdown.append(ring, digits);
  const number = el("b", { class: "plate" });
  const spins = el("span", { class: "spins" });
  const node = el("span", { class: "badge" }, countdown, spins, number);
  /** Made when the ball is first seen running. @type {Wheel | null} */
  let wheel = null;

  /** @param {LobbyTable} table @param {number | null} seconds @param {number | null} now */
  const update = (table, seconds, now) => {
    const isSpin = SPINS.has(table.phase) && table.pocket === null;
    const pocket = table.closed ? null : table.pocket;
    shown(spins, isSpin);
    shown(number, pocket !== null);
    shown(countdown, !isSpin && pocket === null);
    text(digits, seconds ?? "");
    marked(countdown, "data-zone", seconds === null ? null : zone(seconds));
    const left = seconds === null || !table.closes_at || now === null ? 0 : (table.closes_at - now) / 1e6;
    arc.setAttribute(
      "stroke-dashoffset",
      (RING * (1 - Math.min(1, Math.max(0, left / (table.betting_s ?? 30))))).toFixed(1),
    );
    text(number, pocket ?? "");
    marked(number, "data-colour", pocket === null ? null : colours.get(pocket));
    if (isSpin && felt) {
      const order = felt.wheel.map((each) => ({ pocket: each, colour: colours.get(each) ?? "black" }));
      wheel ??= new Wheel(spins, { order, say });
    }
    const { table: name, phase, round, spin, launched_at: launchedAt, numbers } = table;
    if (isSpin && wheel) {
      wheel.set({
        table: name,
        phase,
        round,
        spin,
        pocket: null,
        last: numbers[0] ?? null,
        launchedAt,
        now,
        reduced: isMotionReduced(),
      });
    }
  };
  return { node, update };
}

// A small felt: cells and boxes without numbers.

/** @param {SmallFelt} felt @param {boolean} standing with zero at the top */
function smallFelt({ cells, boxes }, standing) {
  const areas = [...cells.map(([, , ...area]) => area), ...boxes];
  const [a0, a1] = [Math.min(...areas.map(([from]) => from)), Math.max(...areas.map(([, to]) => to))];
  const [x0, x1] = [Math.min(...areas.map(([, , from]) => from)), Math.max(...areas.map(([, , , to]) => to))];
  const [along, across] = standing ? [9, 12] : [9, 11];
  /** @type {(area: [number, number, number, number]) => Record<string, number>} */
  const box = ([b0, b1, y0, y1]) =>
    standing
      ? { x: (y0 - x0) * across, y: (b0 - a0) * along, width: (y1 - y0) * across, height: (b1 - b0) * along }
      : { x: (b0 - a0) * along, y: (x1 - y1) * across, width: (b1 - b0) * along, height: (y1 - y0) * across };
  const [wide, high] = standing ? [(x1 - x0) * across, (a1 - a0) * along] : [(a1 - a0) * along, (x1 - x0) * across];
  return svg(
    "svg",
    {
      class: `small-felt ${standing ? "standing" : "lying"}`,
      viewBox: `-2 -2 ${wide + 4} ${high + 4}`,
      "aria-hidden": "true",
    },
    ...boxes.map((area) => svg("rect", { ...box(area), class: "box" })),
    ...cells.map(([pocket, colour, ...area]) => svg("rect", { ...box(area), class: colour, "data-pocket": pocket })),
  );
}
