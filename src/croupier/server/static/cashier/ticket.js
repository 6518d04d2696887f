// A slip or ticket that was looked up: what it is worth, where it stands, and why it is not paid, where it is not.

import { button, each, el, marked, shown, text } from "../kit/dom.js";
import { icon } from "../kit/icon.js";
import { money } from "../kit/money.js";
import { pill, repaint } from "../staff/pill.js";
import { citing, dateOf, timeOf, wordOf } from "../staff/words.js";
import { openDeeds } from "./ticketdeeds.js";

/** @typedef {import("./till.js").TicketRow} TicketRow */

const IDLE = "Scan a slip or ticket. It is shown here before anything is paid.";
/** How it stands in a word. @type {Record<string, import("../staff/pill.js").Pill>} */
const STATUS = {
  issued: { says: "To be paid", look: "ok" },
  printed: { says: "To be paid", look: "ok" },
  redeemed: { says: "Already paid", look: "stop" },
  void: { says: "Void", look: "stop" },
  expired: { says: "Expired", look: "stop" },
  frozen: { says: "Frozen", look: "stop" },
};
/** What is wrong with a number that is no ticket's. @type {Record<string, string>} */
const WRONG = {
  ticket_misread: "Misread",
  ticket_unknown: "Unknown",
  too_fast: "Locked",
  line_lost: "Not looked up",
};

/** @param {import("./till.js").Till} till @returns {import("../staff/desk.js").Part} */
export function ticketCard(till) {
  const idle = el("p", { class: "idle" }, icon("search"), el("span", {}));
  const name = el("p", { class: "name" });
  const amount = el("p", { class: "amount" });
  const marks = el("ul", { class: "pills", "aria-label": "How it stands" });
  const why = el("p", { class: "why" });
  const facts = el("dl", { class: "facts" });
  const deeds = button("What else can be done…", () => openDeeds(till), { class: "small" });
  const found = el("div", { class: "found" }, el("div", { class: "top" }, name, deeds), amount, marks, why, facts);
  const live = el("p", { class: "ears", role: "status" });
  const title = el("h2", {}, "Slip or ticket");
  const node = el("section", { class: "card ticket", "aria-label": "Slip or ticket" }, title, idle, found, live);
  const update = () => {
    const { ticket, no, isBusy } = till;
    shown(idle, !ticket && !no);
    shown(found, Boolean(ticket ?? no));
    text(idle.lastElementChild, isBusy ? "Looking it up…" : IDLE);
    text(name, ticket ? `${wordOf(ticket.form)} ${ticket.sequence}` : till.number);
    text(amount, ticket ? money(ticket.amount, ticket.currency) : no ? (WRONG[no.code] ?? "Not told") : "");
    each(
      marks,
      ticket ? marksOf(ticket, till.isHanded ? (till.handed?.at_us ?? 0) : null) : [],
      ({ says }) => says,
      (one) => el("li", {}, pill(one)),
      repaint,
    );
    const reason = till.isHanded ? null : ticket ? ticket.why_not : no;
    text(why, reason ? citing(reason) : "");
    shown(why, Boolean(reason));
    marked(found, "data-good", ticket && !reason ? "yes" : "no");
    each(
      facts,
      ticket ? factsOf(ticket) : [],
      ([key]) => key,
      ([key]) => el("div", {}, el("dt", {}, key), el("dd", {})),
      (item, [, value]) => text(item.lastElementChild, value),
    );
    shown(deeds, ticket !== null && ticket.actions.length > 0);
    const said = [name, amount, ...marks.children, why].map(({ textContent }) => textContent);
    text(live, said.filter(Boolean).join(". "));
  };
  return { node, update };
}

/** @param {TicketRow} ticket @param {number | null} handed when it was paid, while it is being handed over
 * @returns {import("../staff/pill.js").Pill[]} */
function marksOf({ status, duplicates, reported_lost: isLost }, handed) {
  /** @type {import("../staff/pill.js").Pill} */
  const stands = STATUS[status] ?? { says: wordOf(status) };
  const marks = [handed === null ? stands : { says: `Paid at ${timeOf(handed)}`, look: /** @type {const} */ ("ok") }];
  if (duplicates > 0)
    marks.push({ says: duplicates === 1 ? "A duplicate is out" : `${duplicates} duplicates are out`, look: "warn" });
  if (isLost) marks.push({ says: "Reported lost", look: "warn" });
  return marks;
}

/** @param {TicketRow} ticket @returns {[string, string][]} */
function factsOf({ terminal, issued_at_us: issued, last_four: ending, paid_at_us: paid, ...ticket }) {
  /** @type {[string, string][]} */
  const facts = [
    ["Issued at", terminal],
    ["Issued", dateOf(issued)],
    ["Number ends in", ending],
  ];
  if (paid === null) return facts;
  return [
    ...facts,
    ["Paid", dateOf(paid)],
    ["Paid from", ticket.paid_place],
    ["Paid by", ticket.paid_by || "the terminal itself"],
  ];
}
