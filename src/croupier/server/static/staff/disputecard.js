// A dispute as it is looked at: what is disputed, the evidence as it was frozen, what was done so far, and what is due.

import { button, el } from "../kit/dom.js";
import { clauseLink, rulesAt } from "./clause.js";
import { openReplay } from "./replay.js";
import { saveBundle } from "./replaybundle.js";
import { dateOf, wordOf } from "./words.js";
import { deeds } from "./disputedeeds.js";

/**
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").DisputeRow} Dispute
 * @typedef {import("../kit/consoles.js").Deed} Deed
 * @typedef {import("../kit/types.js").No} No
 * @typedef {{done: () => void, say: (no: No | null) => void, tell: (words: string) => void}} Then
 */

/** @type {Record<string, string>} */
const BASES = { not_covered: "the rules do not cover it", from_rules: "it arises from a rule" };

/** @param {Desk} desk @param {Dispute} dispute @param {Then} then */
export function disputeCard(desk, dispute, then) {
  const { table, round, rule, basis, clause, words } = dispute;
  const rules = dispute.evidence?.rulebook ?? rulesAt(desk, table);
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
    evidence(desk, dispute),
    looks(desk, dispute, then),
    el("h3", {}, "So far"),
    story(dispute),
    deeds(desk, dispute, then),
  );
}

/** @param {Desk} desk @param {Dispute} dispute */
function evidence(desk, { evidence: frozen, table, terminal }) {
  if (frozen === null) return el("p", {}, "Only the journal still has this round whole: the bundle has it.");
  const write = (/** @type {number | null} */ cents) => desk.amount(cents, table);
  /** @type {[string, string][]} */
  const rows = [
    ["Round", `${wordOf(frozen.status)}, opened ${dateOf(frozen.opened_at_us)}`],
    ["Number", [frozen.pocket ?? "none", ...frozen.corrected.map((one) => `before: ${one}`)].join(", ")],
    ["All seats", `${frozen.seats} seats, ${write(frozen.staked)} staked, ${write(frozen.returned)} came back`],
  ];
  if (terminal !== null) {
    const chips = Object.entries(frozen.stakes).map(([spot, cents]) => `${write(cents)} on ${spot}`);
    rows.push([terminal, `${chips.join(", ") || "no chips"}; ${write(frozen.paid)} came back`]);
  }
  const lines = rows.map(([name, says]) => el("div", {}, el("dt", {}, name), el("dd", {}, says)));
  const digests = el("div", { class: "digest" }, el("dt", {}, "Digest"), el("dd", {}, el("code", {}, frozen.digest)));
  return el("dl", { class: "facts evidence" }, ...lines, digests);
}

/** @param {Desk} desk @param {Dispute} dispute @param {Then} then */
function looks(desk, { table, round, terminal }, { tell }) {
  return el(
    "div",
    { class: "dispute-looks" },
    button("Replay the round", () => openReplay(desk, { table, round, terminal })),
    button("Save the signed bundle", () => saveBundle(desk, { table, round }).then(tell)),
  );
}

/** @param {Dispute} dispute */
function story(dispute) {
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
  /** @type {[Deed | null, string][]} */
  const deedsDone = [
    [opened, "Opened"],
    [decided, `Decided: ${decision}`],
    [advised, "The complainant was told of the right to consult an officer"],
    [review, byHouse ? "The house asked for a review" : "The player asked for a review"],
    [reviewed, `Reviewed: ${outcome}`],
    [closed, resolved ? "Closed: resolved" : "Closed: not resolved"],
  ];
  const lines = deedsDone.flatMap(([done, says]) =>
    done === null
      ? []
      : [el("li", {}, el("strong", {}, says), el("small", {}, ` ${done.person} · ${dateOf(done.at_us)}`))],
  );
  return el("ol", { class: "story" }, ...lines);
}
