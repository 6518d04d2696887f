// The client of a staff console: commands, queries, and the responses to them.

import { fetchFelt } from "../shared/felt_cache.js";
import { money } from "../shared/money.js";
import { addRefusal, dropRefusals, isReady, UNANSWERED } from "../shared/store.js";
import { locale } from "../shared/text.js";

/**
 * @typedef {import("../shared/types/wire.js").RefusalBody & {currency?: string}} Refusal in the currency of what was asked for
 * @typedef {import("../shared/session.js").Session} Session
 * @typedef {import("../shared/store.js").State} State
 * @typedef {import("../shared/store.js").Guess} Guess
 * @typedef {import("../shared/types/wire.js").OutboundMessage} OutboundMessage
 * @typedef {import("../shared/types/wire.js").Refused} Refused
 */

/**
 * The response to each query.
 * @typedef {object} Results
 * @property {import("../shared/types/console.js").PreviewResult} preview
 * @property {import("../shared/types/console.js").ReplayResult} replay
 * @property {import("../shared/types/console.js").File} bundle
 * @property {import("../shared/types/console.js").File} export
 * @property {import("../shared/types/console.js").VerificationResult} verify
 * @property {import("../shared/types/console.js").DisputesResult} disputes
 * @property {import("../shared/types/console.js").JournalResult} journal
 * @property {import("../shared/types/console.js").TicketResult} look_up
 * @property {import("../shared/types/console.js").MetersResult} meters
 * @property {import("../shared/types/console.js").DocumentResult | import("../shared/types/console.js").File} paper
 * @property {import("../shared/types/console.js").StaffResult} staff
 */

/**
 * @typedef {Omit<import("../shared/store.js").Answer, "refusal"> & {refusal: Refusal | null}} CommandResponse
 * @typedef {{node: HTMLElement, update: (view: State) => void, tick?: () => void}} Part
 */

const STEP_UP = "step_up_needed";

export class ConsoleClient {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** Who is signed in. @type {{person: string, titles: string[]} | null} */
    this.who = null;
    this.queries = new QueryQueue(session, (no) => this.dismissRefusal(no));
    /** Asks for the password; a command that needs it is then sent again. @type {() => Promise<boolean>} */
    this.confirmPassword = async () => false;
  }

  get view() {
    return this.session.view;
  }

  /** Whether the person signed in holds one of these titles. @param {readonly string[]} titles */
  hasTitle(titles) {
    return Boolean(this.who?.titles.some((title) => titles.includes(title)));
  }

  /** The felt of a table, or null until it is fetched. @param {string} name of the table */
  felt(name) {
    const table = this.view.tables[name]?.state;
    return table ? fetchFelt(table.felt, () => this.session.redraw()) : null;
  }

  /** Format an amount of a table. @param {number | null | undefined} cents @param {string} name of the table */
  amount(cents, name) {
    const currency = this.felt(name)?.currency;
    return currency && cents !== null && cents !== undefined ? money(cents, currency, this.#amountLocale) : "–";
  }

  /**
   * The currency of a command: of its table, its terminal or its drawer, or else of the first table.
   * @param {{table?: string, terminal?: string, drawer?: string}} command
   */
  currencyOf({ table, terminal, drawer }) {
    const { tables = {}, drawers = [] } = this.view.floor ?? {};
    const owned = drawers.find((row) => row.drawer === drawer)?.currency;
    const seated = Object.keys(tables).find((name) => tables[name].seats.some((seat) => seat.terminal === terminal));
    const [first = ""] = Object.keys(this.view.tables);
    return owned || this.felt(table ?? seated ?? first)?.currency || undefined;
  }

  /** With several currencies each amount needs an unambiguous symbol. */
  get #amountLocale() {
    const currencies = new Set(Object.keys(this.view.tables).map((name) => this.felt(name)?.currency));
    return currencies.size > 1 ? `${locale().split("-u-")[0]}${locale() === "en" ? "-001" : ""}` : locale();
  }

  /** Tables in the configured order, then those added since. @param {string[]} names */
  ordered(names) {
    const order = this.session.pageData.tables.map(({ table }) => table);
    const place = (/** @type {string} */ name) => order.indexOf(name) + 1 || order.length + 1;
    return [...names].sort((one, other) => place(one) - place(other));
  }

  /**
   * Send a command; where the server asks for the password again, prompt for it first.
   * @param {object} command @param {Guess | null} [guess] @returns {Promise<CommandResponse>}
   */
  sendCommand(command, guess = null) {
    return this.sendRequest("ask", { command }, guess);
  }

  /**
   * Send a request under a new id. The caller shows a refusal.
   * @param {string} t @param {object} fields @param {Guess | null} [guess] at its effect @returns {Promise<CommandResponse>}
   */
  async sendRequest(t, fields, guess = null) {
    const answer = await this.#sendOnce(t, fields, guess);
    if (answer.refusal?.code !== STEP_UP) return answer;
    return (await this.confirmPassword()) ? this.#sendOnce(t, fields, guess) : answer;
  }

  /** @param {string} t @param {object} fields @param {Guess | null} guess @returns {Promise<CommandResponse>} */
  async #sendOnce(t, fields, guess) {
    const answer = (await this.session.sendRequest(t, fields, guess)) ?? UNANSWERED;
    if (!answer.refusal) return answer;
    this.dismissRefusal(answer.refusal);
    // The amounts of a refusal are in the currency of what was asked for.
    const currency = this.currencyOf(/** @type {any} */ (fields).command ?? fields);
    return { ...answer, refusal: { ...answer.refusal, currency } };
  }

  /**
   * Send a query; the response is a frame of the server, or one with a refusal.
   * @template {keyof Results} T @param {T} t @param {object} [fields] @returns {Promise<Results[T] | Refused>}
   */
  query(t, fields = {}) {
    return /** @type {Promise<Results[T] | Refused>} */ (this.queries.send(t, fields));
  }

  /**
   * Add a refusal to the notices, for an action without an open dialog. A cancelled password prompt is not shown.
   * @param {Refusal | null} no
   */
  showRefusal(no) {
    if (no !== null && no.code !== STEP_UP) this.session.change(addRefusal, no);
  }

  /** Remove a refusal from the notices: it is shown where the request was made. @param {Refusal} no */
  dismissRefusal(no) {
    this.session.change(dropRefusals, (one) => one === no || isSame(one, no));
  }

  dismissRefusals() {
    this.session.change(dropRefusals, () => true);
  }

  /** Sign-out: drop everything that was shown to, or awaited by, the person. */
  signOut() {
    this.who = null;
    this.session.signOut();
    this.queries.end();
  }

  /** Receives every frame first. @param {OutboundMessage} frame */
  receive(frame) {
    if (frame.t === "snap") this.queries.resend();
    else this.queries.receive(frame);
  }
}

/** @param {Refusal} one @param {Refusal} other */
const isSame = (one, other) => one.id !== null && one.id !== undefined && one.id === other.id;

// Queries: sent one after another, and again where the response was lost.

/**
 * @typedef {{message: {t: string, q?: number}, answered: (frame: OutboundMessage) => void, tries: number}} Query
 */

/** Refusals of a busy server: the query is sent again later. One without a query id may mean the current query. */
const TRANSIENT = new Set(["busy", "too_fast"]);
const BUSY = "busy";
const PATIENCE_MS = 300;
/** A long history is read in many steps. */
const ATTEMPTS_MOST = 200;
/** @type {Refusal} */
const SIGNED_OUT = { code: "signed_out", clause: null, says: "Nobody is signed in here any more." };

class QueryQueue {
  /** @param {import("../shared/session.js").Session} session @param {(no: Refusal) => void} forget removes a refusal from the notices */
  constructor(session, forget) {
    this.session = session;
    this.forget = forget;
    this.count = 0;
    /** The current query: the server handles one at a time per connection. @type {Query | null} */
    this.current = null;
    /** The response to the last query. @type {Promise<OutboundMessage | void>} */
    this.last = Promise.resolve();
  }

  /** Send a query. @param {string} t @param {object} fields @returns {Promise<OutboundMessage>} */
  send(t, fields) {
    return this.#enqueue({ t, q: this.count += 1, ...fields });
  }

  /**
   * Send a message that is answered without an id, such as a password.
   * @param {{t: string, secret: string}} message @returns {Promise<OutboundMessage>}
   */
  sendPassword(message) {
    return this.#enqueue(message);
  }

  /** Handle a frame, which may be the response. @param {OutboundMessage} frame */
  receive(frame) {
    const question = this.current;
    if (question === null || !isResponse(question, frame)) return;
    const { message, answered } = question;
    if (frame.t === "refused" && message.q !== undefined) this.forget(frame.refusal);
    if (message.q !== undefined && isTransient(frame) && question.tries < ATTEMPTS_MOST) {
      question.tries += 1;
      setTimeout(() => this.current === question && this.#send(), PATIENCE_MS);
      return;
    }
    this.current = null;
    answered(frame);
  }

  /** After a snapshot the query or its response may be lost: queries are safe to repeat. */
  resend() {
    if (this.current?.message.q !== undefined) this.#send();
    else this.#end({ t: "refused", refusal: SIGNED_OUT });
  }

  /** Sign-out ends the current query. */
  end() {
    this.#end({ t: "refused", refusal: SIGNED_OUT });
  }

  /** @param {OutboundMessage} frame */
  #end(frame) {
    const question = this.current;
    this.current = null;
    question?.answered(frame);
  }

  /** @param {{t: string, q?: number}} message */
  #enqueue(message) {
    const begin = (/** @type {(frame: OutboundMessage) => void} */ answered) => {
      this.current = { message, answered, tries: 0 };
      this.#send();
    };
    /** @type {Promise<OutboundMessage>} */
    const response = this.last.then(() => new Promise(begin));
    this.last = response;
    return response;
  }

  /** Without a connection it waits for the next snapshot. */
  #send() {
    if (this.current !== null && isReady(this.session.state)) this.session.send(this.current.message);
  }
}

/** @param {OutboundMessage} frame */
const isTransient = (frame) =>
  frame.t === "refused" && (frame.q === undefined ? TRANSIENT.has(frame.refusal.code) : frame.refusal.code === BUSY);

/**
 * A response without an id belongs to the current query, as no other is pending.
 * @param {Query} question @param {OutboundMessage} frame
 */
function isResponse({ message }, frame) {
  const q = "q" in frame ? frame.q : undefined;
  if (q !== undefined) return q === message.q;
  if (message.q !== undefined) return isTransient(frame);
  return frame.t === "stepped_up" || frame.t === "refused";
}
