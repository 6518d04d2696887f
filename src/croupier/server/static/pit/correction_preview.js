// The correction preview: what a correction does to each player.

import { withClause } from "../console/text.js";
import { el } from "../shared/dom.js";
import { tile } from "../shared/pocket.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").PreviewResult} Preview
 * @typedef {import("../shared/types/console.js").TerminalPreviewRow} TerminalPreviewRow
 * @typedef {import("../shared/types/console.js").ChipPreviewRow} ChipPreviewRow
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

// What a correction or an invalidation does to every player's money: before and after, per player and for the house.

/**
 * @typedef {{name: string, note: string, staked: number, paid: number, due: number, before: Record<string, number>,
 *   after: Record<string, number>}} MoneyRow a seat, or a player with chips
 * @typedef {{head: string, purse: string, always?: boolean}} MoneyColumn
 */

/** Where the money of a seat is; columns that are zero everywhere are left out. @type {MoneyColumn[]} */
const SEAT_COLUMNS = [
  { head: "Credit", purse: "credit", always: true },
  { head: "Chips up", purse: "up" },
  { head: "Held", purse: "held" },
  { head: "Owed to the house", purse: "owed" },
];
/** Where the money of a player with chips is. @type {MoneyColumn[]} */
const CHIP_COLUMNS = [
  { head: "To be paid", purse: "unpaid", always: true },
  { head: "Chips up", purse: "up" },
  { head: "Owed to the house", purse: "owed" },
];

/** @param {TerminalPreviewRow} seat @returns {MoneyRow} */
const seatRow = ({ terminal, gone, before, after, ...sums }) => ({
  ...sums,
  ...{ name: terminal, note: gone ? "has collected since" : "", before: { ...before }, after: { ...after } },
});

/** @param {ChipPreviewRow} player @returns {MoneyRow} */
const chipRow = ({ position, label, gone, before, after, ...sums }) => ({
  ...sums,
  ...{ name: label || `Position ${position}`, note: gone ? "has left the table" : "", before: { ...before }, after: { ...after } },
});

/** Draw a preview, as both signers see it. @param {ConsoleClient} client @param {Preview} preview @returns {HTMLElement} */
function correctionTable(client, preview) {
  const { table, round, seats, chips, was, pocket, house } = preview;
  const colours = client.felt(table)?.colours;
  const write = (/** @type {number} */ cents) => client.amount(cents, table);
  const from = was === null ? "no number yet" : tile(was, colours);
  const to = pocket === null ? "no number: every stake goes back" : tile(pocket, colours);
  const none = el("p", { class: "none" }, "No player had a bet in this round.");
  const where = `round ${round} at ${table}, before and after`;
  return el(
    "div",
    { class: "correction-preview" },
    el("p", { class: "swap" }, "From ", from, " to ", to, el("small", {}, ` [${preview.clause}]`)),
    seats.length + chips.length === 0 ? none : null,
    seats.length === 0 ? null : money(preview, seats.map(seatRow), SEAT_COLUMNS, write, ["Seat", `Every seat's money in ${where}`]),
    chips.length === 0 ? null : money(preview, chips.map(chipRow), CHIP_COLUMNS, write, ["Player with chips", `The money of players with chips in ${where}`]),
    el("p", { class: "house" }, houseText(house, write)),
  );
}

/**
 * @param {Preview} preview @param {MoneyRow[]} rows @param {MoneyColumn[]} columns @param {(cents: number) => string} write
 * @param {[string, string]} names of the first column, and of the whole table
 */
function money({ was, pocket }, rows, columns, write, [first, label]) {
  const purses = columns.filter(({ always, purse }) => always || rows.some(({ before, after }) => before[purse] || after[purse]));
  const paid = was === null ? "Paid" : `Paid on ${was}`;
  const due = pocket === null ? "Due" : `Due on ${pocket}`;
  const top = el(
    "tr",
    {},
    ...[first, "Staked", paid, due, "Change"].map((words, place) =>
      el("th", { scope: "col", rowspan: 2, class: place ? "sum" : null }, words),
    ),
    ...purses.map(({ head }) => el("th", { scope: "colgroup", colspan: 2, class: "pair" }, head)),
  );
  const times = purses.flatMap(() => ["before", "after"]);
  const below = el("tr", {}, ...times.map((words) => el("th", { scope: "col", class: "sum" }, words)));
  return el(
    "div",
    { class: "grid-frame", tabindex: "0", role: "region", "aria-label": label },
    el(
      "table",
      { class: "grid before-after", "aria-label": label },
      el("thead", {}, top, below),
      el("tbody", {}, ...rows.map((row) => line(row, purses, write))),
    ),
  );
}

/** @param {MoneyRow} row @param {MoneyColumn[]} purses @param {(cents: number) => string} write */
function line({ name, note, staked, paid, due, before, after }, purses, write) {
  const sum = (/** @type {string} */ words, look = "") => el("td", { class: `sum ${look}`.trim() }, words);
  return el(
    "tr",
    { "data-seat": name },
    el("th", { scope: "row" }, name, note ? el("small", {}, ` ${note}`) : null),
    sum(write(staked)),
    sum(write(paid)),
    sum(write(due)),
    sum(signed(due - paid, write), changeClass(due - paid)),
    ...purses.flatMap(({ purse }) => [
      sum(write(before[purse])),
      sum(write(after[purse]), changeClass(after[purse] - before[purse])),
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
