// The correction preview: what a correction does to each seat.

import { withClause } from "../console/text.js";
import { el } from "../shared/dom.js";
import { tile } from "../shared/pocket.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").PreviewResult} Preview
 * @typedef {import("../shared/types/console.js").TerminalPreviewRow} TerminalPreviewRow
 */

/**
 * @typedef {{table: string, round: number, pocket?: string, reason?: string}} PreviewRequest
 */

/** Balances change meanwhile: the preview is fetched again at this interval. */
const REFRESH_MS = 2000;

/**
 * A container for a correction preview, as both signers see it.
 * @param {ConsoleClient} client @param {Node | string} begins the content before the first preview
 * @param {(preview: Preview | null) => void} [onPreview] called with the preview, and null while there is none
 */
export function correctionPreview(client, begins, onPreview = () => {}) {
  const node = el("div", { class: "outcome", "aria-live": "polite" }, begins);
  /** @type {PreviewRequest | null} */
  let tried = null;
  /** The content drawn last, as text. */
  let drawn = "";
  let waits = false;
  const show = (/** @type {string} */ wanted, /** @type {() => Node | string} */ make) => {
    if (drawn !== wanted) node.replaceChildren(make());
    drawn = wanted;
  };
  const refresh = async () => {
    const request = tried;
    if (request === null) return;
    waits = true;
    const response = await client.query("preview", request);
    if (request !== tried) return;
    waits = false;
    node.removeAttribute("aria-busy");
    if (response.t === "refused")
      show(withClause(response.refusal), () => el("p", { class: "reply" }, withClause(response.refusal)));
    else show(JSON.stringify({ ...response, q: 0 }), () => correctionTable(client, response));
    onPreview(response.t === "refused" ? null : response);
  };
  const timer = setInterval(() => {
    if (!node.isConnected) clearInterval(timer);
    else if (!waits) void refresh();
  }, REFRESH_MS);
  /** @param {PreviewRequest | null} next */
  const attempt = (next) => {
    tried = next;
    onPreview(null);
    // The previous preview stays until then, so that nothing moves.
    if (next === null) show("", () => begins);
    else node.setAttribute("aria-busy", "true");
    void refresh();
  };
  return { node, attempt };
}

// What a correction or an invalidation does to every seat's money: before and after, per seat and for the house.

/**
 * @typedef {{head: string, was: (seat: TerminalPreviewRow) => number, is: (seat: TerminalPreviewRow) => number, always?: boolean}} MoneyColumn
 */

/** Where a player's money is; columns that are zero everywhere are left out. @type {MoneyColumn[]} */
const MONEY_COLUMNS = [
  { head: "Credit", was: ({ before }) => before.credit, is: ({ after }) => after.credit, always: true },
  { head: "Chips up", was: ({ before }) => before.up, is: ({ after }) => after.up },
  { head: "Held", was: ({ before }) => before.held, is: ({ after }) => after.held },
  { head: "Owed to the house", was: ({ before }) => before.owed, is: ({ after }) => after.owed },
];

/** Draw a preview, as both signers see it. @param {ConsoleClient} client @param {Preview} preview @returns {HTMLElement} */
function correctionTable(client, preview) {
  const { table, seats, was, pocket, house } = preview;
  const colours = client.felt(table)?.colours;
  const write = (/** @type {number} */ cents) => client.amount(cents, table);
  const from = was === null ? "no number yet" : tile(was, colours);
  const to = pocket === null ? "no number: every stake goes back" : tile(pocket, colours);
  return el(
    "div",
    { class: "correction-preview" },
    el("p", { class: "swap" }, "From ", from, " to ", to, el("small", {}, ` [${preview.clause}]`)),
    seats.length === 0 ? el("p", { class: "none" }, "Nobody had chips on this round.") : money(preview, write),
    el("p", { class: "house" }, houseText(house, write)),
  );
}

/** @param {Preview} preview @param {(cents: number) => string} write */
function money({ seats, was, pocket, table, round }, write) {
  const purses = MONEY_COLUMNS.filter(
    ({ always, was: before, is }) => always || seats.some((one) => before(one) || is(one)),
  );
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

/** @param {TerminalPreviewRow} seat @param {MoneyColumn[]} purses @param {(cents: number) => string} write */
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
    sum(signed(due - paid, write), changeClass(due - paid)),
    ...purses.flatMap(({ was, is }) => [
      sum(write(was(seat))),
      sum(write(is(seat)), changeClass(is(seat) - was(seat))),
    ]),
  );
}

/** @param {number} cents */
const changeClass = (cents) => (cents > 0 ? "more" : cents < 0 ? "less" : "");

/** @param {number} cents @param {(cents: number) => string} write */
const signed = (cents, write) => (cents > 0 ? `+${write(cents)}` : write(cents));

/** @param {number} house @param {(cents: number) => string} write */
function houseText(house, write) {
  if (house === 0) return "The house neither wins nor loses by it.";
  return house > 0 ? `The house wins ${write(house)} by it.` : `The house pays ${write(-house)} more by it.`;
}
