// Correcting a result and invalidating an outcome.

import { pressOnce, refusalLine } from "../console/forms.js";
import { figure, worded } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, enabled, field, form, shown, text } from "../shared/dom.js";
import { numberPad } from "../shared/pocket.js";
import { say } from "../shared/text.js";
import { correctionPreview } from "./correction_preview.js";
import { clauseMark } from "../shared/clause.js";

/** @typedef {import("../console/client.js").ConsoleClient} ConsoleClient */

/** @typedef {{table: string, round: number}} Which */

const CORRECTION = "correction";
const CORRECTION_FORM = "correction-form";

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
    this.pad = numberPad({ label: say("correct.pad"), pick: (pocket) => this.#pick(pocket) });
    this.settled = el("p", { class: "settled" });
    this.outcome = correctionPreview(
      client,
      el("p", { class: "none" }, say("correct.pick")),
      (response) => this.#showPreview(response),
    );
    this.reply = refusalLine();
    this.sign = el("button", { class: "main", form: CORRECTION_FORM, disabled: true }, say("pit-field.choose-number"));
  }

  open() {
    const { table, round } = this.which;
    const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
    const why = el("label", { class: "field" }, el("span", {}, say("correct.words")), words);
    const send = (/** @type {{words: string}} */ { words: given }) =>
      pressOnce(this.sign, () => this.#send(given.trim()));
    const made = form({ class: "fields", id: CORRECTION_FORM }, send, this.settled, why);
    this.dialog = openDialog({
      name: CORRECTION,
      title: say("correct.title", { table, round: figure(round) }),
      light: false,
      body: [
        el("div", { class: "choice" }, this.pad.node, made),
        this.outcome.node,
        el("p", { class: "dual" }, say("correct.dual")),
        this.reply.node,
      ],
      foot: [button(say("form.leave"), () => this.dialog?.close()), this.sign],
      update: () => this.#draw(),
    });
    this.#draw();
    this.#findSettled();
  }

  #draw() {
    const { table } = this.which;
    this.pad.update(this.client.felt(table), this.chosen, this.was);
    text(this.settled, say("correct.settled", { pocket: this.was ?? "" }));
    shown(this.settled, this.was !== null);
    const ready = this.chosen !== null && this.chosen !== this.was && this.previewed;
    enabled(this.sign, ready);
    text(
      this.sign,
      ready ? say("correct.sign", { was: this.was ?? "", pocket: this.chosen ?? "" }) : say("pit-field.choose-number"),
    );
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
    else this.reply.update(response.refusal);
    this.#draw();
  }

  /** @param {string} pocket */
  #pick(pocket) {
    this.chosen = pocket;
    this.reply.update(null);
    this.outcome.attempt({ ...this.which, pocket });
  }

  /** @param {import("../shared/types/console.js").PreviewResult | null} response */
  #showPreview(response) {
    this.previewed = response !== null;
    this.was = response?.was ?? this.was;
    this.#draw();
  }

  /** @param {string} words */
  async #send(words) {
    const command = { type: "CorrectResult", ...this.which, pocket: this.chosen, words };
    const { refusal } = await this.client.sendCommand(command);
    if (refusal === null) return this.dialog?.close();
    this.reply.update(refusal);
  }
}

// Invalidating an outcome for a reason that the rules list, with a preview before it is signed.

const INVALIDATION = "invalidate";
const INVALIDATION_FORM = "invalidate-form";

/** Ask for the reason, show the effect, and sign. @param {ConsoleClient} client @param {Which} which */
export function openInvalidation(client, which) {
  const { table, round } = which;
  const reasons = client.felt(table)?.take_back ?? [];
  const reason = el(
    "select",
    { name: "reason", required: true },
    el("option", { value: "" }, say("pit-field.choose-reason")),
  );
  reason.append(
    ...reasons.map((one) =>
      el("option", { value: one.reason }, `${worded("reason.", one.reason)} ${clauseMark(one.clause)}`)
    ),
  );
  const suspect = el("input", { name: "suspect", autocomplete: "off", maxlength: 64 });
  const whom = field(say("invalidate.suspect"), suspect);
  const evidence = el("input", { name: "evidence", autocomplete: "off", maxlength: 64 });
  const kept = field(say("invalidate.evidence"), evidence);
  const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
  const reply = refusalLine();
  const main = el("button", { class: "grave", form: INVALIDATION_FORM, disabled: true }, say("invalidate.does"));
  const outcome = correctionPreview(client, "", (response) => enabled(main, response !== null));
  const refresh = () => {
    const isFraud = reason.value.startsWith("fraud");
    shown(whom, isFraud);
    shown(kept, isFraud);
    suspect.required = isFraud;
    reply.update(null);
    outcome.attempt(reason.value === "" ? null : { table, round, reason: reason.value });
  };
  const send = async (/** @type {Record<string, string>} */ given) => {
    const command = { type: "InvalidateOutcome", table, round, reason: given.reason, words: given.words.trim() };
    const [suspect, evidence] = [given.suspect?.trim() ?? "", given.evidence?.trim() ?? ""];
    const { refusal } = await client.sendCommand({ ...command, suspect, evidence });
    reply.update(refusal);
    if (refusal === null) dialog.close();
  };
  reason.addEventListener("change", refresh);
  const made = form(
    { class: "fields", id: INVALIDATION_FORM },
    (given) => pressOnce(main, () => send(given)),
    field(say("invalidate.reason"), reason),
    whom,
    kept,
    field(say("invalidate.words"), words),
  );
  const dialog = openDialog({
    name: INVALIDATION,
    title: say("invalidate.title", { table, round: figure(round) }),
    light: false,
    body: reasons.length > 0
      ? [made, outcome.node, el("p", { class: "dual" }, say("invalidate.dual")), reply.node]
      : [say("invalidate.no-reasons")],
    foot: [button(say("form.leave"), () => dialog.close()), main],
  });
  shown(whom, false);
}
