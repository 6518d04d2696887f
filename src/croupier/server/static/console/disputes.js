// Disputes: the list, the details of one, and the actions on it.

import { openDialog } from "../shared/dialog.js";
import { button, each, el, marked, shown, text } from "../shared/dom.js";
import { valueOf } from "../felt/pieces.js";
import { openNewDispute } from "./dispute_form.js";
import { openDocument } from "./documents.js";
import { openForm, pressOnce } from "./forms.js";
import { openReplay, saveBundle } from "./replay.js";
import { withClause, dateOf, labelOf } from "./text.js";
import { clauseLink, rulesAt } from "./widgets.js";

/**
 * @typedef {import("../shared/types/console.js").AvailableAction} Action
 * @typedef {import("../shared/types/console.js").SignedAction} SignedAction
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").DisputeRow} Dispute
 * @typedef {import("./forms.js").Field} Field
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 */

/**
 * @typedef {{dispute?: number, table?: string, round?: number, terminal?: string}} Which
 */

/**
 * Show the disputes: a given one, or the form for a new one where only its round is given.
 * @param {ConsoleClient} client @param {Which} [which]
 */
export function openDisputes(client, which = {}) {
  const dialog = new DisputesDialog(client, which);
  dialog.open();
  if (which.dispute === undefined && which.round !== undefined) dialog.begin();
}

class DisputesDialog {
  /** @param {ConsoleClient} client @param {Which} which */
  constructor(client, which) {
    this.client = client;
    this.which = which;
    /** @type {Dispute[]} */
    this.found = [];
    /** @type {number | null} */
    this.chosen = which.dispute ?? null;
    /** The pending disputes as text: a change reloads the list. */
    this.known = this.#waiting();
    this.list = el("ol", { class: "dispute-list", "aria-label": "Disputes, the newest first" });
    this.older = button("Older disputes", () => this.ask(this.found.at(-1)?.dispute), { class: "small", hidden: true });
    this.none = el("p", { class: "none" }, "Nobody has disputed anything here.");
    this.shown = el("div", { class: "dispute-shown" });
    this.reply = el("p", { class: "reply", role: "alert", hidden: true });
  }

  open() {
    const left = el("div", { class: "dispute-side" }, this.list, this.none, this.older);
    this.dialog = openDialog({
      name: "disputes",
      title: "Disputes",
      look: "wide",
      body: [el("div", { class: "disputes" }, left, this.shown), this.reply],
      foot: [button("Open a dispute…", () => this.begin()), button("Close", () => this.dialog?.close())],
      update: () => this.#update(),
    });
    shown(this.none, false);
    this.ask();
  }

  /** Open a new dispute and select it. */
  begin() {
    openNewDispute(this.client, this.which, () => {
      this.chosen = null;
      this.ask();
    });
  }

  #update() {
    const known = this.#waiting();
    if (known === this.known) return;
    this.known = known;
    this.ask();
  }

  /** The pending disputes. */
  #waiting() {
    return JSON.stringify(this.client.view.floor?.needs?.filter(({ kind }) => kind === "dispute") ?? []);
  }

  /** @param {number} [before] only older ones */
  async ask(before) {
    const response = await this.client.query("disputes", before === undefined ? {} : { before });
    if (!this.dialog?.node.open) return;
    if (response.t === "refused") return this.#say(withClause(response.refusal));
    this.found = before === undefined ? response.disputes : [...this.found, ...response.disputes];
    shown(this.older, response.more);
    const newest = this.found[0]?.dispute ?? null;
    const isKnown = this.found.some(({ dispute }) => dispute === this.chosen);
    this.chosen = isKnown ? this.chosen : newest;
    this.#draw();
  }

  #draw() {
    const press = (/** @type {Dispute} */ { dispute }) =>
      el(
        "li",
        {},
        button("", () => ((this.chosen = dispute), this.#draw())),
      );
    each(
      this.list,
      this.found,
      ({ dispute }) => dispute,
      press,
      (line, one) => {
        const key = /** @type {HTMLElement} */ (line.firstElementChild);
        text(key, `${one.dispute} · ${one.table}, round ${one.round} · ${labelOf(one.state)}`);
        marked(key, "aria-pressed", String(one.dispute === this.chosen));
      },
    );
    shown(this.none, this.found.length === 0);
    const chosen = this.found.find(({ dispute }) => dispute === this.chosen);
    this.#say("");
    this.shown.replaceChildren(...(chosen ? [this.#card(chosen)] : []));
  }

  /** @param {Dispute} dispute */
  #card(dispute) {
    const report = (/** @type {string} */ words) => this.#say(words);
    return disputeCard(this.client, dispute, {
      done: () => this.ask(),
      say: (no) => report(no ? withClause(no) : ""),
      report,
    });
  }

  /** @param {string} words */
  #say(words) {
    text(this.reply, words);
    shown(this.reply, words !== "");
  }
}

// The details of a dispute: subject, frozen evidence, history and next actions.

/**
 * @typedef {{done: () => void, say: (no: Refusal | null) => void, report: (words: string) => void}} Callbacks
 */

/** @type {Record<string, string>} */
const BASES = { not_covered: "the rules do not cover it", from_rules: "it arises from a rule" };

/** @param {ConsoleClient} client @param {Dispute} dispute @param {Callbacks} then */
function disputeCard(client, dispute, then) {
  const { table, round, rule, basis, clause, words } = dispute;
  const rules = dispute.evidence?.rulebook ?? rulesAt(client, table);
  const stands = BASES[basis] ?? basis;
  return el(
    "article",
    { class: "dispute", "aria-label": `Dispute ${dispute.dispute}` },
    el("p", { class: "disputed" }, words),
    el(
      "p",
      {},
      `Round ${round} at ${table}: ${stands} `,
      clauseLink(rules, clause),
      ...(rule && rule !== clause ? [" · rule ", clauseLink(rules, rule)] : []),
    ),
    dispute.memorandum ? el("p", {}, `Memorandum on disputes: ${dispute.memorandum}`) : null,
    el("h3", {}, "Evidence, frozen when the dispute was opened"),
    evidence(client, dispute),
    evidenceButtons(client, dispute, then),
    el("h3", {}, "So far"),
    historyOf(dispute),
    actionButtons(client, dispute, then),
  );
}

/** @param {ConsoleClient} client @param {Dispute} dispute */
function evidence(client, { evidence: frozen, table, terminal, position, player }) {
  if (frozen === null) return el("p", {}, "Only the journal still has this round whole: the bundle has it.");
  const write = (/** @type {number | null} */ cents) => client.amount(cents, table);
  /** @type {[string, string][]} */
  const rows = [
    ["Round", `${labelOf(frozen.status)}, opened ${dateOf(frozen.opened_at_us)}`],
    ["Number", [frozen.pocket ?? "none", ...frozen.corrected.map((one) => `before: ${one}`)].join(", ")],
    ["All seats", `${frozen.seats} seats, ${write(frozen.staked)} staked, ${write(frozen.returned)} came back`],
  ];
  if (terminal !== null) {
    const chips = Object.entries(frozen.stakes).map(([spot, cents]) => `${write(cents)} on ${spot}`);
    rows.push([terminal, `${chips.join(", ") || "no chips"}; ${write(frozen.paid)} came back`]);
  }
  if (frozen.players !== null) rows.push(["Players with chips", String(frozen.players)]);
  if (position !== null) {
    const pieces = Object.entries(frozen.pieces).flatMap(([spot, chips]) =>
      Object.entries(chips).map(([chip, count]) => `${count} × ${chipText(chip, write)} on ${spot}`),
    );
    const due = frozen.payments.map(({ segment, amount, made }) => `${write(amount)} for ${segment} ${made ? "paid" : "not paid yet"}`);
    rows.push([player || `Position ${position}`, [pieces.join(", ") || "no chips", due.join(", ") || "nothing due"].join("; ")]);
  }
  const lines = rows.map(([name, says]) => el("div", {}, el("dt", {}, name), el("dd", {}, says)));
  const digests = el("div", { class: "digest" }, el("dt", {}, "Digest"), el("dd", {}, el("code", {}, frozen.digest)));
  return el("dl", { class: "facts evidence" }, ...lines, digests);
}

/** A chip in words: a colour, or the amount on a value chip. @param {string} chip @param {(cents: number) => string} write */
function chipText(chip, write) {
  const cents = valueOf(chip);
  return cents === null ? chip : write(cents);
}

/** @param {ConsoleClient} client @param {Dispute} dispute @param {Callbacks} then */
function evidenceButtons(client, { dispute, table, round, terminal }, { report }) {
  return el(
    "div",
    { class: "dispute-looks" },
    button("Replay the round", () => openReplay(client, { table, round, terminal })),
    button("Print the evidence…", () => openDocument(client, { type: "dispute_evidence", dispute })),
    button("Save the signed bundle", () => saveBundle(client, { table, round }).then(report)),
  );
}

/** @param {Dispute} dispute */
function historyOf(dispute) {
  const {
    opened,
    decided,
    decision,
    advised,
    review,
    review_by_house: byHouse,
    reviewed,
    outcome,
    closed,
    resolved,
  } = dispute;
  /** @type {[SignedAction | null, string][]} */
  const actionsDone = [
    [opened, "Opened"],
    [decided, `Decided: ${decision}`],
    [advised, "The complainant was informed of the right to consult an officer"],
    [review, byHouse ? "The house asked for a review" : "The player asked for a review"],
    [reviewed, `Reviewed: ${outcome}`],
    [closed, resolved ? "Closed: resolved" : "Closed: not resolved"],
  ];
  const lines = actionsDone.flatMap(([done, says]) =>
    done === null
      ? []
      : [el("li", {}, el("strong", {}, says), el("small", {}, ` ${done.person} · ${dateOf(done.at_us)}`))],
  );
  return el("ol", { class: "story" }, ...lines);
}

// The actions on a dispute, as the server offers them for its state and the rules.

/** The label and the inputs of each action. @type {Record<string, {does: string, fields?: Field[]}>} */
const ACTIONS = {
  decide: { does: "Decide it", fields: [{ name: "decision", label: "The house's decision", kind: "words" }] },
  advise: { does: "The complainant was advised" },
  request_review: {
    does: "Ask for a review",
    fields: [{ name: "by_house", label: "The house asks, not the player", kind: "tick" }],
  },
  record_review: {
    does: "Record the review",
    fields: [{ name: "outcome", label: "The reviewer's outcome", kind: "words" }],
  },
  close_resolved: { does: "Close: resolved" },
  close_unresolved: { does: "Close: not resolved" },
};

/**
 * One button for each; a button of another duty names that duty.
 * @param {ConsoleClient} client @param {Dispute} dispute @param {{done: () => void, say: (no: Refusal | null) => void}} then
 */
function actionButtons(client, dispute, then) {
  const made = dispute.actions.map((action, place) =>
    actionButton(client, dispute, action, then, place === 0 ? "main" : null),
  );
  return el("div", { class: "dispute-actions", role: "group", "aria-label": "What can be done now" }, ...made);
}

/** @param {ConsoleClient} client @param {Dispute} dispute @param {Action} action
 * @param {{done: () => void, say: (no: Refusal | null) => void}} then @param {string | null} look */
function actionButton(client, dispute, action, { done, say }, look) {
  const { does, fields = [] } = ACTIONS[action.label] ?? { does: action.label };
  const command = /** @type {object} */ (action.command);
  const isMine = client.hasTitle(action.titles);
  const send = (/** @type {object} */ given) => client.sendCommand({ ...command, ...given });
  const atOnce = async () => {
    const { refusal } = await send({});
    say(refusal);
    if (refusal === null) done();
  };
  const openActionForm = () =>
    openForm({
      name: "dispute-action",
      title: `Dispute ${dispute.dispute}: ${does.toLowerCase()}`,
      about: [withClause({ says: dispute.words, clause: dispute.clause })],
      fields,
      does,
      send,
      done,
    });
  const press = (/** @type {Event & {currentTarget: Element}} */ { currentTarget: key }) =>
    fields.length === 0 ? pressOnce(key, atOnce) : openActionForm();
  const made = button(does, press, { class: look, disabled: !isMine });
  return isMine ? made : el("span", {}, made, el("small", {}, `for ${action.titles.join(" or ")}`));
}
