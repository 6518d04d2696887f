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
 * @typedef {{refusal: No | null, paid: import("../shared/types/console.js").Paid | null, position?: number}} Answer where it
 *   was done, with the first entry of the journal that tells so
 * @typedef {{node: HTMLElement, update: (view: State) => void, tick?: () => void}} Part
 */

/** @type {No} */
const LINE_LOST = { code: "line_lost", clause: null, says: "The line was lost: look whether this was done." };

const STEP_UP = "step_up_needed";

export class Desk {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** Who is signed in here. @type {{person: string, titles: string[]} | null} */
    this.who = null;
    /** Commands without an answer, by their numbers. @type {Map<number, (answer: Answer) => void>} */
    this.asked = new Map();
    this.questions = new Questions(session, (no) => this.forget(no));
    /** What takes a fresh signature is asked again once it was given. @type {() => Promise<boolean>} */
    this.sign = async () => false;
  }

  get view() {
    return this.session.view;
  }

  /** Whether whoever is signed in holds one of these titles. @param {readonly string[]} titles */
  holds(titles) {
    return Boolean(this.who?.titles.some((title) => titles.includes(title)));
  }

  /** What a table plays on, or null until it has come. @param {string} name of the table */
  felt(name) {
    const table = this.view.tables[name]?.state;
    return table ? felt(table.felt, () => this.session.redraw()) : null;
  }

  /** Write an amount of a table. @param {number | null | undefined} cents @param {string} name of the table */
  amount(cents, name) {
    const currency = this.felt(name)?.currency;
    return currency && cents !== null && cents !== undefined ? money(cents, currency, this.#manner) : "–";
  }

  /** Where a house has several currencies, none of them is at home: each has a sign that no other has. */
  get #manner() {
    const currencies = new Set(Object.keys(this.view.tables).map((name) => this.felt(name)?.currency));
    return currencies.size > 1 ? "en-001" : undefined;
  }

  /** Tables in the house's own order, and then those that it has had since. @param {string[]} names */
  ordered(names) {
    const order = this.session.place.tables.map(({ table }) => table);
    const place = (/** @type {string} */ name) => order.indexOf(name) + 1 || order.length + 1;
    return [...names].sort((one, other) => place(one) - place(other));
  }

  /** Ask the house for something in its own words; where it wants the secret again, that is asked for first.
   * @param {object} command @returns {Promise<Answer>} */
  ask(command) {
    return this.wish("ask", { command });
  }

  /** Send something under a key of its own. Whoever awaits the answer says why it was refused.
   * @param {string} t @param {object} fields @returns {Promise<Answer>} */
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

  /** Ask to be told something; the answer is a frame of the house, or one with a refusal.
   * @param {string} t @param {object} [fields] @returns {Promise<any>} */
  enquire(t, fields = {}) {
    return this.questions.ask(t, fields);
  }

  /** Put a refusal on the list of what was refused, where nothing was open to say it in. Whoever has not signed again
   * knows it. @param {No | null} no */
  tell(no) {
    const { session } = this;
    if (no === null || no.code === STEP_UP) return;
    session.state = { ...session.state, said: [no, ...session.state.said] };
    session.redraw();
  }

  /** Take a refusal off the list of what was refused: it is said where it was asked. @param {No} no */
  forget(no) {
    const { session } = this;
    session.state = { ...session.state, said: session.state.said.filter((one) => one !== no && !isSame(one, no)) };
    session.redraw();
  }

  /** Nobody is here any more: nothing is shown, said or waited for that was for whoever was. */
  leave() {
    const { session } = this;
    this.who = null;
    session.state = { ...session.state, floor: null, waits: true, pending: [], said: [] };
    this.questions.leave();
  }

  /** Hear every frame first. @param {any} frame */
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

  /** After a new snapshot nobody answers what was asked before it, but for what was sent again. */
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

// Questions: what a console asks to be told, one after another, and again where the answer was lost on its way.

/**
 * @typedef {{message: {t: string, q?: number}, answered: (frame: any) => void, tries: number}} Question
 */

/** Refusals of a house that has too much to do: what they refuse is asked again a little later. One that names no
 * question may be about whatever is asked now. */
const PASSING = new Set(["busy", "too_fast"]);
const BUSY = "busy";
const PATIENCE_MS = 300;
/** A long past is read in many steps. */
const TRIES_MOST = 200;
/** @type {No} */
const SIGNED_OUT = { code: "signed_out", clause: null, says: "Nobody is signed in here any more." };

class Questions {
  /** @param {import("../shared/session.js").Session} session @param {(no: No) => void} forget takes a refusal off a list */
  constructor(session, forget) {
    this.session = session;
    this.forget = forget;
    this.count = 0;
    /** What the house thinks about now: it does one thing at a time for each door. @type {Question | null} */
    this.now = null;
    /** The answer to the last that was asked. @type {Promise<unknown>} */
    this.last = Promise.resolve();
  }

  /** Ask to be told something. @param {string} t @param {object} fields @returns {Promise<any>} */
  ask(t, fields) {
    return this.#inTurn({ t, q: (this.count += 1), ...fields });
  }

  /** Say what the house thinks about for a while and answers without a number, such as a secret.
   * @param {{t: string, secret: string}} message @returns {Promise<any>} */
  confide(message) {
    return this.#inTurn(message);
  }

  /** Hear a frame, which may be the answer. @param {any} frame */
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

  /** After a new snapshot what was asked may be lost, or its answer: asked again, it does no harm. */
  again() {
    if (this.now?.message.q !== undefined) this.#send();
    else this.#end({ t: "refused", refusal: SIGNED_OUT });
  }

  /** Nobody is there any more to be told anything. */
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

  /** Without a line it waits for the next snapshot. */
  #send() {
    if (this.now !== null && isReady(this.session.state)) this.session.say(this.now.message);
  }
}

/** @param {any} frame */
const isPassing = (frame) =>
  frame.t === "refused" && (frame.q === undefined ? PASSING.has(frame.refusal.code) : frame.refusal.code === BUSY);

/** An answer without a number is for the one that waits, as nothing else is asked meanwhile.
 * @param {Question} question @param {any} frame */
function isAnswer({ message }, frame) {
  if (frame.q !== undefined) return frame.q === message.q;
  if (message.q !== undefined) return isPassing(frame);
  return frame.t === "stepped_up" || frame.t === "refused";
}
