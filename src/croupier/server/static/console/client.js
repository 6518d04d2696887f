// The client of a staff console: commands, queries, and the responses to them.

import { felt } from "../shared/felt_cache.js";
import { money } from "../shared/money.js";
import { isReady } from "../shared/store.js";

/**
 * @typedef {import("../shared/types/wire.js").No} No
 * @typedef {import("../shared/session.js").Session} Session
 * @typedef {import("../shared/store.js").State} State
 */

/**
 * @typedef {{refusal: No | null, paid: import("../shared/types/console.js").Paid | null, position?: number}} Answer with the
 *   position of the first journal entry, where it was done
 * @typedef {{node: HTMLElement, update: (view: State) => void, tick?: () => void}} Part
 */

/** @type {No} */
const LINE_LOST = { code: "line_lost", clause: null, says: "The line was lost: look whether this was done." };

const STEP_UP = "step_up_needed";

export class Desk {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** Who is signed in. @type {{person: string, titles: string[]} | null} */
    this.who = null;
    /** Commands without a response, by id. @type {Map<number, (answer: Answer) => void>} */
    this.asked = new Map();
    this.questions = new Questions(session, (no) => this.forget(no));
    /** Asks for the password; a command that needs it is then sent again. @type {() => Promise<boolean>} */
    this.sign = async () => false;
  }

  get view() {
    return this.session.view;
  }

  /** Whether the person signed in holds one of these titles. @param {readonly string[]} titles */
  holds(titles) {
    return Boolean(this.who?.titles.some((title) => titles.includes(title)));
  }

  /** The felt of a table, or null until it is fetched. @param {string} name of the table */
  felt(name) {
    const table = this.view.tables[name]?.state;
    return table ? felt(table.felt, () => this.session.redraw()) : null;
  }

  /** Format an amount of a table. @param {number | null | undefined} cents @param {string} name of the table */
  amount(cents, name) {
    const currency = this.felt(name)?.currency;
    return currency && cents !== null && cents !== undefined ? money(cents, currency, this.#manner) : "–";
  }

  /** With several currencies each amount needs an unambiguous symbol. */
  get #manner() {
    const currencies = new Set(Object.keys(this.view.tables).map((name) => this.felt(name)?.currency));
    return currencies.size > 1 ? "en-001" : undefined;
  }

  /** Tables in the configured order, then those added since. @param {string[]} names */
  ordered(names) {
    const order = this.session.place.tables.map(({ table }) => table);
    const place = (/** @type {string} */ name) => order.indexOf(name) + 1 || order.length + 1;
    return [...names].sort((one, other) => place(one) - place(other));
  }

  /**
   * Send a command; where the server asks for the password again, prompt for it first.
   * @param {object} command @returns {Promise<Answer>}
   */
  ask(command) {
    return this.wish("ask", { command });
  }

  /**
   * Send a request under a new id. The caller shows a refusal.
   * @param {string} t @param {object} fields @returns {Promise<Answer>}
   */
  async wish(t, fields) {
    const answer = await this.#wished(t, fields);
    if (answer.refusal?.code !== STEP_UP) return answer;
    return (await this.sign()) ? this.#wished(t, fields) : answer;
  }

  /** @param {string} t @param {object} fields @returns {Promise<Answer>} */
  async #wished(t, fields) {
    const id = this.session.wish(t, fields);
    if (id === null) return { refusal: LINE_LOST, paid: null };
    /** @type {Answer} */
    const answer = await new Promise((answered) => this.asked.set(id, answered));
    if (answer.refusal) this.forget(answer.refusal);
    return answer;
  }

  /**
   * Send a query; the response is a frame of the server, or one with a refusal.
   * @param {string} t @param {object} [fields] @returns {Promise<any>}
   */
  enquire(t, fields = {}) {
    return this.questions.ask(t, fields);
  }

  /**
   * Add a refusal to the notices, for an action without an open dialog. A cancelled password prompt is not shown.
   * @param {No | null} no
   */
  tell(no) {
    const { session } = this;
    if (no === null || no.code === STEP_UP) return;
    session.state = { ...session.state, said: [no, ...session.state.said] };
    session.redraw();
  }

  /** Remove a refusal from the notices: it is shown where the request was made. @param {No} no */
  forget(no) {
    const { session } = this;
    session.state = { ...session.state, said: session.state.said.filter((one) => one !== no && !isSame(one, no)) };
    session.redraw();
  }

  /** Sign-out: drop everything that was shown to, or awaited by, the person. */
  leave() {
    const { session } = this;
    this.who = null;
    session.state = { ...session.state, floor: null, waits: true, pending: [], said: [] };
    this.questions.leave();
  }

  /** Receives every frame first. @param {any} frame */
  hear(frame) {
    if (frame.t === "ack")
      this.#answer(frame.id, { refusal: frame.refusal ?? null, paid: frame.paid ?? null, position: frame.position });
    else if (frame.t === "snap") this.#catchUp();
    else this.questions.hear(frame);
  }

  /** @param {number} id @param {Answer} answer */
  #answer(id, answer) {
    const answered = this.asked.get(id);
    this.asked.delete(id);
    answered?.(answer);
  }

  /** After a snapshot no request made before it is answered, except those sent again. */
  #catchUp() {
    const { pending, said } = this.session.state;
    for (const id of [...this.asked.keys()])
      if (!pending.some(({ message }) => message.id === id))
        this.#answer(id, { refusal: said.find((no) => no.id === id) ?? LINE_LOST, paid: null });
    this.questions.again();
  }
}

/** @param {No} one @param {No} other */
const isSame = (one, other) => one.id !== null && one.id !== undefined && one.id === other.id;

// Queries: sent one after another, and again where the response was lost.

/**
 * @typedef {{message: {t: string, q?: number}, answered: (frame: any) => void, tries: number}} Question
 */

/** Refusals of a busy server: the query is sent again later. One without a query id may mean the current query. */
const PASSING = new Set(["busy", "too_fast"]);
const BUSY = "busy";
const PATIENCE_MS = 300;
/** A long history is read in many steps. */
const TRIES_MOST = 200;
/** @type {No} */
const SIGNED_OUT = { code: "signed_out", clause: null, says: "Nobody is signed in here any more." };

class Questions {
  /** @param {import("../shared/session.js").Session} session @param {(no: No) => void} forget removes a refusal from the notices */
  constructor(session, forget) {
    this.session = session;
    this.forget = forget;
    this.count = 0;
    /** The current query: the server handles one at a time per connection. @type {Question | null} */
    this.now = null;
    /** The response to the last query. @type {Promise<unknown>} */
    this.last = Promise.resolve();
  }

  /** Send a query. @param {string} t @param {object} fields @returns {Promise<any>} */
  ask(t, fields) {
    return this.#inTurn({ t, q: (this.count += 1), ...fields });
  }

  /**
   * Send a message that is answered without an id, such as a password.
   * @param {{t: string, secret: string}} message @returns {Promise<any>}
   */
  confide(message) {
    return this.#inTurn(message);
  }

  /** Handle a frame, which may be the response. @param {any} frame */
  hear(frame) {
    const question = this.now;
    if (question === null || !isAnswer(question, frame)) return;
    const { message, answered } = question;
    if (frame.t === "refused" && message.q !== undefined) this.forget(frame.refusal);
    if (message.q !== undefined && isPassing(frame) && question.tries < TRIES_MOST) {
      question.tries += 1;
      setTimeout(() => this.now === question && this.#send(), PATIENCE_MS);
      return;
    }
    this.now = null;
    answered(frame);
  }

  /** After a snapshot the query or its response may be lost: queries are safe to repeat. */
  again() {
    if (this.now?.message.q !== undefined) this.#send();
    else this.#end({ t: "refused", refusal: SIGNED_OUT });
  }

  /** Sign-out ends the current query. */
  leave() {
    this.#end({ t: "refused", refusal: SIGNED_OUT });
  }

  /** @param {object} frame */
  #end(frame) {
    const question = this.now;
    this.now = null;
    question?.answered(frame);
  }

  /** @param {{t: string, q?: number}} message */
  #inTurn(message) {
    const begin = (/** @type {(frame: any) => void} */ answered) => {
      this.now = { message, answered, tries: 0 };
      this.#send();
    };
    this.last = this.last.then(() => new Promise(begin));
    return this.last;
  }

  /** Without a connection it waits for the next snapshot. */
  #send() {
    if (this.now !== null && isReady(this.session.state)) this.session.say(this.now.message);
  }
}

/** @param {any} frame */
const isPassing = (frame) =>
  frame.t === "refused" && (frame.q === undefined ? PASSING.has(frame.refusal.code) : frame.refusal.code === BUSY);

/**
 * A response without an id belongs to the current query, as no other is pending.
 * @param {Question} question @param {any} frame
 */
function isAnswer({ message }, frame) {
  if (frame.q !== undefined) return frame.q === message.q;
  if (message.q !== undefined) return isPassing(frame);
  return frame.t === "stepped_up" || frame.t === "refused";
}
