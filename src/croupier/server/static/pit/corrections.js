// Correcting a result and invalidating an outcome.

import { pressOnce } from "../console/forms.js";
import { citing, wordOf } from "../console/text.js";
import { openSheet } from "../shared/dialog.js";
import { button, el, enabled, field, form, shown, text } from "../shared/dom.js";
import { pad } from "../shared/pocket.js";
import { reckoning } from "./correction_preview.js";

/** @typedef {import("../console/client.js").Desk} Desk */

/** @typedef {{table: string, round: number}} Which */

const CORRECTION = "correction";
const CORRECTION_FORM = "correction-form";
const CORRECTION_SIGNATURES =
  "Two people correct a number: you sign here, and somebody else signs the same on another device within two minutes.";
const PICK = "Touch the number in which the ball lay: every seat's money is reckoned before anything is signed.";

/**
 * Ask for the correct number, show its effect, and take the first signature.
 * @param {Desk} desk @param {Which} which
 */
export function openCorrection(desk, which) {
  const sheet = new Correction(desk, which);
  sheet.open();
}

class Correction {
  /** @param {Desk} desk @param {Which} which */
  constructor(desk, which) {
    this.desk = desk;
    this.which = which;
    /** The number that the round was settled on, once it is known. @type {string | null} */
    this.was = null;
    /** @type {string | null} */
    this.chosen = null;
    /** Whether the preview of the chosen number is shown. */
    this.reckoned = false;
    this.pad = pad({ label: "The true number, in felt order", pick: (pocket) => this.#pick(pocket) });
    this.settled = el("p", { class: "settled" });
    this.outcome = reckoning(desk, el("p", { class: "none" }, PICK), (told) => this.#heard(told));
    this.reply = el("p", { class: "reply", role: "alert", hidden: true });
    this.sign = el("button", { class: "main", form: CORRECTION_FORM, disabled: true }, "Choose the number");
  }

  open() {
    const { table, round } = this.which;
    const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
    const why = el("label", { class: "field" }, el("span", {}, "Why it is corrected, in plain words"), words);
    const send = (/** @type {{words: string}} */ { words: given }) =>
      pressOnce(this.sign, () => this.#send(given.trim()));
    const made = form({ class: "fields", id: CORRECTION_FORM }, send, this.settled, why);
    this.sheet = openSheet({
      name: CORRECTION,
      title: `Correct the number of round ${round} at ${table}`,
      light: false,
      body: [
        el("div", { class: "choice" }, this.pad.node, made),
        this.outcome.node,
        el("p", { class: "dual" }, CORRECTION_SIGNATURES),
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

  /**
   * Find the number that the round was settled on: a preview of any number includes it, or is refused for being the
   * same.
   */
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

  /** @param {import("../shared/types/console.js").ToldPreview | null} told */
  #heard(told) {
    this.reckoned = told !== null;
    this.was = told?.was ?? this.was;
    this.#draw();
  }

  /** @param {import("../shared/types/wire.js").No | null} refusal */
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

// Invalidating an outcome for a reason that the rules list, with a preview before it is signed.

const INVALIDATION = "invalidate";
const INVALIDATION_FORM = "invalidate-form";
const NO_REASONS = "The rules of this table list no reason for which an outcome is taken back.";
const INVALIDATION_SIGNATURES =
  "A round that is settled takes two people: you sign here, and somebody else signs it on another device.";

/** Ask for the reason, show the effect, and sign. @param {Desk} desk @param {Which} which */
export function openInvalidate(desk, which) {
  const { table, round } = which;
  const reasons = desk.felt(table)?.take_back ?? [];
  const reason = el("select", { name: "reason", required: true }, el("option", { value: "" }, "Choose the reason"));
  reason.append(...reasons.map((one) => el("option", { value: one.reason }, `${wordOf(one.reason)} [${one.clause}]`)));
  const suspect = el("input", { name: "suspect", autocomplete: "off", maxlength: 64 });
  const whom = field("Whom it is laid to", suspect);
  const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const main = el("button", { class: "grave", form: INVALIDATION_FORM, disabled: true }, "Take the outcome back");
  const outcome = reckoning(desk, "", (told) => enabled(main, told !== null));
  const say = (/** @type {import("../shared/types/wire.js").No | null} */ no) => {
    text(reply, no ? citing(no) : "");
    shown(reply, no !== null);
  };
  const reckon = () => {
    const isFraud = reason.value.startsWith("fraud");
    shown(whom, isFraud);
    suspect.required = isFraud;
    say(null);
    outcome.attempt(reason.value === "" ? null : { table, round, reason: reason.value });
  };
  const send = async (/** @type {Record<string, string>} */ given) => {
    const command = { type: "InvalidateOutcome", table, round, reason: given.reason, words: given.words.trim() };
    const { refusal } = await desk.ask({ ...command, suspect: given.suspect?.trim() ?? "" });
    say(refusal);
    if (refusal === null) sheet.close();
  };
  reason.addEventListener("change", reckon);
  const made = form(
    { class: "fields", id: INVALIDATION_FORM },
    (given) => pressOnce(main, () => send(given)),
    field("Reason", reason),
    whom,
    field("What happened, in plain words", words),
  );
  const sheet = openSheet({
    name: INVALIDATION,
    title: `Take back the outcome of round ${round} at ${table}`,
    light: false,
    body:
      reasons.length > 0
        ? [made, outcome.node, el("p", { class: "dual" }, INVALIDATION_SIGNATURES), reply]
        : [NO_REASONS],
    foot: [button("Leave it", () => sheet.close()), main],
  });
  shown(whom, false);
}
