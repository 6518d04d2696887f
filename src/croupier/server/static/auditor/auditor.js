// The auditor console: a read-only view of the journal, documents and meters, and verification of the journal.

import { openConsole } from "../console/console.js";
import { openDisputes } from "../console/disputes.js";
import { reports } from "../console/documents.js";
import { pressOnce } from "../console/forms.js";
import { journalPart } from "../console/journal.js";
import { withClause, timeOf } from "../console/text.js";
import { bytesOf, save } from "../console/widgets.js";
import { button, el, field, form, shown, text } from "../shared/dom.js";
import { clauseMatrix } from "./clauses.js";
import { meters } from "./meters.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").VerificationResult} Verified
 */

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export const auditor = (client) => ({
  title: () => "Auditor",
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
  return count === 1 ? "1 table" : `${count} tables`;
}

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/client.js").Part} */
const disputes = (client) => ({
  node: el(
    "section",
    { class: "card" },
    el("h2", {}, "Disputes"),
    el("p", {}, "With their evidence as it was frozen, the decision and the review."),
    button("Disputes…", () => openDisputes(client)),
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
    el("h2", {}, "The journal"),
    verifyForm(client),
    exportForm(client),
  );
  return { node, update: () => {} };
}

/** @param {ConsoleClient} client */
function verifyForm(client) {
  const says = el("p", { role: "status" }, "Every entry is bound to all before it; this reads them all.");
  const facts = el("dl", { class: "facts" });
  const verify = async () => {
    verifier.disabled = true;
    text(says, "Reading the whole journal…");
    facts.replaceChildren();
    const response = await client.query("verify");
    verifier.disabled = false;
    says.className = response.t === "refused" || !response.sound ? "reply" : "sound";
    text(says, response.t === "refused" ? withClause(response.refusal) : verdict(response));
    if (response.t !== "refused") facts.replaceChildren(...factsOf(response, timeOf(client.session.now() ?? 0)));
  };
  const verifier = button("Verify the journal", () => void verify(), { class: "main" });
  return el("div", { class: "verifying" }, verifier, says, facts);
}

/** @param {Verified} response */
const verdict = ({ sound, faults }) =>
  sound ? "Sound: nothing is missing, changed or out of order." : faults.join(" ");

/** @param {Verified} response @param {string} at */
const factsOf = ({ entries, pages, checkpoints, head, took_ms: took }, at) =>
  [
    ["Read at", at],
    ["Entries", entries.toLocaleString("en")],
    ["Pages", pages.toLocaleString("en")],
    ["Signatures", checkpoints === 0 ? "none yet" : checkpoints.toLocaleString("en")],
    ["Head", head.slice(0, 16)],
    ["Took", `${(took / 1000).toFixed(1)} s`],
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
      saying(`Part ${part} is being signed and packed…`);
      const response = await client.query("export", { after, ...before });
      if (response.t === "refused") return saying(withClause(response.refusal), true);
      save({ name: response.name, type: response.type, content: bytesOf(response.content) });
      after = response.more_after;
      saying(
        `Saved as ${response.name}${part > 1 ? `, the last of ${part} parts` : ""}. It can be verified without us.`,
      );
    }
  };
  const made = form(
    { class: "row" },
    (given, one) => void pressOnce(one, () => packed(given)),
    position("after", "After entry"),
    position("before", "Before entry"),
    el("button", {}, "Download an export"),
  );
  return el("div", { class: "exporting" }, made, says);
}

/** @param {string} name @param {string} words */
const position = (name, words) =>
  field(words, el("input", { name, inputmode: "numeric", pattern: "[0-9]{0,15}", autocomplete: "off" }));

await openConsole("auditor", auditor);
