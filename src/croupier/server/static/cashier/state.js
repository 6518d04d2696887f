// The state of a cashier session: its drawer, and the ticket or hand pay at hand.

import { currenciesOf } from "../console/documents.js";
import { wordOf } from "../console/text.js";
import { money } from "../shared/money.js";
import { amountWords } from "./payout.js";

/**
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../shared/types/console.js").Document} Document
 * @typedef {import("../shared/types/console.js").DrawerRow} DrawerRow
 * @typedef {import("../shared/types/wire.js").No} No
 * @typedef {import("../shared/types/console.js").Paid} Paid
 * @typedef {import("../shared/types/console.js").TicketRow} TicketRow
 */

/**
 * @typedef {object} Deed something that went through the drawer in this visit
 * @property {number} at_us
 * @property {string} what
 * @property {number} amount what went out, below nothing where it came in
 * @property {string} currency or nothing until it is known
 * @property {Document} receipt
 */

/** Where the drawer that somebody has handed in last is remembered, past a reload. */
const HANDED_IN = "croupier:handed-in:";

export class Till {
  /** Whose it is. */
  person = "";
  /** As who they are signed in: anew with every sign-in. @type {Desk["who"]} */
  who = null;
  /** What was scanned last. */
  number = "";
  /** Whether the house is still looking. */
  isBusy = false;
  /** @type {TicketRow | null} */
  ticket = null;
  /** Why there is none, or why it was not paid. @type {No | null} */
  no = null;
  /** What is to be handed out now, since when, with its receipt and the amount in words.
   * @type {{paid: Paid, at_us: number, receipt: Document, words: string} | null} */
  handed = null;
  /** The payable that was signed here and awaits its second signature.
   * @type {{row: import("../shared/types/console.js").DebtRow, drawer: string} | null} */
  signed = null;
  /** What was last done besides paying. */
  note = "";
  /** The newest first. @type {Deed[]} */
  deeds = [];
  /** The drawer that was chosen, where somebody has several. */
  chosen = "";

  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
  }

  /** Begin anew where somebody else has signed in: nobody sees what another had in hand. Whoever has come back is not
   * told again to hand something over. @returns {boolean} whether somebody has signed in since */
  belong() {
    const { who } = this.desk;
    if (who === this.who) return false;
    const person = who?.person ?? "";
    if (person !== this.person) Object.assign(this, new Till(this.desk), { person });
    Object.assign(this, { who, handed: null, note: "" });
    return true;
  }

  /** The drawer that was handed in last. */
  get handedIn() {
    return sessionStorage.getItem(HANDED_IN + this.person) ?? "";
  }

  set handedIn(drawer) {
    sessionStorage.setItem(HANDED_IN + this.person, drawer);
  }

  /** The drawers of whoever is signed in. @returns {DrawerRow[]} */
  get mine() {
    const { floor } = this.desk.view;
    return (floor?.drawers ?? []).filter(({ person }) => person === this.desk.who?.person);
  }

  /** The drawer that is paid from. @returns {DrawerRow | null} */
  get drawer() {
    const { mine } = this;
    return mine.find(({ drawer }) => drawer === this.chosen) ?? mine[0] ?? null;
  }

  /** The currency of the drawer, or the only one of the house; none where that is not known yet. */
  get currency() {
    const all = currenciesOf(this.desk);
    return this.drawer?.currency || (all.length === 1 ? all[0] : "");
  }

  /** Write an amount of a drawer; where the house has several currencies it may not be known in which.
   * @param {number} cents @param {string} [currency] */
  figure(cents, currency = "") {
    const known = currency || this.currency;
    return known ? money(cents, known) : (cents / 100).toLocaleString("en", { minimumFractionDigits: 2 });
  }

  /** Ask what a slip or ticket is worth. @param {string} number */
  async lookUp(number) {
    Object.assign(this, { number, isBusy: true, ticket: null, no: null, handed: null, note: "" });
    this.#redraw();
    await this.#look(number);
  }

  /** Ask the house for something: what was handed over before is over with. @param {object} command */
  ask(command) {
    this.#begin();
    return this.desk.ask(command);
  }

  /** Pay what was looked up, where the paper says so much. @param {number | null} [onPaper]
   * @returns {Promise<import("../console/client.js").Answer>} */
  async pay(onPaper = null) {
    const [{ number }, drawer, form] = [this, this.drawer?.drawer ?? "", this.ticket?.form ?? ""];
    this.#begin();
    const answer = await this.desk.wish("redeem", { drawer, number, amount_on_paper: onPaper });
    if (answer.paid && answer.paid.sequence !== null)
      this.hand(answer.paid, `${wordOf(form)} ${answer.paid.sequence}`, {
        type: "ticket_receipt",
        sequence: answer.paid.sequence,
      });
    // Whoever has scanned another meanwhile is not shown this one again.
    if (number === this.number) await this.#look(number);
    if (number === this.number) this.no = answer.refusal;
    this.#redraw();
    return answer;
  }

  /** Something is to be handed out. @param {Paid} paid @param {string} what it is for @param {Document} receipt */
  hand(paid, what, receipt) {
    const handed = { paid, at_us: this.#now, receipt, words: "" };
    this.handed = handed;
    this.passed({ what, amount: paid.amount, currency: paid.currency, receipt });
    void amountWords(this.desk, receipt).then((words) => {
      handed.words = words;
      this.#redraw();
    });
  }

  /** Whether what is shown was paid a moment ago, and is being handed over. */
  get isHanded() {
    return this.ticket !== null && this.handed?.paid.sequence === this.ticket.sequence;
  }

  /** It was handed over: the next may come. */
  handOver() {
    if (this.isHanded) Object.assign(this, { number: "", ticket: null, no: null });
    this.#begin();
    this.#redraw();
  }

  /** Something went through the drawer. @param {Omit<Deed, "at_us">} deed */
  passed(deed) {
    this.deeds.unshift({ at_us: this.#now, ...deed });
    this.#redraw();
  }

  /** Note the currency of what was taken in before it was known, which is its drawer's. */
  name() {
    for (const deed of this.deeds) {
      const into = "drawer" in deed.receipt ? deed.receipt.drawer : "";
      deed.currency ||= this.mine.find(({ drawer }) => drawer === into)?.currency ?? "";
    }
  }

  /** Say what was done. @param {string} words */
  say(words) {
    this.note = words;
    this.#redraw();
  }

  /** Look at the same number again, as something was done to it. */
  again() {
    return this.number ? this.#look(this.number) : Promise.resolve();
  }

  /** @param {string} number */
  async #look(number) {
    const frame = await this.desk.enquire("look_up", { number });
    if (number !== this.number) return;
    this.isBusy = false;
    this.ticket = frame.t === "looked_up" ? frame.ticket : null;
    this.no = frame.t === "refused" ? frame.refusal : null;
    this.#redraw();
  }

  #begin() {
    Object.assign(this, { no: null, handed: null, note: "" });
  }

  get #now() {
    return this.desk.session.now() ?? 0;
  }

  #redraw() {
    this.desk.session.redraw();
  }
}
