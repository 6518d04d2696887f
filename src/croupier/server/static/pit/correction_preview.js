// The correction preview: what a correction does to each player.

import { refusalText } from "../console/forms.js";
import { figure } from "../console/text.js";
import { ruleLink, rulesAt } from "../console/widgets.js";
import { signed } from "../shared/money.js";
import { pocketTile } from "../shared/pocket.js";
import { h } from "../shared/render.js";
import { say } from "../shared/text.js";

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

/** A correction preview, as both signers see it: fetched, and fetched again while it is drawn. */
export class CorrectionPreview {
  /** @param {ConsoleClient} client @param {(preview: Preview | null) => void} changed called with the preview, and with null while there is none */
  constructor(client, changed) {
    this.client = client;
    this.changed = changed;
    /** @type {PreviewRequest | null} */
    this.request = null;
    /** What was answered last. It stays until the next answer, so that nothing moves. @type {Preview | import("../shared/types/wire.js").Refused | null} */
    this.response = null;
    this.waits = false;
    this.timer = setInterval(() => !this.waits && void this.#refresh(), REFRESH_MS);
  }

  /** Ask for the effect of a correction, or for none. @param {PreviewRequest | null} request */
  attempt(request) {
    this.request = request;
    if (request === null) this.response = null;
    this.changed(null);
    void this.#refresh();
  }

  async #refresh() {
    const { request } = this;
    if (request === null) return;
    this.waits = true;
    const response = await this.client.query("preview", request);
    if (request !== this.request) return;
    this.waits = false;
    this.response = response;
    this.changed(response.t === "refused" ? null : response);
  }

  /** @param {import("../shared/render.js").Child} begins the content before the first preview */
  draw(begins) {
    const { response } = this;
    const content = response === null
      ? begins
      : response.t === "refused"
      ? refusalText(response.refusal)
      : correctionTable(this.client, response);
    return h("div", { class: "outcome", "aria-live": "polite", "aria-busy": this.waits && "true" }, content);
  }

  end() {
    clearInterval(this.timer);
  }
}

// What a correction or an invalidation does to every player's money: before and after, per player and for the house.

/**
 * @typedef {{name: string, note: string, staked: number, paid: number, due: number, before: Record<string, number>,
 *   after: Record<string, number>}} MoneyRow a seat, or a player with chips
 * @typedef {{head: string, purse: string, always?: boolean}} MoneyColumn with the id of its heading
 */

/** Where the money of a seat is; columns that are zero everywhere are left out. @type {MoneyColumn[]} */
const SEAT_COLUMNS = [
  { head: "dealer.credit", purse: "credit", always: true },
  { head: "preview.up", purse: "up" },
  { head: "today.held", purse: "held" },
  { head: "preview.owed", purse: "owed" },
];
/** Where the money of a player with chips is. @type {MoneyColumn[]} */
const CHIP_COLUMNS = [
  { head: "preview.unpaid", purse: "unpaid", always: true },
  { head: "preview.up", purse: "up" },
  { head: "preview.owed", purse: "owed" },
];

/** @param {TerminalPreviewRow} seat @returns {MoneyRow} */
const seatRow = ({ terminal, gone, before, after, ...sums }) => ({
  ...sums,
  name: terminal,
  note: gone ? say("preview.collected") : "",
  before: { ...before },
  after: { ...after },
});

/** @param {ChipPreviewRow} player @returns {MoneyRow} */
const chipRow = ({ position, label, gone, before, after, ...sums }) => ({
  ...sums,
  name: label || say("dispute.position", { n: position }),
  note: gone ? say("preview.left") : "",
  before: { ...before },
  after: { ...after },
});

/** Draw a preview, as both signers see it. @param {ConsoleClient} client @param {Preview} preview  */
function correctionTable(client, preview) {
  const { table, round, seats, chips, was, pocket, house } = preview;
  const colours = client.felt(table)?.colours;
  const write = (/** @type {number} */ cents) => client.amount(cents, table);
  const from = was === null ? say("preview.no-number") : pocketTile(was, colours);
  const to = pocket === null ? say("preview.void") : pocketTile(pocket, colours);
  const none = h("p", { class: "none" }, say("preview.no-bets"));
  const where = { table, round: figure(round) };
  return h(
    "div",
    { class: "correction-preview" },
    h("p", { class: "swap" }, from, " → ", to, " ", ruleLink(rulesAt(client, table), preview.clause)),
    seats.length + chips.length === 0 ? none : null,
    seats.length === 0
      ? null
      : money(preview, seats.map(seatRow), SEAT_COLUMNS, write, [say("replayed.seat"), say("preview.seats", where)]),
    chips.length === 0
      ? null
      : money(preview, chips.map(chipRow), CHIP_COLUMNS, write, [say("preview.player"), say("preview.players", where)]),
    h("p", { class: "house" }, houseText(house, write)),
  );
}

/**
 * @param {Preview} preview @param {MoneyRow[]} rows @param {MoneyColumn[]} columns @param {(cents: number) => string} write
 * @param {[string, string]} names of the first column, and of the whole table
 */
function money({ was, pocket }, rows, columns, write, [first, label]) {
  const purses = columns.filter(({ always, purse }) =>
    always || rows.some(({ before, after }) => before[purse] || after[purse])
  );
  const paid = was === null ? say("preview.paid") : say("preview.paid-on", { pocket: was });
  const due = pocket === null ? say("preview.due") : say("preview.due-on", { pocket });
  const top = h(
    "tr",
    null,
    [first, say("floor.staked"), paid, due, say("preview.change")].map((words, place) =>
      h("th", { scope: "col", rowspan: 2, class: place ? "sum" : null }, words)
    ),
    purses.map(({ head }) => h("th", { scope: "colgroup", colspan: 2, class: "pair" }, say(head))),
  );
  const times = purses.flatMap(() => [say("preview.before"), say("preview.after")]);
  const below = h("tr", null, times.map((words) => h("th", { scope: "col", class: "sum" }, words)));
  return h(
    "div",
    { class: "grid-frame", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      { class: "grid before-after", "aria-label": label },
      h("thead", null, top, below),
      h("tbody", null, rows.map((row) => line(row, purses, write))),
    ),
  );
}

/** @param {MoneyRow} row @param {MoneyColumn[]} purses @param {(cents: number) => string} write */
function line({ name, note, staked, paid, due, before, after }, purses, write) {
  const sum = (/** @type {string} */ words, look = "") => h("td", { class: `sum ${look}`.trim() }, words);
  return h(
    "tr",
    { key: name, "data-seat": name },
    h("th", { scope: "row" }, name, note ? h("small", null, ` ${note}`) : null),
    sum(write(staked)),
    sum(write(paid)),
    sum(write(due)),
    sum(change(due - paid, write), changeClass(due - paid)),
    purses.flatMap(({ purse }) => [
      sum(write(before[purse])),
      sum(write(after[purse]), changeClass(after[purse] - before[purse])),
    ]),
  );
}

/** @param {number} cents */
const changeClass = (cents) => (cents > 0 ? "more" : cents < 0 ? "less" : "");

/** @param {number} cents @param {(cents: number) => string} write */
const change = (cents, write) => (cents > 0 ? signed(write(cents)) : write(cents));

/** @param {number} house @param {(cents: number) => string} write */
function houseText(house, write) {
  if (house === 0) return say("preview.house-even");
  return house > 0
    ? say("preview.house-wins", { amount: write(house) })
    : say("preview.house-pays", { amount: write(-house) });
}
