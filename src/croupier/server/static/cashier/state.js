// The state of a cashier session: its drawer, and the ticket or hand pay at hand.

import { currenciesOf } from "../console/documents.js";
import { paperName } from "../console/text.js";
import { money } from "../shared/money.js";
import { locale } from "../shared/text.js";
import { amountWords } from "./payout.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").Document} Document
 * @typedef {import("../shared/types/console.js").DrawerRow} DrawerRow
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("../shared/types/console.js").PayoutInstruction} PayoutInstruction
 * @typedef {import("../shared/types/console.js").TicketRow} TicketRow
 */

/**
 * @typedef {object} Movement a movement of the drawer in this session
 * @property {number} at_us
 * @property {string} what
 * @property {number} amount the amount paid out; negative where it came in
 * @property {string} currency
 * @property {Document} receipt
 */

/** The session storage key of the drawer that was handed in last. */
const HANDED_IN = "croupier:handed-in:";
/** That of the notes which a drawer lacks. */
const MISSING_NOTES = "croupier:lacking:";

export class CashierState {
  /** The person. */
  person = "";
  /** The sign-in: a new object with every sign-in. @type {ConsoleClient["who"]} */
  who = null;
  /** The number scanned last. */
  number = "";
  /** Whether the lookup is pending. */
  isBusy = false;
  /** @type {TicketRow | null} */
  ticket = null;
  /** Why there is no ticket, or why it was not paid. @type {Refusal | null} */
  refusal = null;
  /** Whether a payment is being made. */
  isPaying = false;
  /**
   * What is to be handed over now, since when, with its receipt and the amount in words.
   * @type {{paid: PayoutInstruction, at_us: number, receipt: Document, words: string} | null}
   */
  handed = null;
  /**
   * The payable that was signed here and waits for its second signature.
   * @type {{row: import("../shared/types/console.js").DebtRow, drawer: string} | null}
   */
  signed = null;
  /** What was done last besides paying. */
  note = "";
  /** The newest first. @type {Movement[]} */
  movements = [];
  /** The chosen drawer, where the person has several. */
  chosen = "";

  /** @param {ConsoleClient} client */
  constructor(client) {
    this.client = client;
  }

  /**
   * Reset when another person has signed in: nothing of the previous person stays visible.
   * @returns {boolean} whether somebody has signed in since
   */
  syncPerson() {
    const { who } = this.client;
    if (who === this.who) return false;
    const person = who?.person ?? "";
    if (person !== this.person) {
      // Every field has its first value again.
      Object.assign(this, new CashierState(this.client), { person });
    }
    this.who = who;
    this.#clearOutcome();
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
  get ownDrawers() {
    const { floor } = this.client.view;
    return (floor?.drawers ?? []).filter(({ person }) => person === this.client.who?.person);
  }

  /** The drawer that payments come from. @returns {DrawerRow | null} */
  get drawer() {
    const { ownDrawers } = this;
    return ownDrawers.find(({ drawer }) => drawer === this.chosen) ?? ownDrawers[0] ?? null;
  }

  /**
   * The drawer that pays in a currency: the chosen one, or another of the person; null where none does.
   * @param {string} currency @returns {DrawerRow | null}
   */
  drawerFor(currency) {
    const { drawer } = this;
    const pays = (/** @type {DrawerRow} */ row) => row.currency === "" || row.currency === currency;
    return drawer && pays(drawer) ? drawer : (this.ownDrawers.find(pays) ?? null);
  }

  /** The drawer that the ticket at hand is paid from; null where there is none, or nothing to pay. */
  get payingDrawer() {
    return this.ticket && !this.ticket.why_not ? this.drawerFor(this.ticket.currency) : null;
  }

  /** The currency of the drawer, or the only one of the house; "" where it is not known yet. */
  get currency() {
    const all = currenciesOf(this.client);
    return this.drawer?.currency || (all.length === 1 ? all[0] : "");
  }

  /**
   * Format an amount of a drawer; with several currencies the currency may not be known yet.
   * @param {number} cents @param {string} [currency]
   */
  formatAmount(cents, currency = "") {
    const known = currency || this.currency;
    return known ? money(cents, known, locale()) : (cents / 100).toLocaleString(locale(), { minimumFractionDigits: 2 });
  }

  /** Look up a slip or ticket. @param {string} number */
  async lookUp(number) {
    Object.assign(this, { number, isBusy: true, ticket: null, refusal: null, handed: null, note: "" });
    this.#redraw();
    await this.#queryTicket(number);
  }

  /** Send a command: the previous payment is done with. @param {object} command */
  sendCommand(command) {
    this.#clearOutcome();
    return this.client.sendCommand(command);
  }

  /**
   * Pay the ticket looked up, with the amount on paper where it was given.
   * @param {number | null} [onPaper]
   * @returns {Promise<import("../console/client.js").CommandResponse>}
   */
  async pay(onPaper = null) {
    const { number } = this;
    const drawer = this.payingDrawer?.drawer ?? "";
    const form = this.ticket?.form ?? "";
    this.#clearOutcome();
    this.isPaying = true;
    this.#redraw();
    const answer = await this.client.sendRequest("redeem", { drawer, number, amount_on_paper: onPaper });
    if (answer.paid && answer.paid.sequence !== null) {
      this.handOut(answer.paid, paperName(form, answer.paid.sequence), {
        type: "ticket_receipt",
        sequence: answer.paid.sequence,
      });
    }
    this.isPaying = false;
    // A ticket scanned meanwhile stays on screen.
    if (number === this.number) await this.#queryTicket(number);
    if (number === this.number) this.refusal = answer.refusal;
    this.#redraw();
    return answer;
  }

  /** Something is to be handed over. @param {PayoutInstruction} paid @param {string} what it is for @param {Document} receipt */
  handOut(paid, what, receipt) {
    const handed = { paid, at_us: this.#now, receipt, words: "" };
    this.handed = handed;
    this.addMovement({ what, amount: paid.amount, currency: paid.currency, receipt });
    void amountWords(this.client, receipt).then((words) => {
      handed.words = words;
      this.#redraw();
    });
  }

  /** Whether the ticket shown was just paid, and is being handed over. */
  get isHanded() {
    return this.ticket !== null && this.handed?.paid.sequence === this.ticket.sequence;
  }

  /** The cashier says that it was handed over. */
  confirmHandedOver() {
    this.#clearOutcome();
    this.#redraw();
  }

  /** The values of notes that a drawer has none of, as its cashier says: the house knows its sum alone. @param {string} drawer */
  missingNotes(drawer) {
    return /** @type {number[]} */ (JSON.parse(sessionStorage.getItem(MISSING_NOTES + drawer) ?? "[]"));
  }

  /** @param {string} drawer @param {number[]} values */
  setMissingNotes(drawer, values) {
    sessionStorage.setItem(MISSING_NOTES + drawer, JSON.stringify(values));
    this.#redraw();
  }

  /** @param {string} drawer */
  choose(drawer) {
    this.chosen = drawer;
    this.#redraw();
  }

  /** Add a movement of the drawer. @param {Omit<Movement, "at_us">} action */
  addMovement(action) {
    this.movements.unshift({ at_us: this.#now, ...action });
    this.#redraw();
  }

  /** Show what was done. @param {string} words */
  showNote(words) {
    this.note = words;
    this.#redraw();
  }

  /** Look up the same number again after a change. */
  lookUpAgain() {
    return this.number ? this.#queryTicket(this.number) : Promise.resolve();
  }

  /** @param {string} number */
  async #queryTicket(number) {
    const frame = await this.client.query("look_up", { number });
    if (number !== this.number) return;
    this.isBusy = false;
    this.ticket = frame.t === "looked_up" ? frame.ticket : null;
    this.refusal = frame.t === "refused" ? frame.refusal : null;
    this.#redraw();
  }

  /** Clear what was done last, with the ticket that was handed over. */
  #clearOutcome() {
    if (this.isHanded) Object.assign(this, { number: "", ticket: null });
    Object.assign(this, { refusal: null, handed: null, note: "" });
  }

  get #now() {
    return this.client.session.now() ?? 0;
  }

  #redraw() {
    this.client.session.redraw();
  }
}
