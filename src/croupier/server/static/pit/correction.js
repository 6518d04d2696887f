// Correcting a number: any candidate on a pad in felt order, what it does to every seat's money, and the first of two
// signatures.

import { button, el, enabled, form, shown, text } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { pad } from "../staff/pad.js";
import { pressOnce } from "../staff/press.js";
import { citing } from "../staff/words.js";
import { reckoning } from "./reckoning.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {{table: string, round: number}} Which
 */

const NAME = "correction";
const FORM = "correction-form";
const TWO =
  "Two people correct a number: you sign here, and somebody else signs the same on another device within two minutes.";
const PICK = "Touch the number in which the ball lay: every seat's money is reckoned before anything is signed.";

/** Ask which number is the true one, show what that does, and take the first signature.
 * @param {Desk} desk @param {Which} which */
export function openCorrection(desk, which) {
  const sheet = new Correction(desk, which);
  sheet.open();
}

class Correction {
  /** @param {Desk} desk @param {Which} which */
  constructor(desk, which) {
    this.desk = desk;
    this.which = which;
    /** The number that was settled on, once it is known. @type {string | null} */
    this.was = null;
    /** @type {string | null} */
    this.chosen = null;
    /** Whether it is seen what the number that is chosen does. */
    this.reckoned = false;
    this.pad = pad({ label: "The true number, in felt order", pick: (pocket) => this.#pick(pocket) });
    this.settled = el("p", { class: "settled" });
    this.outcome = reckoning(desk, el("p", { class: "none" }, PICK), (told) => this.#heard(told));
    this.reply = el("p", { class: "reply", role: "alert", hidden: true });
    this.sign = el("button", { class: "main", form: FORM, disabled: true }, "Choose the number");
  }

  open() {
    const { table, round } = this.which;
    const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
    const why = el("label", { class: "field" }, el("span", {}, "Why it is corrected, in plain words"), words);
    const send = (/** @type {{words: string}} */ { words: given }) =>
      pressOnce(this.sign, () => this.#send(given.trim()));
    const made = form({ class: "fields", id: FORM }, send, this.settled, why);
    this.sheet = openSheet({
      name: NAME,
      title: `Correct the number of round ${round} at ${table}`,
      light: false,
      body: [
        el("div", { class: "choice" }, this.pad.node, made),
        this.outcome.node,
        el("p", { class: "dual" }, TWO),
        this.reply,
      ],
      foot: [button("Leave it", () => this.sheet?.close()), this.sign],
      update: () => this.#draw(),
    });
    this.#draw();
    this.#findOut();
  }

  #draw() {
    const { table } = this.which;
    this.pad.update(this.desk.felt(table), this.chosen, this.was);
    text(this.settled, `The round was settled on ${this.was}.`);
    shown(this.settled, this.was !== null);
    const ready = this.chosen !== null && this.chosen !== this.was && this.reckoned;
    enabled(this.sign, ready);
    text(this.sign, ready ? `Sign: ${this.was} becomes ${this.chosen}` : "Choose the number");
  }

  /** Learn what the round was settled on: a trial of any number tells, and so does being told to name another. */
  async #findOut() {
    const first = this.desk.felt(this.which.table)?.wheel[0].pocket ?? "0";
    const told = await this.desk.enquire("preview", { ...this.which, pocket: first });
    if (told.t !== "refused") this.was = told.was;
    else if (told.refusal.code === "numbers_differ") this.was = first;
    else this.#say(told.refusal);
    this.#draw();
  }

  /** @param {string} pocket */
  #pick(pocket) {
    this.chosen = pocket;
    this.#say(null);
    this.outcome.attempt({ ...this.which, pocket });
  }

  /** @param {import("../kit/consoles.js").ToldPreview | null} told */
  #heard(told) {
    this.reckoned = told !== null;
    this.was = told?.was ?? this.was;
    this.#draw();
  }

  /** @param {import("../kit/types.js").No | null} refusal */
  #say(refusal) {
    text(this.reply, refusal ? citing(refusal) : "");
    shown(this.reply, refusal !== null);
  }

  /** @param {string} words */
  async #send(words) {
    const command = { type: "CorrectResult", ...this.which, pocket: this.chosen, words };
    const { refusal } = await this.desk.ask(command);
    if (refusal === null) return this.sheet?.close();
    this.#say(refusal);
  }
}
