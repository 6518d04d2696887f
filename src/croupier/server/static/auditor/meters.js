// The meters of every terminal, and whether they add up.

import { figure, refusedText, timeOf } from "../console/text.js";
import { dataTable, factList } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/client.js").Refusal} Refusal
 * @typedef {import("../shared/types/console.js").MetersResult} MetersResult
 * @typedef {{terminal: string, table: string}} Seat
 */

export class Meters {
  /** The meters read, by terminal. @type {Map<string, MetersResult>} */
  #read = new Map();
  readAt = "";
  isReading = false;
  /** Why they were not all read. @type {Refusal | null} */
  refusal = null;

  /** @param {ConsoleClient} client */
  constructor(client) {
    this.client = client;
  }

  /** How many terminals were read. */
  get count() {
    return this.#read.size;
  }

  /** How many of them do not add up. */
  get short() {
    return [...this.#read.values()].filter(({ sound }) => !sound).length;
  }

  async readAll() {
    Object.assign(this, { isReading: true, refusal: null });
    this.client.session.redraw();
    for (const { terminal } of this.#seats()) if (!(await this.#readOne(terminal))) break;
    this.isReading = false;
    this.client.session.redraw();
  }

  /** @param {string} terminal @returns {Promise<MetersResult | null>} */
  async #readOne(terminal) {
    const response = await this.client.query("meters", { terminal });
    this.readAt = timeOf(this.client.session.now() ?? 0);
    this.refusal = response.t === "refused" ? response.refusal : null;
    if (response.t !== "refused") this.#read.set(terminal, response);
    this.client.session.redraw();
    return response.t === "refused" ? null : response;
  }

  /** Each terminal once, with a table that it plays at. @returns {Seat[]} */
  #seats() {
    const seats = new Map();
    for (const [table, { seats: there }] of Object.entries(this.client.view.floor?.tables ?? {})) {
      for (const { terminal } of there) if (!seats.has(terminal)) seats.set(terminal, { terminal, table });
    }
    return [...seats.values()].sort((one, other) =>
      one.terminal.localeCompare(other.terminal, "en", { numeric: true })
    );
  }

  draw() {
    const { client } = this;
    const meters = (/** @type {Seat} */ { terminal }) => this.#read.get(terminal);
    const amount = (/** @type {Seat} */ seat, /** @type {string} */ name) =>
      client.amount(meters(seat)?.meters[name] ?? null, seat.table);
    return h(
      "section",
      { class: "card meters" },
      h("h2", null, say("meters.title")),
      dataTable({
        label: say("meters.label"),
        columns: [
          {
            head: say("hold.terminal"),
            cell: (seat) => button(seat.terminal, () => void this.#open(seat), { class: "small" }),
          },
          { head: say("meters.games"), cell: (seat) => meters(seat)?.meters.games ?? "–", sum: true },
          { head: say("meters.staked"), cell: (seat) => amount(seat, "turnover"), sum: true },
          { head: say("meters.returned"), cell: (seat) => amount(seat, "returned"), sum: true },
          { head: say("meters.audit"), cell: (seat) => this.#verdict(seat) },
        ],
        rows: this.#seats(),
        key: ({ terminal }) => terminal,
        empty: say("meters.none"),
        attributes: (seat) => ({ "data-short": meters(seat)?.sound === false }),
      }),
    );
  }

  /** @param {Seat} seat */
  #verdict({ terminal, table }) {
    const read = this.#read.get(terminal);
    if (!read) return say("meters.not-read");
    return read.sound
      ? say("meters.adds-up")
      : say("meters.missing", { amount: this.client.amount(read.difference, table) });
  }

  /** @param {Seat} seat */
  async #open({ terminal, table }) {
    const meters = await this.#readOne(terminal);
    const { refusal, readAt } = this;
    openDialog({
      name: "meters",
      title: say("meters.of", { terminal }),
      body: () =>
        meters
          ? [h("p", null, say("meters.read-at", { time: readAt })), lines(this.client, table, meters)]
          : h("p", { class: "reply" }, refusal && refusedText(refusal)),
    });
  }
}

/** @param {ConsoleClient} client @param {string} table @param {MetersResult} meters */
function lines(client, table, { meters, by_meters: by, on_terminal: on, difference, sound }) {
  const amount = (/** @type {number} */ cents) => client.amount(cents, table);
  /** @param {import("../shared/types/console.js").AuditLine} line @returns {[string, string]} */
  const fact = ({ line, amount: cents }) => [say(`audit-line.${line}`), amount(cents)];
  return [
    h(
      "p",
      { class: sound ? "sound" : "reply" },
      sound ? say("meters.sound") : say("meters.short", { amount: amount(difference) }),
    ),
    h("h3", null, say("meters.by")),
    factList([[say("meters.games"), figure(meters.games)], ...by.map(fact)]),
    h("h3", null, say("meters.on")),
    factList(on.map(fact)),
  ];
}
