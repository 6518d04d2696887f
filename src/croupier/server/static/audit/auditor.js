// The auditor's page: the journal proved and handed out, meters that must add up, the clauses, and what happened.

import { button, el } from "../kit/dom.js";
import { openDisputes } from "../staff/disputes.js";
import { journalPart } from "../staff/journal.js";
import { reports } from "../staff/reports.js";
import { matrix } from "./matrix.js";
import { meters } from "./meters.js";
import { proof } from "./proof.js";

/** @param {import("../staff/desk.js").Desk} desk @returns {import("../staff/console.js").Furniture} */
export const auditor = (desk) => ({
  title: () => "Auditor",
  pills: (view) => [{ key: "tables", says: tablesWords(view), look: "calm" }],
  parts: [
    beside([proof(desk), reports(desk), matrix(desk), disputes(desk)]),
    meters(desk),
    journalPart(desk, { about: "significant" }),
  ],
});

/** @param {import("../kit/store.js").State} view */
function tablesWords({ tables }) {
  const count = Object.keys(tables).length;
  return count === 1 ? "1 table" : `${count} tables`;
}

/** @param {import("../staff/desk.js").Desk} desk @returns {import("../staff/desk.js").Part} */
const disputes = (desk) => ({
  node: el(
    "section",
    { class: "card" },
    el("h2", {}, "Disputes"),
    el("p", {}, "With their evidence as it was frozen, the decision and the review."),
    button("Disputes…", () => openDisputes(desk)),
  ),
  update: () => {},
});

/** Cards that stand under each other. @param {import("../staff/desk.js").Part[]} parts
 * @returns {import("../staff/desk.js").Part} */
const beside = (parts) => ({
  node: el("div", { class: "side" }, ...parts.map(({ node }) => node)),
  update: (view) => parts.forEach((part) => part.update(view)),
});
