// Paying out: one button that names the amount, and then what is to be handed over, note by note.

import { button, each, el, enabled, shown, text } from "../kit/dom.js";
import { icon } from "../kit/icon.js";
import { money } from "../kit/money.js";
import { isCovered } from "../kit/sheet.js";
import { askSheet } from "../staff/askform.js";
import { openPaper } from "../staff/paper.js";
import { citing, timeOf } from "../staff/words.js";

/** The key that pays, as a scanner presses Enter. */
const PAYS = "F9";

/** @param {import("./till.js").Till} till @returns {import("../staff/desk.js").Part} */
export function payout(till) {
  const hint = el("p", { class: "none" });
  const pay = button("", () => void press(), { class: "main pay", "aria-keyshortcuts": PAYS });
  const differs = button("The paper says something else…", () => compare(till), { class: "small" });
  const no = el("p", { class: "reply", role: "alert", hidden: true });
  const note = el("p", { class: "note", role: "status", hidden: true });
  const out = handout(till);
  const node = el(
    "section",
    { class: "card payout", "aria-label": "Pay out" },
    el("h2", {}, "Pay out"),
    hint,
    no,
    note,
    pay,
    differs,
    out.node,
  );
  let isPaying = false;
  const press = async () => {
    if (isPaying || !canPay(till)) return;
    isPaying = true;
    enabled(pay, false);
    await till.pay();
    isPaying = false;
    update();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== PAYS || isCovered()) return;
    event.preventDefault();
    void press();
  });
  const update = () => {
    const { ticket, handed, drawer } = till;
    const isDue = Boolean(ticket && !ticket.why_not);
    text(hint, drawer || handed ? "Nothing is to be paid." : "Take a drawer first: everything is paid from one.");
    shown(hint, !handed && !(isDue && drawer) && !till.no);
    shown(pay, isDue && drawer !== null);
    shown(differs, isDue && drawer !== null);
    if (ticket && drawer) {
      const words = `Pay ${money(ticket.amount, ticket.currency)} from ${drawer.drawer}`;
      if (pay.dataset.words !== words) pay.replaceChildren(words, el("kbd", {}, PAYS));
      pay.dataset.words = words;
    }
    enabled(pay, !isPaying);
    text(no, till.no && ticket ? citing(till.no) : "");
    shown(no, Boolean(till.no && ticket));
    text(note, till.note);
    shown(note, till.note !== "");
    out.update();
  };
  return { node, update };
}

/** @param {import("./till.js").Till} till */
const canPay = ({ ticket, drawer }) => Boolean(ticket && !ticket.why_not && drawer);

/** Where the paper names another amount, the house compares it, and pays nothing on paper that differs.
 * @param {import("./till.js").Till} till */
function compare(till) {
  askSheet({
    name: "on-paper",
    title: "What does the paper say?",
    about: [
      el(
        "p",
        {},
        "The house compares it with its record. It pays what it has issued, and nothing on paper that differs.",
      ),
    ],
    fields: [{ name: "amount", label: "Amount on the paper", kind: "amount" }],
    does: "Compare and pay",
    send: ({ amount }) => till.pay(amount),
  });
}

/** What is to be handed over. @param {import("./till.js").Till} till */
function handout(till) {
  const label = el("p", { class: "label" });
  const amount = el("p", { class: "amount" });
  const words = el("p", { class: "words" });
  const notes = el("ul", { class: "notes", "aria-label": "Notes to hand over" });
  const show = () => till.handed && openPaper(till.desk, till.handed.receipt);
  const receipt = el("button", { type: "button", click: show }, icon("print"), "Receipt");
  const done = button("Handed over", () => till.handOver());
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
    const { handed } = till;
    shown(node, handed !== null);
    if (!handed) return;
    const { paid } = handed;
    text(label, `Hand over: paid at ${timeOf(handed.at_us)}`);
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

/** Some notes of a value; or coins, which are counted as one amount.
 * @param {number} value @param {number} pieces @param {string} currency */
const noteRow = (value, pieces, currency) =>
  el(
    "li",
    {},
    el("b", {}, pieces === 0 ? "Coins" : `${pieces} ×`),
    el("span", {}, money(value, currency)),
    el("span", { class: "sum" }, pieces > 1 ? money(value * pieces, currency) : ""),
  );
