// Ticket lookup, and the actions on a ticket.

import { openDocument } from "../console/documents.js";
import { openForm, refusalLine } from "../console/forms.js";
import { dateOf, timeOf, paperName, worded } from "../console/text.js";
import { pill, updatePill } from "../console/widgets.js";
import { openDialog, dialogNamed } from "../shared/dialog.js";
import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { locale, say } from "../shared/text.js";

/**
 * @typedef {import("../shared/types/console.js").AvailableAction} Action
 * @typedef {import("./state.js").TicketRow} TicketRow
 * @typedef {import("./state.js").CashierState} CashierState
 */

/** Statuses of a ticket that can be paid. */
const PAYABLE = new Set(["issued", "printed"]);
/** Why a number was not found, where the page has words for it. */
const LOOKUP_PROBLEMS = new Set(["ticket_misread", "ticket_unknown", "too_fast", "line_lost", "venue_silent"]);

/** @param {import("./state.js").CashierState} state @returns {import("../console/client.js").Part} */
export function ticketCard(state) {
  const idle = el("p", { class: "idle" }, icon("search"), el("span", {}));
  const name = el("p", { class: "name" });
  const amount = el("p", { class: "amount" });
  const marks = el("ul", { class: "pills", "aria-label": say("ticket.standing") });
  const why = refusalLine("why");
  const facts = el("dl", { class: "facts" });
  const actions = button(say("ticket.more"), () => openActions(state), { class: "small" });
  const found = el("div", { class: "found" }, el("div", { class: "top" }, name, actions), amount, marks, why.node, facts);
  const live = el("p", { class: "ears", role: "status" });
  const title = el("h2", {}, say("ticket.title"));
  const node = el("section", { class: "card ticket", "aria-label": say("ticket.title"), tabindex: "0" }, title, idle, found, live);
  const update = () => {
    const { ticket, no, isBusy } = state;
    shown(idle, !ticket && !no);
    shown(found, Boolean(ticket ?? no));
    text(idle.lastElementChild, say(isBusy ? "ticket.busy" : "ticket.idle"));
    text(name, ticket ? paperName(ticket.form, ticket.sequence) : state.number);
    text(amount, ticket ? money(ticket.amount, ticket.currency) : no ? problemText(no.code) : "");
    each(
      marks,
      ticket ? marksOf(ticket, state.isHanded ? (state.handed?.at_us ?? 0) : null) : [],
      ({ says }) => says,
      (one) => el("li", {}, pill(one)),
      updatePill,
    );
    const reason = state.isHanded ? null : ticket ? ticket.why_not : no;
    why.update(reason);
    marked(found, "data-good", ticket && !reason ? "yes" : "no");
    each(
      facts,
      ticket ? factsOf(ticket) : [],
      ([key]) => key,
      ([key]) => el("div", {}, el("dt", {}, key), el("dd", {})),
      (item, [, value]) => text(item.lastElementChild, value),
    );
    shown(actions, ticket !== null && ticket.actions.length > 0);
    const said = [name, amount, ...marks.children].map(({ textContent }) => textContent);
    text(live, said.filter(Boolean).join(". "));
  };
  return { node, update };
}

/** @param {string} code */
const problemText = (code) => say(`lookup.${LOOKUP_PROBLEMS.has(code) ? code : "other"}`);

/** @param {TicketRow} ticket @param {number | null} handed when it was paid, while it is being handed over
 * @returns {import("../console/widgets.js").Pill[]} */
function marksOf({ status, duplicates, reported_lost: isLost }, handed) {
  /** @type {import("../console/widgets.js").Pill} */
  const stands = { says: say(`ticket-status.${status}`), look: PAYABLE.has(status) ? "ok" : "stop" };
  const paid = () => ({ says: say("ticket.paid-at", { time: timeOf(handed ?? 0) }), look: /** @type {const} */ ("ok") });
  const marks = [handed === null ? stands : paid()];
  if (duplicates > 0) marks.push({ says: say("ticket.duplicates", { n: duplicates }), look: "warn" });
  if (isLost) marks.push({ says: say("ticket.lost"), look: "warn" });
  return marks;
}

/** @param {TicketRow} ticket @returns {[string, string][]} */
function factsOf({ terminal, venue, issued_at_us: issued, last_four: ending, paid_at_us: paid, ...ticket }) {
  /** @type {[string, string][]} */
  const facts = [
    venue ? [say("ticket.issued-by"), venue] : [say("ticket.issued-at"), terminal],
    [say("ticket.issued"), dateOf(issued)],
    [say("ticket.ending"), ending],
  ];
  if (paid === null) return facts;
  return [
    ...facts,
    [say("ticket.paid"), dateOf(paid)],
    [say("ticket.paid-from"), ticket.paid_place],
    [say("ticket.paid-by"), ticket.paid_by || say("ticket.paid-terminal")],
  ];
}

// Other actions on a slip or ticket: report a loss, reprint, void, release. Most need two people.

const NAME = "ticket-actions";

/** Show the actions that the server offers for the ticket, and who may take them. @param {CashierState} state */
function openActions(state) {
  const { ticket, number } = state;
  if (!ticket) return;
  const rows = ticket.actions.map((action) => rowOf(state, ticket, action));
  const paper = button(say("ticket.show-duplicate"), () =>
    openDocument(state.client, { type: "slip", sequence: ticket.sequence, number }),
  );
  openDialog({
    name: NAME,
    title: paperName(ticket.form, ticket.sequence),
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
const wordsOf = ({ label }) => ({ title: worded("ticket-action.", label), about: say(`ticket-about.${label}`) });

/** Who may sign, and whether one signature is enough. @param {Action} action */
const signers = ({ titles, dual }) => say(dual ? "ticket.signs-two" : "ticket.signs-one", { titles: eitherOf(titles) });

/** @param {string[]} titles */
const eitherOf = (titles) => new Intl.ListFormat(locale(), { type: "disjunction" }).format(titles);

/** @param {CashierState} state @param {import("./state.js").TicketRow} ticket @param {Action} action */
function openAction(state, { sequence, form }, action) {
  const [{ title, about }, { label, command, dual, titles }] = [wordsOf(action), action];
  const what = paperName(form, sequence);
  const second = say("ticket.second", { titles: eitherOf(titles) });
  openForm({
    name: label,
    title: `${title}: ${what}`,
    about: [el("p", {}, about)],
    fields: [{ name: "words", label: say("ticket.why"), kind: "words" }],
    does: dual ? say("ticket.sign") : title,
    dual,
    send: ({ words }) => state.sendCommand({ .../** @type {object} */ (command), words }),
    done: () => {
      dialogNamed(NAME)?.close();
      const says = dual ? say("ticket.signed", { action: title, what, second }) : say("ticket.now-lost", { what });
      void state.again().then(() => state.showNote(says));
    },
  });
}
