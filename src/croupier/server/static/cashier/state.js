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
 * @typedef {object} Deed a movement of the drawer in this session
 * @property {number} at_us
 * @property {string} what
 * @property {number} amount the amount paid out; negative where it came in
 * @property {string} currency "" until it is known
 * @property {Document} receipt
 */

/** The session storage key of the drawer that was handed in last. */
const HANDED_IN = "croupier:handed-in:";

export class Till {
  /** The person. */
  person = "";
  /** The sign-in: a new object with every sign-in. @type {Desk["who"]} */
  who = null;
  /** The number scanned last. */
  number = "";
  /** Whether the lookup is pending. */
  isBusy = false;
  /** @type {TicketRow | null} */
  ticket = null;
  /** Why there is no ticket, or why it was not paid. @type {No | null} */
  no = null;
  /**
   * What is to be handed over now, since when, with its receipt and the amount in words.
   * @type {{paid: Paid, at_us: number, receipt: Document, words: string} | null}
   */
  handed = null;
  /**
   * The payable that was signed here and waits for its second signature.
   * @type {{row: import("../shared/types/console.js").DebtRow, drawer: string} | null}
   */
  signed = null;
  /** What was done last besides paying. */
  note = "";
  /** The newest first. @type {Deed[]} */
  deeds = [];
  /** The chosen drawer, where the person has several. */
  chosen = "";

  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
  }

  /**
   * Reset when another person has signed in: nothing of the previous person stays visible.
   * @returns {boolean} whether somebody has signed in since
   */
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

  /** The drawers of the person. @returns {DrawerRow[]} */
  get mine() {
    const { floor } = this.desk.view;
    return (floor?.drawers ?? []).filter(({ person }) => person === this.desk.who?.person);
  }

  /** The drawer that payments come from. @returns {DrawerRow | null} */
  get drawer() {
    const { mine } = this;
    return mine.find(({ drawer }) => drawer === this.chosen) ?? mine[0] ?? null;
  }

  /** The currency of the drawer, or the only one of the house; "" where it is not known yet. */
  get currency() {
    const all = currenciesOf(this.desk);
    return this.drawer?.currency || (all.length === 1 ? all[0] : "");
  }

  /**
   * Format an amount of a drawer; with several currencies the currency may not be known yet.
   * @param {number} cents @param {string} [currency]
   */
  figure(cents, currency = "") {
    const known = currency || this.currency;
    return known ? money(cents, known) : (cents / 100).toLocaleString("en", { minimumFractionDigits: 2 });
  }

  /** Look up a slip or ticket. @param {string} number */
  async lookUp(number) {
    Object.assign(this, { number, isBusy: true, ticket: null, no: null, handed: null, note: "" });
    this.#redraw();
    await this.#look(number);
  }

  /** Send a command: the previous payment is done with. @param {object} command */
  ask(command) {
    this.#begin();
    return this.desk.ask(command);
  }

  /**
   * Pay the ticket looked up, with the amount on paper where it was given.
   * @param {number | null} [onPaper]
   * @returns {Promise<import("../console/client.js").Answer>}
   */
  async pay(onPaper = null) {
    const [{ number }, drawer, form] = [this, this.drawer?.drawer ?? "", this.ticket?.form ?? ""];
    this.#begin();
    const answer = await this.desk.wish("redeem", { drawer, number, amount_on_paper: onPaper });
    if (answer.paid && answer.paid.sequence !== null)
      this.hand(answer.paid, `${wordOf(form)} ${answer.paid.sequence}`, {
        type: "ticket_receipt",
        sequence: answer.paid.sequence,
      });
    // A ticket scanned meanwhile stays on screen.
    if (number === this.number) await this.#look(number);
    if (number === this.number) this.no = answer.refusal;
    this.#redraw();
    return answer;
  }

  /** Something is to be handed over. @param {Paid} paid @param {string} what it is for @param {Document} receipt */
  hand(paid, what, receipt) {
    const handed = { paid, at_us: this.#now, receipt, words: "" };
    this.handed = handed;
    this.passed({ what, amount: paid.amount, currency: paid.currency, receipt });
    void amountWords(this.desk, receipt).then((words) => {
      handed.words = words;
      this.#redraw();
    });
  }

  /** Whether the ticket shown was just paid, and is being handed over. */
  get isHanded() {
    return this.ticket !== null && this.handed?.paid.sequence === this.ticket.sequence;
  }

  /** It was handed over. */
  handOver() {
    if (this.isHanded) Object.assign(this, { number: "", ticket: null, no: null });
    this.#begin();
    this.#redraw();
  }

  /** Add a movement of the drawer. @param {Omit<Deed, "at_us">} deed */
  passed(deed) {
    this.deeds.unshift({ at_us: this.#now, ...deed });
    this.#redraw();
  }

  /** Set the currency of movements made before it was known: that of their drawer. */
  name() {
    for (const deed of this.deeds) {
      const into = "drawer" in deed.receipt ? deed.receipt.drawer : "";
      deed.currency ||= this.mine.find(({ drawer }) => drawer === into)?.currency ?? "";
    }
  }

  /** Show what was done. @param {string} words */
  say(words) {
    this.note = words;
    this.#redraw();
  }

  /** Look up the same number again after a change. */
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
