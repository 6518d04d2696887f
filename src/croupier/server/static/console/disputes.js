// Disputes: the list, the details of one, and the actions on it.

import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { valueOf } from "../felt/pieces.js";
import { openNewDispute } from "./dispute_form.js";
import { openDocument, openReplay } from "./documents.js";
import { openForm, pressOnce, refusalText } from "./forms.js";
import { dateOf, worded } from "./text.js";
import { ruleLink, rulesAt, saveBundle } from "./widgets.js";

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
  if (which.dispute === undefined && which.round !== undefined) dialog.begin();
}

class DisputesDialog {
  /** @param {ConsoleClient} client @param {Which} which */
  constructor(client, which) {
    this.client = client;
    this.which = which;
    /** What was found, once it has come. @type {Dispute[] | null} */
    this.found = null;
    /** Whether there are older ones. */
    this.hasMore = false;
    /** @type {number | null} */
    this.chosen = which.dispute ?? null;
    /** Why something was not done, or what went wrong with a file. @type {{no?: Refusal | null, says?: string}} */
    this.reply = {};
    /** The pending disputes as text: a change loads the list again. */
    this.known = this.#waiting();
    this.dialog = openDialog({
      name: "disputes",
      title: say("dispute.title"),
      look: "wide",
      body: () => this.#tree(),
      foot: () => [
        button(say("dispute.begin"), () => this.begin()),
        button(say("document.close"), () => this.dialog.close()),
      ],
      update: () => this.#update(),
    });
    void this.ask();
  }

  /** Open a new dispute and select it. */
  begin() {
    openNewDispute(this.client, this.which, () => {
      this.chosen = null;
      void this.ask();
    });
  }

  #update() {
    const known = this.#waiting();
    if (known === this.known) return;
    this.known = known;
    void this.ask();
  }

  /** The pending disputes. */
  #waiting() {
    return JSON.stringify(this.client.view.floor?.needs?.filter(({ kind }) => kind === "dispute") ?? []);
  }

  /** @param {number} [before] only older ones */
  async ask(before) {
    const response = await this.client.query("disputes", before === undefined ? {} : { before });
    if (!this.dialog.node.open) return;
    if (response.t === "refused") return this.#show({ reply: { no: response.refusal } });
    const found = before === undefined ? response.disputes : [...(this.found ?? []), ...response.disputes];
    const isKnown = found.some(({ dispute }) => dispute === this.chosen);
    const chosen = isKnown ? this.chosen : (found[0]?.dispute ?? null);
    this.#show({ found, hasMore: response.more, chosen, reply: {} });
  }

  /** @param {Partial<Pick<DisputesDialog, "found" | "hasMore" | "chosen" | "reply">>} news */
  #show(news) {
    Object.assign(this, news);
    this.dialog.redraw();
  }

  #tree() {
    const { found, reply } = this;
    const chosen = found?.find(({ dispute }) => dispute === this.chosen);
    const line = (/** @type {Dispute} */ { dispute, table, round, state }) =>
      h(
        "li",
        { key: dispute },
        button(
          say("dispute.line", { n: dispute, table, round, state: say(`dispute-state.${state}`) }),
          () => this.#show({ chosen: dispute, reply: {} }),
          { "aria-pressed": String(dispute === this.chosen) },
        ),
      );
    return [
      h(
        "div",
        { class: "disputes" },
        h(
          "div",
          { class: "dispute-side" },
          h("ol", { class: "dispute-list", "aria-label": say("dispute.newest") }, found?.map(line)),
          found?.length === 0 && h("p", { class: "none" }, say("dispute.none")),
          this.hasMore && button(say("dispute.older"), () => this.ask(found?.at(-1)?.dispute), { class: "small" }),
        ),
        h("div", { class: "dispute-shown" }, chosen && this.#card(chosen)),
      ),
      reply.says ? h("p", { class: "reply", role: "alert" }, reply.says) : refusalText(reply.no),
    ];
  }

  /** @param {Dispute} dispute */
  #card(dispute) {
    return disputeCard(this.client, dispute, {
      done: () => void this.ask(),
      say: (no) => this.#show({ reply: { no } }),
      report: (says) => this.#show({ reply: { says } }),
    });
  }
}

// The details of a dispute: subject, frozen evidence, history and next actions.

/**
 * @typedef {{done: () => void, say: (no: Refusal | null) => void, report: (words: string) => void}} Callbacks
 */

/** @param {ConsoleClient} client @param {Dispute} dispute @param {Callbacks} then */
function disputeCard(client, dispute, then) {
  const { table, round, rule, basis, clause, words } = dispute;
  const rules = dispute.evidence?.rulebook ?? rulesAt(client, table);
  const stands = say(`dispute-basis.${basis}`);
  return h(
    "article",
    { class: "dispute", "aria-label": say("dispute.name", { n: dispute.dispute }), key: dispute.dispute },
    h("p", { class: "disputed" }, words),
    h(
      "p",
      null,
      `${say("dispute.at", { round, table, basis: stands })} `,
      ruleLink(rules, clause),
      rule && rule !== clause && [` · ${say("dispute.rule")} `, ruleLink(rules, rule)],
    ),
    dispute.memorandum && h("p", null, say("dispute.memorandum", { words: dispute.memorandum })),
    h("h3", null, say("dispute.evidence")),
    evidence(client, dispute),
    evidenceButtons(client, dispute, then),
    h("h3", null, say("dispute.so-far")),
    historyOf(dispute),
    actionButtons(client, dispute, then),
  );
}

/** @param {ConsoleClient} client @param {Dispute} dispute */
function evidence(client, { evidence: frozen, table, terminal, position, player }) {
  if (frozen === null) return h("p", null, say("dispute.journal-only"));
  const write = (/** @type {number | null} */ cents) => client.amount(cents, table);
  /** @type {[string, string][]} */
  const rows = [
    [
      say("dispute.round"),
      say("dispute.opened-at", { status: say(`round-status.${frozen.status}`), time: dateOf(frozen.opened_at_us) }),
    ],
    [
      say("dispute.number"),
      [
        frozen.pocket ?? say("dispute.no-number"),
        ...frozen.corrected.map((pocket) => say("dispute.before", { pocket })),
      ].join(", "),
    ],
    [
      say("dispute.all-seats"),
      say("dispute.seats-line", { n: frozen.seats, staked: write(frozen.staked), returned: write(frozen.returned) }),
    ],
  ];
  if (terminal !== null) {
    const chips = Object.entries(frozen.stakes).map(([spot, cents]) =>
      say("dispute.on", { amount: write(cents), spot })
    );
    rows.push([
      terminal,
      say("dispute.back", { chips: chips.join(", ") || say("dispute.no-chips"), amount: write(frozen.paid) }),
    ]);
  }
  if (frozen.players !== null) rows.push([say("dispute.players"), String(frozen.players)]);
  if (position !== null) {
    const pieces = Object.entries(frozen.pieces).flatMap(([spot, chips]) =>
      Object.entries(chips).map(([chip, count]) =>
        say("dispute.pieces", { n: count, chip: chipText(chip, write), spot })
      )
    );
    const due = frozen.payments.map(({ segment, amount, made }) =>
      say(made ? "dispute.paid" : "dispute.unpaid", { amount: write(amount), segment })
    );
    rows.push([
      player || say("dispute.position", { n: position }),
      [pieces.join(", ") || say("dispute.no-chips"), due.join(", ") || say("dispute.nothing-due")].join("; "),
    ]);
  }
  const lines = rows.map(([name, says]) => h("div", null, h("dt", null, name), h("dd", null, says)));
  const digests = h(
    "div",
    { class: "digest" },
    h("dt", null, say("dispute.digest")),
    h("dd", null, h("code", null, frozen.digest)),
  );
  return h("dl", { class: "facts evidence" }, ...lines, digests);
}

/** A chip in words: a colour, or the amount on a value chip. @param {string} chip @param {(cents: number) => string} write */
function chipText(chip, write) {
  const cents = valueOf(chip);
  return cents === null ? chip : write(cents);
}

/** @param {ConsoleClient} client @param {Dispute} dispute @param {Callbacks} then */
function evidenceButtons(client, { dispute, table, round, terminal }, { report }) {
  return h(
    "div",
    { class: "dispute-looks" },
    button(say("dispute.replay"), () => openReplay(client, { table, round, terminal })),
    button(say("dispute.print"), () => openDocument(client, { type: "dispute_evidence", dispute })),
    button(say("dispute.bundle"), () => saveBundle(client, { table, round }).then(report)),
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
    [opened, say("dispute.opened")],
    [decided, say("dispute.decided", { words: decision })],
    [advised, say("dispute.informed")],
    [review, byHouse ? say("dispute.house-asked") : say("dispute.player-asked")],
    [reviewed, say("dispute.reviewed", { words: outcome })],
    [closed, say(resolved ? "dispute.closed-yes" : "dispute.closed-no")],
  ];
  const lines = actionsDone.flatMap(([done, says]) =>
    done === null
      ? []
      : [h("li", null, h("strong", null, says), h("small", null, ` ${done.person} · ${dateOf(done.at_us)}`))]
  );
  return h("ol", { class: "story" }, ...lines);
}

// The actions on a dispute, as the server offers them for its state and the rules.

/** The inputs of an action. @type {Record<string, () => Field[]>} */
const FIELDS = {
  decide: () => [{ name: "decision", label: say("dispute.decision"), kind: "words" }],
  request_review: () => [{ name: "by_house", label: say("dispute.by-house"), kind: "tick" }],
  record_review: () => [{ name: "outcome", label: say("dispute.outcome"), kind: "words" }],
};

/**
 * One button for each; a button of another duty names that duty.
 * @param {ConsoleClient} client @param {Dispute} dispute @param {{done: () => void, say: (no: Refusal | null) => void}} then
 */
function actionButtons(client, dispute, then) {
  const made = dispute.actions.map((action, place) =>
    actionButton(client, dispute, action, then, place === 0 ? "main" : null)
  );
  return h("div", { class: "dispute-actions", role: "group", "aria-label": say("dispute.can") }, ...made);
}

/** @param {ConsoleClient} client @param {Dispute} dispute @param {Action} action
 * @param {{done: () => void, say: (no: Refusal | null) => void}} then @param {string | null} look */
function actionButton(client, dispute, action, { done, say: reply }, look) {
  const [does, fields] = [worded("dispute-action.", action.label), FIELDS[action.label]?.() ?? []];
  const command = /** @type {object} */ (action.command);
  const isMine = client.hasTitle(action.titles);
  const send = (/** @type {object} */ given) => client.sendCommand({ ...command, ...given });
  const atOnce = async () => {
    const { refusal } = await send({});
    reply(refusal);
    if (refusal === null) done();
  };
  const openActionForm = () =>
    openForm({
      name: "dispute-action",
      title: say("dispute.action-title", { name: say("dispute.name", { n: dispute.dispute }), action: does }),
      about: [h("p", null, dispute.words, " ", ruleLink(rulesAt(client, dispute.table), dispute.clause))],
      fields,
      does,
      send,
      done,
    });
  const press = (/** @type {Event & {currentTarget: Element}} */ { currentTarget: key }) =>
    fields.length === 0 ? pressOnce(key, atOnce) : openActionForm();
  const made = button(does, press, { class: look, disabled: !isMine, key: action.label });
  return isMine ? made : h(
    "span",
    { key: action.label },
    made,
    h("small", null, say("dispute.for", { titles: action.titles.join(", ") })),
  );
}
