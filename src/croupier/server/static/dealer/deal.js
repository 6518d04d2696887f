// The deal: one table as its dealer has it: which step is next, which number is meant, and what is asked of the house.

import { isReady } from "../kit/store.js";
import { NOTHING, named, typed } from "./entry.js";

/**
 * @typedef {import("../kit/consoles.js").StepRow} StepRow
 * @typedef {import("./entry.js").Entry} Entry
 */

const MEMORY = "croupier:dealer:table";

export class Deal {
  /** @param {import("../staff/desk.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.chosen = desk.session.wanted.table ?? localStorage.getItem(MEMORY) ?? "";
    /** What was touched or typed, and the spin for which it was. @type {{spin: string, entry: Entry}} */
    this.kept = { spin: "", entry: NOTHING };
    /** Whether the house has not answered yet. */
    this.busy = false;
  }

  /** Every table of the house by name, in its order. */
  get tables() {
    return this.desk.ordered(Object.keys(this.desk.view.floor?.tables ?? {}));
  }

  /** The table that is dealt here: the one of the address, the one of last time, or the first. */
  get table() {
    return this.tables.includes(this.chosen) ? this.chosen : (this.tables[0] ?? "");
  }

  get state() {
    return this.desk.view.tables[this.table]?.state ?? null;
  }

  get floor() {
    return this.desk.view.floor?.tables?.[this.table] ?? null;
  }

  get felt() {
    return this.desk.felt(this.table);
  }

  /** @returns {StepRow[]} */
  get steps() {
    return this.floor?.steps ?? [];
  }

  /** The one step that is next, or null before anything was told. */
  get next() {
    return this.steps.find(({ next }) => next) ?? null;
  }

  /** Whether the house would hear something now. */
  get free() {
    return isReady(this.desk.view) && !this.busy;
  }

  /** The step that wants a number: one to be named, or the wheel's to be confirmed. */
  get wants() {
    const { next } = this;
    return next?.command && (next.step === "number" || next.step === "confirm") ? next : null;
  }

  /** Which number is meant: what was touched or typed in this spin, or else what the wheel reports.
   * @returns {Entry} */
  get entry() {
    const mine = this.kept.spin === this.#spin ? this.kept.entry : NOTHING;
    const reported = this.wants?.step === "confirm" ? (this.floor?.reported ?? null) : null;
    return { ...mine, pocket: mine.pocket ?? reported };
  }

  get #spin() {
    return `${this.table}:${this.state?.round}:${this.state?.spin}`;
  }

  /** @param {string} table */
  choose(table) {
    this.chosen = table;
    localStorage.setItem(MEMORY, table);
    this.desk.session.redraw();
  }

  /** Mean a number, by touch. @param {string | null} pocket */
  mean(pocket) {
    this.#keep({ ...this.entry, pocket, typed: "" });
  }

  /** Mean a number, digit by digit. @param {string} digit */
  type(digit) {
    this.#keep(typed(this.entry, digit, (pocket) => Boolean(this.felt?.colours.has(pocket))));
  }

  /** Forget what was touched and typed: what the wheel reports is meant again. */
  forget() {
    this.#keep(NOTHING);
  }

  /** @param {Entry} entry */
  #keep(entry) {
    this.kept = { spin: this.#spin, entry };
    this.desk.session.redraw();
  }

  /** Say the number that is meant: once, or twice where it is entered by hand. */
  async say() {
    const { wants, entry } = this;
    if (!wants || !this.free || entry.pocket === null || this.differs) return;
    const said = named(wants, entry);
    if (said.command === null) return this.#keep(said.entry);
    await this.#press(said.command);
    this.forget();
  }

  /** Whether the dealer means another number than the wheel reports: that takes two other people. */
  get differs() {
    return this.wants?.step === "confirm" && this.entry.pocket !== (this.floor?.reported ?? null);
  }

  /** Take a step, where the house would let it be taken. @param {StepRow} row */
  async take(row) {
    if (row.command && this.free) await this.#press(row.command);
  }

  /** Ask at a touch: what is refused stands above everything. @param {object} command */
  async #press(command) {
    const { refusal } = await this.ask(command);
    this.desk.tell(refusal);
  }

  /** @param {object} command @returns {Promise<import("../staff/desk.js").Answer>} */
  async ask(command) {
    this.busy = true;
    this.desk.session.redraw();
    const answer = await this.desk.ask(command);
    this.busy = false;
    this.desk.session.redraw();
    return answer;
  }
}
