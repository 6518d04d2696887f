// Paying out a ticket or a hand pay, with the amount in words.

import { openDocument } from "../console/documents.js";
import { openForm, refusalLine } from "../console/forms.js";
import { timeOf } from "../console/text.js";
import { isModalOpen } from "../shared/dialog.js";
import { button, each, el, enabled, icon, shown, text } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { say } from "../shared/text.js";

/** @typedef {import("../shared/types/console.js").AnyBlock} AnyBlock */

/** The key that pays. */
const PAY_KEY = "F9";

/** @param {import("./state.js").CashierState} state @returns {import("../console/client.js").Part} */
export function payout(state) {
  const hint = el("p", { class: "none" });
  const pay = button("", () => void press(), { class: "main pay", "aria-keyshortcuts": PAY_KEY });
  const differs = button(say("payout.differs"), () => compare(state), { class: "small" });
  const no = refusalLine();
  const note = el("p", { class: "note", role: "status", hidden: true });
  const out = handout(state);
  const node = el(
    "section",
    { class: "card payout", "aria-label": say("payout.title"), tabindex: "0" },
    el("h2", {}, say("payout.title")),
    hint,
    no.node,
    note,
    pay,
    differs,
    out.node,
  );
  let isPaying = false;
  const press = async () => {
    if (isPaying || !canPay(state)) return;
    isPaying = true;
    enabled(pay, false);
    await state.pay();
    isPaying = false;
    update();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== PAY_KEY || isModalOpen()) return;
    event.preventDefault();
    void press();
  });
  const update = () => {
    const { ticket, handed, drawer } = state;
    const isDue = Boolean(ticket && !ticket.why_not);
    text(hint, say(drawer || handed ? "payout.none" : "payout.no-drawer"));
    shown(hint, !handed && !(isDue && drawer) && !state.no);
    shown(pay, isDue && drawer !== null);
    shown(differs, isDue && drawer !== null);
    if (ticket && drawer) {
      const words = say("payout.pay", { amount: money(ticket.amount, ticket.currency), drawer: drawer.drawer });
      if (pay.dataset.words !== words) pay.replaceChildren(words, el("kbd", {}, PAY_KEY));
      pay.dataset.words = words;
    }
    enabled(pay, !isPaying);
    no.update(ticket ? state.no : null);
    text(note, state.note);
    shown(note, state.note !== "");
    out.update();
  };
  return { node, update };
}

/** @param {import("./state.js").CashierState} state */
const canPay = ({ ticket, drawer }) => Boolean(ticket && !ticket.why_not && drawer);

/**
 * Where the paper shows another amount, the server compares it, and pays nothing for a paper that differs.
 * @param {import("./state.js").CashierState} state
 */
function compare(state) {
  openForm({
    name: "on-paper",
    title: say("payout.compare"),
    about: [el("p", {}, say("payout.compare-about"))],
    fields: [{ name: "amount", label: say("payout.on-paper"), kind: "amount" }],
    does: say("payout.compare-pay"),
    send: ({ amount }) => state.pay(amount),
  });
}

/** What to hand over. @param {import("./state.js").CashierState} state */
function handout(state) {
  const label = el("p", { class: "label" });
  const amount = el("p", { class: "amount" });
  const words = el("p", { class: "words" });
  const notes = el("ul", { class: "notes", "aria-label": say("payout.notes") });
  const show = () => state.handed && openDocument(state.client, state.handed.receipt);
  const receipt = el("button", { type: "button", click: show }, icon("print"), say("payout.receipt"));
  const done = button(say("payout.done"), () => state.handOver());
  const node = el(
    "div",
    { class: "handout", role: "status" },
    label,
    amount,
    words,
    notes,
    el("div", { class: "buttons" }, receipt, done),
  );
  const update = () => {
    const { handed } = state;
    shown(node, handed !== null);
    if (!handed) return;
    const { paid } = handed;
    text(label, say("payout.hand-over", { time: timeOf(handed.at_us) }));
    text(amount, money(paid.amount, paid.currency));
    text(words, handed.words);
    shown(words, handed.words !== "");
    each(
      notes,
      [...paid.notes, ...(paid.coins > 0 ? /** @type {[number, number][]} */ ([[paid.coins, 0]]) : [])],
      ([value, pieces]) => `${value} ${pieces}`,
      ([value, pieces]) => noteRow(value, pieces, paid.currency),
    );
  };
  return { node, update };
}

/** Notes of a value; coins are one amount. @param {number} value @param {number} pieces @param {string} currency */
const noteRow = (value, pieces, currency) =>
  el(
    "li",
    {},
    el("b", {}, pieces === 0 ? say("payout.coins") : `${pieces} ×`),
    el("span", {}, money(value, currency)),
    el("span", { class: "sum" }, pieces > 1 ? money(value * pieces, currency) : ""),
  );

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
