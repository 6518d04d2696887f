// The auditor console: four answers first, then hold beside chance, reports, meters, clauses and the journal. It changes nothing.

import { openConsole } from "../console/console.js";
import { openDisputes } from "../console/disputes.js";
import { reportBar } from "../console/documents.js";
import { pressOnce } from "../console/forms.js";
import { holdChart, verdictOf } from "../console/hold.js";
import { Journal } from "../console/journal.js";
import { figure, refusedText, timeOf } from "../console/text.js";
import { bytesOf, factList, save } from "../console/widgets.js";
import { button, field, form, h, icon } from "../shared/render.js";
import { say, tableName } from "../shared/text.js";
import { Clauses } from "./clauses.js";
import { Meters } from "./meters.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/client.js").Refusal} Refusal
 * @typedef {import("../shared/render.js").Child} Child
 * @typedef {import("../shared/types/console.js").VerificationResult} Verified
 */

/** How often the disputes are asked for. */
const DISPUTES_MS = 10_000;

/** @param {ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function auditor(client) {
  const audit = new Audit(client);
  const meters = new Meters(client);
  const clauses = new Clauses(client);
  const journal = new Journal(client, { about: "significant" });
  return {
    title: () => say("auditor.title"),
    pills: (
      { tables },
    ) => [{ key: "tables", says: say("auditor.tables", { n: Object.keys(tables).length }), look: "calm" }],
    changed: (view) => {
      audit.changed();
      clauses.changed(view);
    },
    parts: [
      () => answers(client, audit, meters),
      () =>
        h(
          "section",
          { class: "card reports", "aria-label": say("report.title") },
          h("h2", null, say("report.title")),
          reportBar(client),
          exportForm(audit),
        ),
      () =>
        h(
          "section",
          { class: "card chances", "aria-label": say("audit.chart") },
          h("h2", null, say("audit.chart")),
          holdChart(
            client,
            client.ordered(Object.keys(client.view.tables)).map((table) => [table, tableName(table)]),
          ),
          h("p", { class: "quiet" }, say("audit.chart-about")),
        ),
      () => meters.draw(),
      () => clauses.draw(),
      (view) => h("section", { class: "card journal" }, h("h2", null, say("journal.title")), journal.draw(view)),
    ],
  };
}

// What an auditor has asked for, and what came of it.

class Audit {
  /** @type {Verified | null} */
  verified = null;
  /** When the journal was read. */
  readAt = "";
  isReading = false;
  /** Why the journal was not read. @type {Refusal | null} */
  refusal = null;
  /** How many disputes are not closed; null until it is known. @type {number | null} */
  disputes = null;
  /** What became of the last export. */
  exported = { text: "", isRefused: false };
  /** Whose answers these are. @type {string | null} */
  #reader = null;

  /** @param {ConsoleClient} client */
  constructor(client) {
    this.client = client;
    setInterval(() => void this.#countDisputes(), DISPUTES_MS);
  }

  changed() {
    const reader = this.client.who?.person ?? null;
    if (reader === this.#reader) return;
    this.#reader = reader;
    Object.assign(this, { verified: null, refusal: null, disputes: null, exported: { text: "", isRefused: false } });
    void this.#countDisputes();
  }

  async #countDisputes() {
    if (this.client.who === null || document.hidden) return;
    const response = await this.client.query("disputes");
    if (response.t === "disputes") {
      this.disputes =
        response.disputes.filter((/** @type {import("../shared/types/console.js").DisputeRow} */ { closed }) =>
          closed === null
        ).length;
    }
    this.client.session.redraw();
  }

  /** Read the journal from the first entry to the last, while the house is open. */
  async verify() {
    this.#set({ isReading: true });
    const response = await this.client.query("verify");
    const isRefused = response.t === "refused";
    const readAt = timeOf(this.client.session.now() ?? 0);
    this.#set({
      isReading: false,
      readAt,
      verified: isRefused ? null : response,
      refusal: isRefused ? response.refusal : null,
    });
  }

  /** Save the journal between two entries, in parts. @param {Record<string, string>} range */
  async download({ after: from, before }) {
    const until = before === "" ? {} : { before: Number(before) };
    /** @type {number | null | undefined} */
    let after = Number(from || 0);
    for (let part = 1; after !== null && after !== undefined; part += 1) {
      this.#set({ exported: { text: say("auditor.part", { n: part }), isRefused: false } });
      /** @type {import("../console/client.js").Results["export"] | import("../console/client.js").Refused} */
      const response = await this.client.query("export", { after, ...until });
      if (response.t === "refused") {
        return this.#set({ exported: { text: refusedText(response.refusal), isRefused: true } });
      }
      save({ name: response.name, type: response.type, content: bytesOf(response.content) });
      after = response.more_after;
      const text = say(part > 1 ? "auditor.saved-parts" : "auditor.saved", { name: response.name, n: part });
      this.#set({ exported: { text, isRefused: false } });
    }
  }

  /** @param {Partial<Audit>} changes */
  #set(changes) {
    Object.assign(this, changes);
    this.client.session.redraw();
  }
}

// The four answers: is the journal sound, do the meters add up, which tables are outside chance, which disputes are open.

/** @param {ConsoleClient} client @param {Audit} audit @param {Meters} meters */
function answers(client, audit, meters) {
  return h(
    "ul",
    { class: "answers", "aria-label": say("audit.answers") },
    journalAnswer(audit),
    metersAnswer(meters),
    chanceAnswer(client),
    disputesAnswer(client, audit),
  );
}

/**
 * @param {[name: string, title: string]} question @param {"ok" | "stop" | "warn" | "calm"} look @param {string} answer @param {Child} detail @param {Child} action
 */
const card = ([name, title], look, answer, detail, action) =>
  h(
    "li",
    { class: "card answer", "data-answer": name, "data-look": look },
    h("h2", null, title),
    h(
      "p",
      { class: "verdict", role: "status" },
      icon(look === "ok" ? "check" : look === "calm" ? "session" : "alert"),
      h("b", null, answer),
    ),
    h("div", { class: "detail" }, detail),
    action,
  );

/** @param {Audit} audit */
function journalAnswer(audit) {
  /** @type {[string, string]} */
  const question = ["journal", say("audit.journal")];
  const { verified, refusal, isReading, readAt } = audit;
  const action = button(say("auditor.verify"), () => void audit.verify(), { class: "main", disabled: isReading });
  if (isReading) return card(question, "calm", say("auditor.reading"), null, action);
  if (refusal) return card(question, "warn", refusedText(refusal), null, action);
  if (!verified) return card(question, "calm", say("audit.not-checked"), say("auditor.verify-about"), action);
  const { sound, faults, entries, pages, checkpoints, head, took_ms: took } = verified;
  const facts = factList([
    [say("auditor.read-at"), readAt],
    [say("auditor.entries"), figure(entries)],
    [say("auditor.pages"), figure(pages)],
    [say("auditor.signatures"), checkpoints === 0 ? say("auditor.none-yet") : figure(checkpoints)],
    [say("auditor.head"), head.slice(0, 16)],
    [say("auditor.took"), `${(took / 1000).toFixed(1)} s`],
  ]);
  const detail = [
    h("p", null, sound ? say("auditor.sound") : faults.join(" ")),
    h("details", null, h("summary", null, say("audit.details")), facts),
  ];
  return card(question, sound ? "ok" : "stop", say(sound ? "audit.sound" : "audit.unsound"), detail, action);
}

/** @param {Meters} meters */
function metersAnswer(meters) {
  /** @type {[string, string]} */
  const question = ["meters", say("audit.meters")];
  const { count, short, isReading } = meters;
  const action = button(say("meters.read-all"), () => void meters.readAll(), { disabled: isReading });
  if (meters.refusal) return card(question, "warn", refusedText(meters.refusal), null, action);
  if (count === 0) return card(question, "calm", say("audit.not-checked"), say("meters.unread"), action);
  const facts = { n: count, time: meters.readAt, wrong: short };
  const detail = say(short === 0 ? "meters.all-sound" : "meters.some-short", facts);
  return card(
    question,
    short === 0 ? "ok" : "stop",
    short === 0 ? say("audit.add-up") : say("audit.short", { n: short }),
    detail,
    action,
  );
}

/** @param {ConsoleClient} client */
function chanceAnswer(client) {
  /** @type {[string, string]} */
  const question = ["chance", say("audit.chance")];
  const takings = Object.entries(client.view.floor?.tables ?? {}).flatMap((
    [table, row],
  ) => (row.takings && row.takings.played > 0 ? [{ table, takings: row.takings }] : []));
  const outside = takings.filter((one) => verdictOf(one.takings).look !== "ok");
  const names = outside.map(({ table, takings: some }) => `${tableName(table)}: ${verdictOf(some).short}`).join(
    "; ",
  );
  if (takings.length === 0) return card(question, "calm", say("hold-rate.none"), say("hold-rate.no-round"), null);
  return card(
    question,
    outside.length === 0 ? "ok" : "warn",
    say("audit.outside", { n: outside.length }),
    names || say("audit.all-within", { n: takings.length }),
    null,
  );
}

/** @param {ConsoleClient} client @param {Audit} audit */
function disputesAnswer(client, { disputes }) {
  /** @type {[string, string]} */
  const question = ["disputes", say("audit.disputes")];
  const action = button(say("auditor.disputes-open"), () => openDisputes(client));
  const answer = disputes === null ? "–" : say("audit.open", { n: disputes });
  return card(
    question,
    disputes === null ? "calm" : disputes === 0 ? "ok" : "warn",
    answer,
    say("auditor.disputes-about"),
    action,
  );
}

/** @param {Audit} audit */
function exportForm(audit) {
  const position = (/** @type {string} */ name, /** @type {string} */ label) =>
    field(label, h("input", { name, inputmode: "numeric", pattern: "[0-9]{0,15}", autocomplete: "off" }));
  return [
    form(
      { class: "report-bar", "aria-label": say("auditor.export") },
      (given, node) => void pressOnce(node, () => audit.download(given)),
      position("after", say("auditor.after")),
      position("before", say("auditor.before")),
      h("button", null, say("auditor.export")),
    ),
    audit.exported.text &&
    h("p", { role: "status", class: audit.exported.isRefused ? "reply" : "exported" }, audit.exported.text),
  ];
}

await openConsole("auditor", auditor);
