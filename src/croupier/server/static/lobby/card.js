// The card of a table in the lobby.

import { isMotionReduced } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { h } from "../shared/render.js";
import { ring } from "../shared/ring.js";
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

/** The card of a table: its felt and the progress of its round, and how to take a seat. */
export class TableCard {
  #progress = new RoundProgress();
  /** @type {Map<string, string>} */
  #colours;

  /** @param {SmallFelt | null} felt @param {string} name */
  constructor(felt, name) {
    this.felt = felt;
    this.name = name;
    this.#colours = new Map(felt?.cells.map(([pocket, colour]) => [pocket, colour]));
  }

  /** @param {LobbyTable} table @param {number | null} at the server's time */
  draw(table, at) {
    const { felt, name } = this;
    const colours = this.#colours;
    const seconds = isOpen(table) ? secondsLeft(table.closes_at, at) : null;
    const status = statusOf({ connection: "up", inService: true, table, seconds, prescribed: {} });
    // A table without terminals is played with chips, and a full one has a seat for this browser alone if it left one there.
    const watches = table.closed || table.seats === 0 || (table.free === 0 && !hasSeat(table.table));
    const sit = {
      "data-quiet": watches,
      href: `${watches ? "board#" : "terminal#sit=1&"}table=${encodeURIComponent(table.table)}`,
      "aria-label": say(watches ? "lobby.watch-at" : "lobby.sit-at", { table: name }),
    };
    return h(
      "li",
      { class: "card", key: table.table, "data-closed": table.closed },
      h(
        "div",
        { class: "picture" },
        felt && [smallFelt(felt, false, table.pocket), smallFelt(felt, true, table.pocket)],
        h(
          "p",
          { class: "phase" },
          this.#progress.draw(table, { felt, colours, seconds, at }),
          h("b", { class: "now", "data-zone": status.zone }, statusWords(table, status.is, colours)),
        ),
      ),
      h(
        "div",
        { class: "about" },
        h("h2", null, name),
        h(
          "p",
          { class: "variant" },
          [variantText(table), table.practice ? say("lobby.practice") : ""].filter(Boolean).join(" · "),
        ),
        table.undealt &&
          h(
            "p",
            { class: "undealt" },
            say("undealt"),
            " ",
            h("a", { class: "deal", href: "dealer" }, say("undealt.deal")),
          ),
        h(
          "ol",
          { class: "numbers", "aria-label": say("history.label") },
          table.numbers.slice(0, NUMBERS).map((pocket) => h("li", { "data-colour": colours.get(pocket) }, pocket)),
        ),
        h(
          "dl",
          null,
          h("dt", null, say("lobby.bets")),
          h("dd", null, rangeText(table)),
          table.seats > 0 && [h("dt", null, say("lobby.seats")), h("dd", null, chairs(table), " ", seatsText(table))],
        ),
        h(
          "div",
          { class: "ways" },
          h("a", { class: "sit", ...sit }, watches ? say("lobby.watch") : say("lobby.sit")),
          h("a", { class: "rules-link", href: `rules/${encodeURIComponent(table.rulebook)}` }, say("lobby.rules")),
        ),
      ),
    );
  }
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

/** @param {LobbyTable} table */
const seatsText = ({ free }) => h("span", null, free === 0 ? say("lobby.full") : say("lobby.free", { n: free }));

/** The seats of a table one by one, the taken ones first. @param {LobbyTable} table */
const chairs = ({ seats, free }) =>
  seats <= CHAIRS_MOST &&
  h(
    "span",
    { class: "chairs", "aria-hidden": "true" },
    Array.from({ length: seats }, (_, place) => h("i", { "data-taken": place < seats - free })),
  );

/** The progress of the round: a countdown ring, the wheel while the ball runs, or the number. */
class RoundProgress {
  /** Where the wheel turns. */
  #host = Object.assign(document.createElement("span"), { className: "spins" });
  /** Made when the ball is first seen running. @type {Wheel | null} */
  #wheel = null;

  /**
   * @param {LobbyTable} table
   * @param {{felt: SmallFelt | null, colours: Map<string, string>, seconds: number | null, at: number | null}} seen
   */
  draw(table, { felt, colours, seconds, at }) {
    const isSpin = SPINS.has(table.phase) && table.pocket === null;
    const pocket = table.closed ? null : table.pocket;
    const left = seconds === null || !table.closes_at || at === null ? 0 : (table.closes_at - at) / 1e6;
    if (isSpin && felt) this.#turn(table, felt, colours, at);
    return h(
      "span",
      { class: "indicator" },
      isSpin
        ? this.#host
        : pocket !== null
        ? h("b", { class: "plate", "data-colour": colours.get(pocket) }, pocket)
        : h(
          "span",
          { class: "ring", "data-zone": seconds === null ? null : zone(seconds) },
          ring(left / (table.betting_s ?? 30)),
          h("b", null, seconds),
        ),
    );
  }

  /** @param {LobbyTable} table @param {SmallFelt} felt @param {Map<string, string>} colours @param {number | null} now */
  #turn({ table, phase, round, spin, launched_at: launchedAt, numbers }, felt, colours, now) {
    const order = felt.wheel.map((pocket) => ({ pocket, colour: colours.get(pocket) ?? "black" }));
    this.#wheel ??= new Wheel(this.#host, { order, say });
    const last = numbers[0] ?? null;
    this.#wheel.set({ table, phase, round, spin, pocket: null, last, launchedAt, now, reduced: isMotionReduced() });
  }
}

// A small felt: cells and boxes without numbers.

/** @param {SmallFelt} felt @param {boolean} standing with zero at the top @param {string | null} won the number of the round */
function smallFelt({ cells, boxes }, standing, won) {
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
  return h(
    "svg",
    {
      class: `small-felt ${standing ? "standing" : "lying"}`,
      viewBox: `-2 -2 ${wide + 4} ${high + 4}`,
      "aria-hidden": "true",
    },
    boxes.map((area) => h("rect", { ...box(area), class: "box" })),
    cells.map(([pocket, colour, ...area]) =>
      h("rect", { ...box(area), class: colour, "data-pocket": pocket, "data-won": pocket === won })
    ),
  );
}
