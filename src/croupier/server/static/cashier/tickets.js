// Ticket lookup, and the actions on a ticket.

import { openDocument } from "../console/documents.js";
import { openForm } from "../console/forms.js";
import { withClause, dateOf, timeOf, labelOf } from "../console/text.js";
import { pill, updatePill } from "../console/widgets.js";
import { openDialog, dialogNamed } from "../shared/dialog.js";
import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { money } from "../shared/money.js";

/**
 * @typedef {import("../shared/types/console.js").AvailableAction} Action
 * @typedef {import("./state.js").TicketRow} TicketRow
 * @typedef {import("./state.js").CashierState} CashierState
 */

const IDLE = "Scan a slip or ticket. It is shown here before anything is paid.";
/** The status pill by status. @type {Record<string, import("../console/widgets.js").Pill>} */
const STATUS = {
  issued: { says: "To be paid", look: "ok" },
  printed: { says: "To be paid", look: "ok" },
  redeemed: { says: "Already paid", look: "stop" },
  void: { says: "Void", look: "stop" },
  expired: { says: "Expired", look: "stop" },
  frozen: { says: "Frozen", look: "stop" },
};
/** The problem of a number that is not a ticket's. @type {Record<string, string>} */
const LOOKUP_PROBLEMS = {
  ticket_misread: "Misread",
  ticket_unknown: "Unknown",
  too_fast: "Locked",
  line_lost: "Not looked up",
};

/** @param {import("./state.js").CashierState} state @returns {import("../console/client.js").Part} */
export function ticketCard(state) {
  const idle = el("p", { class: "idle" }, icon("search"), el("span", {}));
  const name = el("p", { class: "name" });
  const amount = el("p", { class: "amount" });
  const marks = el("ul", { class: "pills", "aria-label": "How it stands" });
  const why = el("p", { class: "why" });
  const facts = el("dl", { class: "facts" });
  const actions = button("What else can be done…", () => openActions(state), { class: "small" });
  const found = el("div", { class: "found" }, el("div", { class: "top" }, name, actions), amount, marks, why, facts);
  const live = el("p", { class: "ears", role: "status" });
  const title = el("h2", {}, "Slip or ticket");
  const node = el("section", { class: "card ticket", "aria-label": "Slip or ticket" }, title, idle, found, live);
  const update = () => {
    const { ticket, no, isBusy } = state;
    shown(idle, !ticket && !no);
    shown(found, Boolean(ticket ?? no));
    text(idle.lastElementChild, isBusy ? "Looking it up…" : IDLE);
    text(name, ticket ? `${labelOf(ticket.form)} ${ticket.sequence}` : state.number);
    text(amount, ticket ? money(ticket.amount, ticket.currency) : no ? (LOOKUP_PROBLEMS[no.code] ?? "Not told") : "");
    each(
      marks,
      ticket ? marksOf(ticket, state.isHanded ? (state.handed?.at_us ?? 0) : null) : [],
      ({ says }) => says,
      (one) => el("li", {}, pill(one)),
      updatePill,
    );
    const reason = state.isHanded ? null : ticket ? ticket.why_not : no;
    text(why, reason ? withClause(reason) : "");
    shown(why, Boolean(reason));
    marked(found, "data-good", ticket && !reason ? "yes" : "no");
    each(
      facts,
      ticket ? factsOf(ticket) : [],
      ([key]) => key,
      ([key]) => el("div", {}, el("dt", {}, key), el("dd", {})),
      (item, [, value]) => text(item.lastElementChild, value),
    );
    shown(actions, ticket !== null && ticket.actions.length > 0);
    const said = [name, amount, ...marks.children, why].map(({ textContent }) => textContent);
    text(live, said.filter(Boolean).join(". "));
  };
  return { node, update };
}

/** @param {TicketRow} ticket @param {number | null} handed when it was paid, while it is being handed over
 * @returns {import("../console/widgets.js").Pill[]} */
function marksOf({ status, duplicates, reported_lost: isLost }, handed) {
  /** @type {import("../console/widgets.js").Pill} */
  const stands = STATUS[status] ?? { says: labelOf(status) };
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

// Other actions on a slip or ticket: report a loss, reprint, void, release. Most need two people.

const NAME = "ticket-actions";

/** The text of each action by label. @type {Record<string, {title: string, about: string}>} */
const ACTION_TEXTS = {
  report_lost: {
    title: "Report it lost",
    about: "The loss is noted. Whoever brings the paper is paid all the same, and no other is printed in its place.",
  },
  reprint: {
    title: "Print a duplicate",
    about: "It has the same number and says DUPLICATE. Only one of them is ever paid.",
  },
  void: {
    title: "Void it",
    about: "Its value goes back to the terminal, as it was never printed.",
  },
  release: {
    title: "Release it",
    about: "It can be paid again, once two people have looked into it.",
  },
};

/** Show the actions that the server offers for the ticket, and who may take them. @param {CashierState} state */
function openActions(state) {
  const { ticket, number } = state;
  if (!ticket) return;
  const rows = ticket.actions.map((action) => rowOf(state, ticket, action));
  const paper = button("Show the duplicate", () =>
    openDocument(state.client, { type: "slip", sequence: ticket.sequence, number }),
  );
  openDialog({
    name: NAME,
    title: `${labelOf(ticket.form)} ${ticket.sequence}`,
    body: [el("ul", { class: "ticket-actions" }, ...rows)],
    foot: ticket.duplicates > 0 && !ticket.why_not ? [paper] : [],
  });
}

/** @param {CashierState} state @param {import("./state.js").TicketRow} ticket @param {Action} action */
function rowOf(state, ticket, action) {
  const { title, about } = wordsOf(action);
  const isFor = state.client.hasTitle(action.titles);
  const does = button(`${title}…`, () => openAction(state, ticket, action), { disabled: !isFor });
  const says = [el("b", {}, title), el("small", {}, about), el("small", {}, signers(action))];
  return el("li", {}, el("span", {}, ...says), does);
}

/** @param {Action} action */
const wordsOf = ({ label }) => ACTION_TEXTS[label] ?? { title: labelOf(label), about: "" };

/** Who may sign, and whether one signature is enough. @param {Action} action */
const signers = ({ titles, dual }) => `${dual ? "Two people sign, each as" : "Signed as"} ${eitherOf(titles)}.`;

/** @param {string[]} titles */
const eitherOf = (titles) => new Intl.ListFormat("en", { type: "disjunction" }).format(titles);

/** @param {CashierState} state @param {import("./state.js").TicketRow} ticket @param {Action} action */
function openAction(state, { sequence, form }, action) {
  const [{ title, about }, { label, command, dual, titles }] = [wordsOf(action), action];
  const what = `${labelOf(form)} ${sequence}`;
  const second = `Somebody else signs it at the pit within two minutes, as ${eitherOf(titles)}.`;
  openForm({
    name: label,
    title: `${title}: ${what}`,
    about: [el("p", {}, about)],
    fields: [{ name: "words", label: "Why, in plain words", kind: "words" }],
    does: dual ? "Sign" : title,
    dual,
    send: ({ words }) => state.sendCommand({ .../** @type {object} */ (command), words }),
    done: () => {
      dialogNamed(NAME)?.close();
      const says = dual ? `Signed: ${title.toLowerCase()}, ${what}. ${second}` : `${what} is reported lost.`;
      void state.again().then(() => state.showNote(says));
    },
  });
}
