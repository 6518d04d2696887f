// Ticket lookup, and the actions on a ticket.

import { openDocument } from "../console/documents.js";
import { openForm, refusalText } from "../console/forms.js";
import { dateOf, paperName, timeOf, worded } from "../console/text.js";
import { factPairs, statusPill } from "../console/widgets.js";
import { dialogNamed, openDialog } from "../shared/dialog.js";
import { money } from "../shared/money.js";
import { button, h, icon } from "../shared/render.js";
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

/** @param {CashierState} state */
export function ticketCard(state) {
  const { ticket, refusal, isBusy } = state;
  const reason = state.isHanded ? null : ticket ? ticket.why_not : refusal;
  const marks = ticket ? marksOf(ticket, state.isHanded ? (state.handed?.at_us ?? 0) : null) : [];
  const name = ticket ? paperName(ticket.form, ticket.sequence) : state.number;
  const amount = ticket ? money(ticket.amount, ticket.currency, locale()) : refusal ? problemText(refusal.code) : "";
  return h(
    "section",
    { class: "card ticket", "aria-label": say("ticket.title"), tabindex: "0" },
    h("h2", null, say("ticket.title")),
    !ticket && !refusal &&
      h("p", { class: "idle" }, icon("search"), h("span", null, say(isBusy ? "ticket.busy" : "ticket.idle"))),
    (ticket || refusal) &&
      h(
        "div",
        { class: "found", "data-good": ticket && !reason ? "yes" : "no" },
        h(
          "div",
          { class: "top" },
          h("p", { class: "name" }, name),
          ticket && ticket.actions.length > 0 &&
            button(say("ticket.more"), () => openActions(state), { class: "small" }),
        ),
        h("p", { class: "amount" }, amount),
        h(
          "ul",
          { class: "pills", "aria-label": say("ticket.standing") },
          marks.map((mark) => h("li", { key: mark.says }, statusPill(mark))),
        ),
        refusalText(reason, "why"),
        factPairs(ticket ? factsOf(ticket) : [], "facts"),
      ),
    h(
      "p",
      { class: "unseen", role: "status" },
      [name, amount, ...marks.map(({ says }) => says)].filter(Boolean).join(". "),
    ),
  );
}

/** @param {string} code */
const problemText = (code) => say(`lookup.${LOOKUP_PROBLEMS.has(code) ? code : "other"}`);

/** @param {TicketRow} ticket @param {number | null} handed when it was paid, while it is being handed over
 * @returns {import("../console/widgets.js").Pill[]} */
function marksOf({ status, duplicates, reported_lost: isLost }, handed) {
  /** @type {import("../console/widgets.js").Pill} */
  const stands = { says: say(`ticket-status.${status}`), look: PAYABLE.has(status) ? "ok" : "stop" };
  const paid = () => ({
    says: say("ticket.paid-at", { time: timeOf(handed ?? 0) }),
    look: /** @type {const} */ ("ok"),
  });
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
  const show = () => openDocument(state.client, { type: "slip", sequence: ticket.sequence, number });
  openDialog({
    name: NAME,
    title: paperName(ticket.form, ticket.sequence),
    body: () => h("ul", { class: "ticket-actions" }, ticket.actions.map((action) => rowOf(state, ticket, action))),
    foot: ticket.duplicates > 0 && !ticket.why_not ? () => button(say("ticket.show-duplicate"), show) : [],
  });
}

/** @param {CashierState} state @param {import("./state.js").TicketRow} ticket @param {Action} action */
function rowOf(state, ticket, action) {
  const { title, about } = wordsOf(action);
  const isFor = state.client.hasTitle(action.titles);
  const does = button(`${title}…`, () => openAction(state, ticket, action), { disabled: !isFor });
  return h(
    "li",
    { key: action.label },
    h("span", null, h("b", null, title), h("small", null, about), h("small", null, signers(action))),
    does,
  );
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
    about: [h("p", null, about)],
    fields: [{ name: "words", label: say("ticket.why"), kind: "words" }],
    does: dual ? say("ticket.sign") : title,
    dual,
    send: ({ words }) => state.sendCommand({ .../** @type {object} */ (command), words }),
    done: () => {
      dialogNamed(NAME)?.close();
      const says = dual ? say("ticket.signed", { action: title, what, second }) : say("ticket.now-lost", { what });
      void state.lookUpAgain().then(() => state.showNote(says));
    },
  });
}
