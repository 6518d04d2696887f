// Paying out a ticket or a hand pay, with the amount in words.

import { openDocument } from "../console/documents.js";
import { openForm, refusalText } from "../console/forms.js";
import { timeOf } from "../console/text.js";
import { money } from "../shared/money.js";
import { button, h, icon } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { openTakeDrawer } from "./drawer.js";
import { brokenDown } from "./notes.js";

/**
 * @typedef {import("../shared/types/console.js").AnyBlock} AnyBlock
 * @typedef {import("./state.js").CashierState} CashierState
 */

/** The key that pays. */
export const PAY_KEY = "F9";

/** @param {CashierState} state */
export function payoutCard(state) {
  const { ticket, handed, payingDrawer } = state;
  const isDue = ticket !== null && !ticket.why_not;
  return h(
    "section",
    { class: "card payout", "aria-label": say("payout.title"), tabindex: "0" },
    h("h2", null, say("payout.title")),
    !handed && !payingDrawer && !state.refusal && hint(state),
    refusalText(ticket ? state.refusal : null),
    h("p", { class: "note", role: "status", hidden: state.note === "" }, state.note),
    isDue && payingDrawer && [
      button(
        [
          say("payout.pay", { amount: money(ticket.amount, ticket.currency, locale()), drawer: payingDrawer.drawer }),
          h("kbd", null, PAY_KEY),
        ],
        () => void state.pay(),
        { class: "main pay", "aria-keyshortcuts": PAY_KEY, disabled: state.isPaying },
      ),
      button(say("payout.differs"), () => compare(state), { class: "small" }),
    ],
    handed && handout(state, handed),
  );
}

/** What is missing before anything can be paid. @param {CashierState} state */
function hint(state) {
  const { ticket, drawer } = state;
  if (!drawer) return h("p", { class: "none" }, say("payout.no-drawer"));
  if (!ticket || ticket.why_not) return h("p", { class: "none" }, say("payout.none"));
  const facts = { drawer: drawer.drawer, currency: drawer.currency, wanted: ticket.currency };
  return [
    h("p", { class: "none" }, say("payout.other-currency", facts)),
    button(say("payout.take-drawer", facts), () => openTakeDrawer(state, ticket.currency), { class: "main" }),
  ];
}

/**
 * Where the paper shows another amount, the server compares it, and pays nothing for a paper that differs.
 * @param {import("./state.js").CashierState} state
 */
function compare(state) {
  openForm({
    name: "on-paper",
    title: say("payout.compare"),
    about: [h("p", null, say("payout.compare-about"))],
    fields: [{ name: "amount", label: say("payout.on-paper"), kind: "amount" }],
    does: say("payout.compare-pay"),
    send: ({ amount }) => state.pay(amount),
  });
}

/** What to hand over. @param {CashierState} state @param {NonNullable<CashierState["handed"]>} handed */
function handout(state, { paid, at_us, words, receipt }) {
  const lacking = state.missingNotes(paid.drawer);
  const values = paid.values.filter((value) => !lacking.includes(value));
  const made = values.length < paid.values.length ? brokenDown(paid.amount, values) : paid;
  /** Notes of a value; coins are one amount. @type {[value: number, pieces: number][]} */
  const notes = [...made.notes, ...(made.coins > 0 ? /** @type {[number, number][]} */ ([[made.coins, 0]]) : [])];
  const row = (/** @type {[value: number, pieces: number]} */ [value, pieces]) =>
    h(
      "li",
      { key: `${value} ${pieces}` },
      h("b", null, pieces === 0 ? say("payout.coins") : `${pieces} ×`),
      h("span", null, money(value, paid.currency, locale())),
      h("span", { class: "sum" }, pieces > 1 && money(value * pieces, paid.currency, locale())),
      pieces > 0 &&
        button(say("payout.lacks"), () => state.setMissingNotes(paid.drawer, [...lacking, value]), {
          class: "small",
          "aria-label": say("payout.lacks-of", { value: money(value, paid.currency, locale()) }),
        }),
    );
  const returned = (/** @type {number} */ value) =>
    h(
      "li",
      { key: value },
      button(
        say("payout.has-again", { value: money(value, paid.currency, locale()) }),
        () => state.setMissingNotes(paid.drawer, lacking.filter((one) => one !== value)),
        { class: "small" },
      ),
    );
  return h(
    "div",
    { class: "handout", role: "status" },
    h("p", { class: "label" }, say("payout.hand-over", { time: timeOf(at_us) })),
    h("p", { class: "amount" }, money(paid.amount, paid.currency, locale())),
    words && h("p", { class: "words" }, words),
    h("ul", { class: "notes", "aria-label": say("payout.notes") }, notes.map(row)),
    lacking.length > 0 &&
      h(
        "ul",
        { class: "lacking", "aria-label": say("payout.lacking", { drawer: paid.drawer }) },
        lacking.map(returned),
      ),
    h(
      "div",
      { class: "buttons" },
      button([icon("print"), say("payout.receipt")], () => openDocument(state.client, receipt)),
      button(say("payout.done"), () => state.confirmHandedOver()),
    ),
  );
}

// Amounts in words, as on paper.

/**
 * The amount of a receipt in words, or "" where there is no such document.
 * @param {import("../console/client.js").ConsoleClient} client @param {import("../shared/types/console.js").Document} receipt
 */
export async function amountWords(client, receipt) {
  const frame = await client.query("paper", { form: "screen", document: receipt });
  return frame.t === "paper" ? spelledOut(frame.blocks) : "";
}

/** The amount in words stands below the amount in figures, which is the last large line. @param {AnyBlock[]} blocks */
function spelledOut(blocks) {
  const large = blocks.map((block) => block.type === "text" && block.look === "large").lastIndexOf(true);
  const below = blocks[large + 1];
  return large >= 0 && below?.type === "text" ? below.words : "";
}
