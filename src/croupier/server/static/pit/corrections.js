// Correcting a result and invalidating an outcome.

import { pressOnce } from "../console/forms.js";
import { withClause, labelOf } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, enabled, field, form, shown, text } from "../shared/dom.js";
import { numberPad } from "../shared/pocket.js";
import { correctionPreview } from "./correction_preview.js";

/** @typedef {import("../console/client.js").ConsoleClient} ConsoleClient */

/** @typedef {{table: string, round: number}} Which */

const CORRECTION = "correction";
const CORRECTION_FORM = "correction-form";
const CORRECTION_SIGNATURES =
  "Two people correct a number: you sign here, and somebody else signs the same on another device within two minutes.";
const PICK = "Touch the number in which the ball lay: the result for every seat is shown before anyone signs.";

/**
 * Ask for the correct number, show its effect, and take the first signature.
 * @param {ConsoleClient} client @param {Which} which
 */
export function openCorrection(client, which) {
  const dialog = new Correction(client, which);
  dialog.open();
}

class Correction {
  /** @param {ConsoleClient} client @param {Which} which */
  constructor(client, which) {
    this.client = client;
    this.which = which;
    /** The number that the round was settled on, once it is known. @type {string | null} */
    this.was = null;
    /** @type {string | null} */
    this.chosen = null;
    /** Whether the preview of the chosen number is shown. */
    this.previewed = false;
    this.pad = numberPad({ label: "The true number, in felt order", pick: (pocket) => this.#pick(pocket) });
    this.settled = el("p", { class: "settled" });
    this.outcome = correctionPreview(client, el("p", { class: "none" }, PICK), (response) =>
      this.#showPreview(response),
    );
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
    this.dialog = openDialog({
      name: CORRECTION,
      title: `Correct the number of round ${round} at ${table}`,
      light: false,
      body: [
        el("div", { class: "choice" }, this.pad.node, made),
        this.outcome.node,
        el("p", { class: "dual" }, CORRECTION_SIGNATURES),
        this.reply,
      ],
      foot: [button("Leave it", () => this.dialog?.close()), this.sign],
      update: () => this.#draw(),
    });
    this.#draw();
    this.#findSettled();
  }

  #draw() {
    const { table } = this.which;
    this.pad.update(this.client.felt(table), this.chosen, this.was);
    text(this.settled, `The round was settled on ${this.was}.`);
    shown(this.settled, this.was !== null);
    const ready = this.chosen !== null && this.chosen !== this.was && this.previewed;
    enabled(this.sign, ready);
    text(this.sign, ready ? `Sign: ${this.was} becomes ${this.chosen}` : "Choose the number");
  }

  /**
   * Find the number that the round was settled on: a preview of any number includes it, or is refused for being the
   * same.
   */
  async #findSettled() {
    const first = this.client.felt(this.which.table)?.wheel[0].pocket ?? "0";
    const response = await this.client.query("preview", { ...this.which, pocket: first });
    if (response.t !== "refused") this.was = response.was;
    else if (response.refusal.code === "numbers_differ") this.was = first;
    else this.#say(response.refusal);
    this.#draw();
  }

  /** @param {string} pocket */
  #pick(pocket) {
    this.chosen = pocket;
    this.#say(null);
    this.outcome.attempt({ ...this.which, pocket });
  }

  /** @param {import("../shared/types/console.js").PreviewResult | null} response */
  #showPreview(response) {
    this.previewed = response !== null;
    this.was = response?.was ?? this.was;
    this.#draw();
  }

  /** @param {import("../shared/types/wire.js").RefusalBody | null} refusal */
  #say(refusal) {
    text(this.reply, refusal ? withClause(refusal) : "");
    shown(this.reply, refusal !== null);
  }

  /** @param {string} words */
  async #send(words) {
    const command = { type: "CorrectResult", ...this.which, pocket: this.chosen, words };
    const { refusal } = await this.client.sendCommand(command);
    if (refusal === null) return this.dialog?.close();
    this.#say(refusal);
  }
}

// Invalidating an outcome for a reason that the rules list, with a preview before it is signed.

const INVALIDATION = "invalidate";
const INVALIDATION_FORM = "invalidate-form";
const NO_REASONS = "The rules of this table list no reason for which an outcome is taken back.";
const INVALIDATION_SIGNATURES =
  "A round that is settled takes two people: you sign here, and somebody else signs it on another device.";

/** Ask for the reason, show the effect, and sign. @param {ConsoleClient} client @param {Which} which */
export function openInvalidation(client, which) {
  const { table, round } = which;
  const reasons = client.felt(table)?.take_back ?? [];
  const reason = el("select", { name: "reason", required: true }, el("option", { value: "" }, "Choose the reason"));
  reason.append(...reasons.map((one) => el("option", { value: one.reason }, `${labelOf(one.reason)} [${one.clause}]`)));
  const suspect = el("input", { name: "suspect", autocomplete: "off", maxlength: 64 });
  const whom = field("Whom it is laid to", suspect);
  const evidence = el("input", { name: "evidence", autocomplete: "off", maxlength: 64 });
  const kept = field("Number of the recording or document", evidence);
  const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const main = el("button", { class: "grave", form: INVALIDATION_FORM, disabled: true }, "Take the outcome back");
  const outcome = correctionPreview(client, "", (response) => enabled(main, response !== null));
  const say = (/** @type {import("../shared/types/wire.js").RefusalBody | null} */ no) => {
    text(reply, no ? withClause(no) : "");
    shown(reply, no !== null);
  };
  const refresh = () => {
    const isFraud = reason.value.startsWith("fraud");
    shown(whom, isFraud);
    shown(kept, isFraud);
    suspect.required = isFraud;
    say(null);
    outcome.attempt(reason.value === "" ? null : { table, round, reason: reason.value });
  };
  const send = async (/** @type {Record<string, string>} */ given) => {
    const command = { type: "InvalidateOutcome", table, round, reason: given.reason, words: given.words.trim() };
    const [suspect, evidence] = [given.suspect?.trim() ?? "", given.evidence?.trim() ?? ""];
    const { refusal } = await client.sendCommand({ ...command, suspect, evidence });
    say(refusal);
    if (refusal === null) dialog.close();
  };
  reason.addEventListener("change", refresh);
  const made = form(
    { class: "fields", id: INVALIDATION_FORM },
    (given) => pressOnce(main, () => send(given)),
    field("Reason", reason),
    whom,
    kept,
    field("What happened, in plain words", words),
  );
  const dialog = openDialog({
    name: INVALIDATION,
    title: `Take back the outcome of round ${round} at ${table}`,
    light: false,
    body:
      reasons.length > 0
        ? [made, outcome.node, el("p", { class: "dual" }, INVALIDATION_SIGNATURES), reply]
        : [NO_REASONS],
    foot: [button("Leave it", () => dialog.close()), main],
  });
  shown(whom, false);
}
