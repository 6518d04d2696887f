// The auditor console: a read-only view of the journal, documents and meters, and verification of the journal.

import { openConsole } from "../console/console.js";
import { openDisputes } from "../console/disputes.js";
import { reports } from "../console/documents.js";
import { pressOnce } from "../console/forms.js";
import { journalPart } from "../console/journal.js";
import { figure, refusedText, timeOf } from "../console/text.js";
import { bytesOf, save } from "../console/widgets.js";
import { button, el, field, form, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { clauseMatrix } from "./clauses.js";
import { meters } from "./meters.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").VerificationResult} Verified
 */

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export const auditor = (client) => ({
  title: () => say("auditor.title"),
  pills: (view) => [{ key: "tables", says: tablesWords(view), look: "calm" }],
  parts: [
    column([verification(client), reports(client), clauseMatrix(client), disputes(client)]),
    meters(client),
    journalPart(client, { about: "significant" }),
  ],
});

/** @param {import("../shared/store.js").State} view */
function tablesWords({ tables }) {
  const count = Object.keys(tables).length;
  return say("auditor.tables", { n: count });
}

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/client.js").Part} */
const disputes = (client) => ({
  node: el(
    "section",
    { class: "card" },
    el("h2", {}, say("dispute.title")),
    el("p", {}, say("auditor.disputes-about")),
    button(say("auditor.disputes-open"), () => openDisputes(client)),
  ),
  update: () => {},
});

/**
 * Cards in a column.
 * @param {import("../console/client.js").Part[]} parts
 * @returns {import("../console/client.js").Part}
 */
const column = (parts) => ({
  node: el("div", { class: "side" }, ...parts.map(({ node }) => node)),
  update: (view) => parts.forEach((part) => part.update(view)),
});

// Journal verification from the first entry to the last while the house is open, and exports in parts.

/** @param {ConsoleClient} client @returns {import("../console/client.js").Part} */
function verification(client) {
  const node = el(
    "section",
    { class: "card proof" },
    el("h2", {}, say("auditor.journal")),
    verifyForm(client),
    exportForm(client),
  );
  return { node, update: () => {} };
}

/** @param {ConsoleClient} client */
function verifyForm(client) {
  const says = el("p", { role: "status" }, say("auditor.verify-about"));
  const facts = el("dl", { class: "facts" });
  const verify = async () => {
    verifier.disabled = true;
    text(says, say("auditor.reading"));
    facts.replaceChildren();
    const response = await client.query("verify");
    verifier.disabled = false;
    says.className = response.t === "refused" || !response.sound ? "reply" : "sound";
    text(says, response.t === "refused" ? refusedText(response.refusal) : verdict(response));
    if (response.t !== "refused") facts.replaceChildren(...factsOf(response, timeOf(client.session.now() ?? 0)));
  };
  const verifier = button(say("auditor.verify"), () => void verify(), { class: "main" });
  return el("div", { class: "verifying" }, verifier, says, facts);
}

/** @param {Verified} response */
const verdict = ({ sound, faults }) =>
  sound ? say("auditor.sound") : faults.join(" ");

/** @param {Verified} response @param {string} at */
const factsOf = ({ entries, pages, checkpoints, head, took_ms: took }, at) =>
  [
    [say("auditor.read-at"), at],
    [say("auditor.entries"), figure(entries)],
    [say("auditor.pages"), figure(pages)],
    [say("auditor.signatures"), checkpoints === 0 ? say("auditor.none-yet") : figure(checkpoints)],
    [say("auditor.head"), head.slice(0, 16)],
    [say("auditor.took"), `${(took / 1000).toFixed(1)} s`],
  ].flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]);

/** @param {ConsoleClient} client */
function exportForm(client) {
  const says = el("p", { role: "status", hidden: true });
  const saying = (/** @type {string} */ words, /** @type {boolean} */ wrong = false) => {
    text(says, words);
    says.className = wrong ? "reply" : "";
    shown(says, true);
  };
  const packed = async (/** @type {Record<string, string>} */ given) => {
    const before = given.before === "" ? {} : { before: Number(given.before) };
    /** @type {number | null | undefined} */
    let after = Number(given.after || 0);
    for (let part = 1; after !== null && after !== undefined; part += 1) {
      saying(say("auditor.part", { n: part }));
      const response = await client.query("export", { after, ...before });
      if (response.t === "refused") return saying(refusedText(response.refusal), true);
      save({ name: response.name, type: response.type, content: bytesOf(response.content) });
      after = response.more_after;
      saying(say(part > 1 ? "auditor.saved-parts" : "auditor.saved", { name: response.name, n: part }));
    }
  };
  const made = form(
    { class: "row" },
    (given, one) => void pressOnce(one, () => packed(given)),
    position("after", say("auditor.after")),
    position("before", say("auditor.before")),
    el("button", {}, say("auditor.export")),
  );
  return el("div", { class: "exporting" }, made, says);
}

/** @param {string} name @param {string} words */
const position = (name, words) =>
  field(words, el("input", { name, inputmode: "numeric", pattern: "[0-9]{0,15}", autocomplete: "off" }));

await openConsole("auditor", auditor);
