// Questions: what a console asks to be told, one after another, and again where the answer was lost on its way.

import { isReady } from "../kit/store.js";

/**
 * @typedef {import("../kit/types.js").No} No
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

export class Questions {
  /** @param {import("../kit/session.js").Session} session @param {(no: No) => void} forget takes a refusal off a list */
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
