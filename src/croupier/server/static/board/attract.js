// What a display shows while a table has nothing to show: a wheel that turns, and pages about the table in rotation.

import { isMotionReduced } from "../shared/dom.js";
import { fetched } from "../shared/fetched.js";
import { joinCode } from "../shared/join_code.js";
import { money } from "../shared/money.js";
import { kindName, locale, say, variantText } from "../shared/text.js";
import { pocketTile } from "../shared/pocket.js";
import { oddsText } from "../shared/multiples.js";
import { h } from "../shared/render.js";
import { Wheel } from "../wheel/wheel.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {{table: string, venue: string, currency: string, zeros: number, order: string, least: number | null,
 *   betting_s: number | null}} LobbyTable
 */

const PAGE_MS = 8000;
/** How many bets and numbers a page lists. */
const BETS_MOST = 8;
const NUMBERS_MOST = 12;

/** Whether there is nothing else to show of a table. @param {TableState} table */
const isIdle = ({ phase, pocket, closed, notice, numbers: past = [] }) =>
  phase === "between" && (closed || (!pocket && !notice && past.length === 0));

export class Attract {
  /** Where the wheel turns. */
  #host = document.createElement("div");
  /** @type {Wheel | null} */
  #wheel = null;
  /** The felt whose wheel is drawn. */
  #drawn = "";
  /** When the loop began: it always begins with its first page. @type {number | null} */
  #begunAt = null;

  /**
   * The loop, or null where the table has something else to show.
   * @param {TableState} table @param {Felt | null} felt @param {number | null} now @param {() => void} arrived
   */
  draw(table, felt, now, arrived) {
    if (felt === null || !isIdle(table)) {
      this.#begunAt = null;
      return null;
    }
    this.#begunAt ??= performance.now();
    this.#turn(felt, table.numbers?.[0] ?? null, now);
    const pages = pagesOf(table, felt, arrived);
    const current = Math.floor((performance.now() - this.#begunAt) / PAGE_MS) % pages.length;
    return h(
      "div",
      { class: "attract" },
      h("div", { class: "sky" }, this.#host),
      pages.map((page, place) => h("section", { "data-on": place === current }, page)),
      h(
        "p",
        { class: "dots", "aria-hidden": "true" },
        pages.map((_, place) => h("i", { "data-on": place === current })),
      ),
    );
  }

  /** @param {Felt} felt @param {string | null} last @param {number | null} now */
  #turn(felt, last, now) {
    if (this.#drawn !== felt.hash) {
      this.#wheel?.destroy();
      this.#drawn = felt.hash;
      this.#wheel = new Wheel(this.#host, { order: felt.wheel, say });
    }
    const still = { round: 0, spin: 0, pocket: null, launchedAt: null };
    this.#wheel?.set({ phase: "between", ...still, last, now, reduced: isMotionReduced() });
  }
}

/** @param {TableState} table @param {Felt} felt @param {() => void} arrived */
function pagesOf(table, felt, arrived) {
  const prices = felt.kinds.filter(({ pays }) => pays !== undefined).slice(0, BETS_MOST);
  const past = (table.numbers ?? []).slice(0, NUMBERS_MOST);
  const seat = [
    h("h1", null, say(table.closed ? "board.closed" : "board.invites")),
    h("p", { class: "about" }, aboutText(table, arrived)),
    joinCard(arrived),
  ];
  const price = (/** @type {Felt["kinds"][0]} */ kind) =>
    h(
      "li",
      { key: kind.kind },
      h("span", null, kindName(kind)),
      h("b", null, oddsText({ kind: kind.kind, pays: kind.pays ?? 0 }, felt.multipliers)),
    );
  const bets = [h("h1", null, say("board.prices")), h("ul", { class: "prices" }, prices.map(price))];
  const last = [
    h("h1", null, say("board.numbers")),
    h("ol", { class: "last" }, past.map((pocket) => h("li", null, pocketTile(pocket, felt.colours)))),
    h("p", { class: "about" }, say("stats.odds")),
  ];
  return past.length > 0 ? [seat, bets, last] : [seat, bets];
}

/** Venue, zeros, the lowest bet and how often the wheel spins. @param {TableState} table @param {() => void} arrived */
function aboutText({ table }, arrived) {
  const lobby = fetched("lobby.json", "lobby", arrived);
  const known =
    /** @type {LobbyTable | undefined} */ (lobby?.tables.find((/** @type {LobbyTable} */ one) => one.table === table));
  if (!known) return "";
  const { venue, least, currency, betting_s: seconds } = known;
  return [
    say("board.about", { venue, variant: variantText(known) }),
    least === null ? "" : say("board.least", { least: money(least, currency, locale()) }),
    seconds ? say("board.seconds", { n: seconds }) : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The code with which phones join; only a screen of the host gets one. @param {() => void} arrived */
export function joinCard(arrived) {
  const code = joinCode(arrived);
  return code &&
    h(
      "aside",
      { class: "join" },
      code,
      h("div", null, h("b", null, say("lobby.join")), h("p", null, say("lobby.join-about"))),
    );
}
