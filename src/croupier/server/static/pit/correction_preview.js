// The correction preview: what a correction does to each seat.

import { citing } from "../console/text.js";
import { el } from "../shared/dom.js";
import { tile } from "../shared/pocket.js";

/**
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../shared/types/console.js").ToldPreview} Preview
 * @typedef {import("../shared/types/console.js").Reckoned} Reckoned
 */

/**
 * @typedef {{table: string, round: number, pocket?: string, reason?: string}} Tried
 */

/** Balances change meanwhile: the preview is fetched again at this interval. */
const ANEW_MS = 2000;

/**
 * A container for a correction preview, as both signers see it.
 * @param {Desk} desk @param {Node | string} begins the content before the first preview
 * @param {(told: Preview | null) => void} [heard] called with the preview, and null while there is none
 */
export function reckoning(desk, begins, heard = () => {}) {
  const node = el("div", { class: "outcome", "aria-live": "polite" }, begins);
  /** @type {Tried | null} */
  let tried = null;
  /** The content drawn last, as text. */
  let drawn = "";
  let waits = false;
  const show = (/** @type {string} */ wanted, /** @type {() => Node | string} */ make) => {
    if (drawn !== wanted) node.replaceChildren(make());
    drawn = wanted;
  };
  const reckon = async () => {
    const asked = tried;
    if (asked === null) return;
    waits = true;
    const told = await desk.enquire("preview", asked);
    if (asked !== tried) return;
    waits = false;
    node.removeAttribute("aria-busy");
    if (told.t === "refused") show(citing(told.refusal), () => el("p", { class: "reply" }, citing(told.refusal)));
    else show(JSON.stringify({ ...told, q: 0 }), () => correctionTable(desk, told));
    heard(told.t === "refused" ? null : told);
  };
  const timer = setInterval(() => {
    if (!node.isConnected) clearInterval(timer);
    else if (!waits) void reckon();
  }, ANEW_MS);
  /** @param {Tried | null} next */
  const attempt = (next) => {
    tried = next;
    heard(null);
    // The previous preview stays until then, so that nothing moves.
    if (next === null) show("", () => begins);
    else node.setAttribute("aria-busy", "true");
    void reckon();
  };
  return { node, attempt };
}

// What a correction or an invalidation does to every seat's money: before and after, per seat and for the house.

/**
 * @typedef {{head: string, was: (seat: Reckoned) => number, is: (seat: Reckoned) => number, always?: boolean}} Purse
 */

/** Where a player's money is; columns that are zero everywhere are left out. @type {Purse[]} */
const PURSES = [
  { head: "Credit", was: ({ before }) => before.credit, is: ({ after }) => after.credit, always: true },
  { head: "Chips up", was: ({ before }) => before.up, is: ({ after }) => after.up },
  { head: "Held", was: ({ before }) => before.held, is: ({ after }) => after.held },
  { head: "Owed to the house", was: ({ before }) => before.owed, is: ({ after }) => after.owed },
];

/** Draw a preview, as both signers see it. @param {Desk} desk @param {Preview} preview @returns {HTMLElement} */
function correctionTable(desk, preview) {
  const { table, seats, was, pocket, house } = preview;
  const colours = desk.felt(table)?.colours;
  const write = (/** @type {number} */ cents) => desk.amount(cents, table);
  const from = was === null ? "no number yet" : tile(was, colours);
  const to = pocket === null ? "no number: every stake goes back" : tile(pocket, colours);
  return el(
    "div",
    { class: "reckoning" },
    el("p", { class: "swap" }, "From ", from, " to ", to, el("small", {}, ` [${preview.clause}]`)),
    seats.length === 0 ? el("p", { class: "none" }, "Nobody had chips on this round.") : money(preview, write),
    el("p", { class: "house" }, houseWords(house, write)),
  );
}

/** @param {Preview} preview @param {(cents: number) => string} write */
function money({ seats, was, pocket, table, round }, write) {
  const purses = PURSES.filter(({ always, was: before, is }) => always || seats.some((one) => before(one) || is(one)));
  const paid = was === null ? "Paid" : `Paid on ${was}`;
  const due = pocket === null ? "Due" : `Due on ${pocket}`;
  const top = el(
    "tr",
    {},
    ...["Seat", "Staked", paid, due, "Change"].map((words, place) =>
      el("th", { scope: "col", rowspan: 2, class: place ? "sum" : null }, words),
    ),
    ...purses.map(({ head }) => el("th", { scope: "colgroup", colspan: 2, class: "pair" }, head)),
  );
  const times = purses.flatMap(() => ["before", "after"]);
  const below = el("tr", {}, ...times.map((words) => el("th", { scope: "col", class: "sum" }, words)));
  const label = `Every seat's money in round ${round} at ${table}, before and after`;
  return el(
    "div",
    { class: "grid-frame", tabindex: "0", role: "region", "aria-label": label },
    el(
      "table",
      { class: "grid before-after", "aria-label": label },
      el("thead", {}, top, below),
      el("tbody", {}, ...seats.map((seat) => line(seat, purses, write))),
    ),
  );
}

/** @param {Reckoned} seat @param {Purse[]} purses @param {(cents: number) => string} write */
function line(seat, purses, write) {
  const { terminal, staked, paid, due, gone } = seat;
  const sum = (/** @type {string} */ words, look = "") => el("td", { class: `sum ${look}`.trim() }, words);
  return el(
    "tr",
    { "data-seat": terminal },
    el("th", { scope: "row" }, terminal, gone ? el("small", {}, " has collected since") : null),
    sum(write(staked)),
    sum(write(paid)),
    sum(write(due)),
    sum(signed(due - paid, write), way(due - paid)),
    ...purses.flatMap(({ was, is }) => [sum(write(was(seat))), sum(write(is(seat)), way(is(seat) - was(seat)))]),
  );
}

/** @param {number} cents */
const way = (cents) => (cents > 0 ? "more" : cents < 0 ? "less" : "");

/** @param {number} cents @param {(cents: number) => string} write */
const signed = (cents, write) => (cents > 0 ? `+${write(cents)}` : write(cents));

/** @param {number} house @param {(cents: number) => string} write */
function houseWords(house, write) {
  if (house === 0) return "The house neither wins nor loses by it.";
  return house > 0 ? `The house wins ${write(house)} by it.` : `The house pays ${write(-house)} more by it.`;
}
