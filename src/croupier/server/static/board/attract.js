// What a display shows while a table has nothing to show: a wheel that turns, and pages about the table in rotation.

import { each, el, isMotionReduced, marked, shown, text } from "../shared/dom.js";
import { fetched } from "../shared/fetched.js";
import { fetchJoinCode } from "../shared/join_code.js";
import { money } from "../shared/money.js";
import { kindName, locale, say, variantText } from "../shared/text.js";
import { tile } from "../shared/pocket.js";
import { Wheel } from "../wheel/wheel.js";

/**
 * @typedef {import("../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {{table: string, venue: string, currency: string, zeros: number, order: string, least: number | null,
 *   betting_s: number | null}} LobbyTable
 */

const PAGE_MS = 8000;
/** How long after the page the join code is fetched, so that nothing competes with its start. */
const JOIN_AFTER_MS = 2000;
/** How many bets and numbers a page lists. */
const BETS_MOST = 8;
const NUMBERS_MOST = 12;

export function attract() {
  const host = el("div", {});
  const [title, about] = [el("h1", {}), el("p", { class: "about" })];
  const [prices, numbers] = [el("ul", { class: "prices" }), el("ol", { class: "last" })];
  const join = joinCard();
  const seat = el("section", {}, title, about, join.node);
  const bets = el("section", {}, el("h1", {}, say("board.prices")), prices);
  const last = el(
    "section",
    {},
    el("h1", {}, say("board.numbers")),
    numbers,
    el("p", { class: "about" }, say("stats.odds")),
  );
  const dots = el("p", { class: "dots", "aria-hidden": "true" });
  const node = el("div", { class: "attract", hidden: true }, el("div", { class: "sky" }, host), seat, bets, last, dots);
  /** @type {Wheel | null} */
  let wheel = null;
  let drawn = "";
  /** When the loop began: it always begins with its first page. @type {number | null} */
  let begunAt = null;

  /** Whether there is nothing else to show of a table. @param {TableState} table */
  const isIdle = ({ phase, pocket, closed, notice, numbers: past = [] }) =>
    phase === "between" && (closed || (!pocket && !notice && past.length === 0));

  /** @param {TableState} table @param {Felt | null} felt @param {number | null} now @param {() => void} arrived */
  const update = (table, felt, now, arrived) => {
    const isOn = felt !== null && isIdle(table);
    shown(node, isOn);
    if (!isOn || !felt) {
      begunAt = null;
      return isOn;
    }
    begunAt ??= performance.now();
    if (drawn !== felt.hash) {
      wheel?.destroy();
      drawn = felt.hash;
      wheel = new Wheel(host, { order: felt.wheel, say });
    }
    const [still, past] = [isMotionReduced(), table.numbers ?? []];
    wheel?.set({
      phase: "between",
      round: 0,
      spin: 0,
      pocket: null,
      last: past[0] ?? null,
      launchedAt: null,
      now,
      reduced: still,
    });
    text(title, say(table.closed ? "board.closed" : "board.invites"));
    text(about, aboutText(table, arrived));
    each(prices, felt.kinds.filter(({ pays }) => pays !== undefined).slice(0, BETS_MOST), ({ kind }) => kind, priceRow);
    each(
      numbers,
      past.slice(0, NUMBERS_MOST).map((pocket, place) => ({ pocket, place })),
      ({ pocket, place }) => `${place} ${pocket}`,
      ({ pocket }) => el("li", {}, tile(pocket, felt.colours)),
    );
    const pages = [seat, bets, ...(past.length > 0 ? [last] : [])];
    const current = Math.floor((performance.now() - begunAt) / PAGE_MS) % pages.length;
    for (const page of [seat, bets, last]) marked(page, "data-on", page === pages[current] ? "" : null);
    each(
      dots,
      pages.map((_, place) => place),
      String,
      () => el("i", {}),
      (dot, place) => marked(dot, "data-on", place === current ? "" : null),
    );
    return isOn;
  };
  return { node, update };
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

/** @param {{kind: string, label: string, name?: string, pays?: number | string, names?: Record<string, string>}} kind */
const priceRow = (kind) =>
  el("li", {}, el("span", {}, kindName(kind)), el("b", {}, say("odds", { pays: kind.pays ?? 0 })));

/** The code with which phones join; only a screen of the host gets one. */
export function joinCard() {
  const node = el(
    "aside",
    { class: "join", hidden: true },
    el("div", {}, el("b", {}, say("lobby.join")), el("p", {}, say("lobby.join-about"))),
  );
  const show = async () => {
    const code = await fetchJoinCode();
    if (!code) return;
    marked(code, "aria-label", say("lobby.join-code"));
    node.prepend(code);
    shown(node, true);
  };
  setTimeout(show, JOIN_AFTER_MS);
  return { node };
}
