// Correcting a result and invalidating an outcome.

import { refusalText } from "../console/forms.js";
import { figure, worded } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { numberPad } from "../shared/pocket.js";
import { button, field, form, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { CorrectionPreview } from "./correction_preview.js";
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
    this.busy = false;
    /** @type {import("../console/forms.js").Answer["refusal"]} */
    this.refusal = null;
    this.preview = new CorrectionPreview(client, (response) => this.#showPreview(response));
  }

  open() {
    const { table, round } = this.which;
    this.dialog = openDialog({
      name: CORRECTION,
      title: say("correct.title", { table, round: figure(round) }),
      light: false,
      body: () => this.#body(),
      foot: () => this.#foot(),
      closed: () => this.preview.end(),
    });
    void this.#findSettled();
  }

  #body() {
    const { was, chosen } = this;
    return [
      h(
        "div",
        { class: "choice" },
        numberPad({
          name: "corrected",
          label: say("correct.pad"),
          felt: this.client.felt(this.which.table),
          chosen,
          shut: was,
          pick: (pocket) => this.#pick(pocket),
        }),
        form(
          { class: "fields", id: CORRECTION_FORM },
          ({ words }) => void this.#send(words.trim()),
          was !== null && h("p", { class: "settled" }, say("correct.settled", { pocket: was })),
          reasonField(say("correct.words")),
        ),
      ),
      this.preview.draw(h("p", { class: "none" }, say("correct.pick"))),
      h("p", { class: "dual" }, say("correct.dual")),
      refusalText(this.refusal),
    ];
  }

  #foot() {
    const { was, chosen } = this;
    const isReady = chosen !== null && chosen !== was && this.previewed;
    return [
      button(say("form.leave"), () => this.dialog?.close()),
      h(
        "button",
        { class: "main", form: CORRECTION_FORM, disabled: !isReady || this.busy },
        isReady ? say("correct.sign", { was: was ?? "", pocket: chosen }) : say("pit-field.choose-number"),
      ),
    ];
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
    else this.refusal = response.refusal;
    this.dialog?.redraw();
  }

  /** @param {string} pocket */
  #pick(pocket) {
    this.chosen = pocket;
    this.refusal = null;
    this.preview.attempt({ ...this.which, pocket });
  }

  /** @param {import("../shared/types/console.js").PreviewResult | null} response */
  #showPreview(response) {
    this.previewed = response !== null;
    this.was = response?.was ?? this.was;
    this.dialog?.redraw();
  }

  /** @param {string} words */
  async #send(words) {
    if (this.busy) return;
    this.busy = true;
    this.dialog?.redraw();
    const command = { type: "CorrectResult", ...this.which, pocket: this.chosen, words };
    const { refusal } = await this.client.sendCommand(command);
    this.busy = false;
    this.refusal = refusal;
    if (refusal === null) this.dialog?.close();
    else this.dialog?.redraw();
  }
}

/** A field for a reason in words. @param {string} label */
const reasonField = (label) => field(label, h("textarea", { name: "words", required: true, maxlength: 500, rows: 3 }));

// Invalidating an outcome for a reason that the rules list, with a preview before it is signed.

const INVALIDATION = "invalidate";
const INVALIDATION_FORM = "invalidate-form";

/** Ask for the reason, show the effect, and sign. @param {ConsoleClient} client @param {Which} which */
export function openInvalidation(client, which) {
  const { table, round } = which;
  const reasons = client.felt(table)?.take_back ?? [];
  let [reason, isPreviewed, isBusy] = ["", false, false];
  /** @type {import("../console/forms.js").Answer["refusal"]} */
  let refusal = null;
  const preview = new CorrectionPreview(client, (response) => {
    isPreviewed = response !== null;
    dialog.redraw();
  });
  const choose = (/** @type {{target: HTMLSelectElement}} */ { target }) => {
    reason = target.value;
    refusal = null;
    preview.attempt(reason === "" ? null : { table, round, reason });
  };
  const send = async (/** @type {Record<string, string>} */ { words, suspect = "", evidence = "" }) => {
    if (isBusy) return;
    isBusy = true;
    dialog.redraw();
    const given = { reason, words: words.trim(), suspect: suspect.trim(), evidence: evidence.trim() };
    ({ refusal } = await client.sendCommand({ type: "InvalidateOutcome", table, round, ...given }));
    isBusy = false;
    if (refusal === null) dialog.close();
    else dialog.redraw();
  };
  const name = { autocomplete: "off", maxlength: 64 };
  const option = (/** @type {{reason: string, clause: string}} */ one) =>
    h("option", { value: one.reason, key: one.reason }, `${worded("reason.", one.reason)} ${clauseMark(one.clause)}`);
  const dialog = openDialog({
    name: INVALIDATION,
    title: say("invalidate.title", { table, round: figure(round) }),
    light: false,
    body: () =>
      reasons.length === 0 ? say("invalidate.no-reasons") : [
        form(
          { class: "fields", id: INVALIDATION_FORM },
          (given) => void send(given),
          field(
            say("invalidate.reason"),
            h(
              "select",
              { name: "reason", required: true, value: reason, change: choose },
              h("option", { value: "" }, say("pit-field.choose-reason")),
              reasons.map(option),
            ),
          ),
          reason.startsWith("fraud") && [
            field(say("invalidate.suspect"), h("input", { name: "suspect", required: true, ...name })),
            field(say("invalidate.evidence"), h("input", { name: "evidence", required: true, ...name })),
          ],
          reasonField(say("invalidate.words")),
        ),
        preview.draw(null),
        h("p", { class: "dual" }, say("invalidate.dual")),
        refusalText(refusal),
      ],
    foot: () => [
      button(say("form.leave"), () => dialog.close()),
      h(
        "button",
        { class: "grave", form: INVALIDATION_FORM, disabled: !isPreviewed || isBusy },
        say("invalidate.does"),
      ),
    ],
    closed: () => preview.end(),
  });
}
