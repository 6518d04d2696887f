// The state of the round being dealt: number entry and the call for a supervisor.

import { askSheet } from "../console/forms.js";
import { isReady } from "../shared/store.js";

/** @typedef {import("../shared/types/console.js").StepRow} StepRow */

const MEMORY = "croupier:dealer:table";

export class Deal {
  /** @param {import("../console/client.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.chosen = desk.session.wanted.table ?? localStorage.getItem(MEMORY) ?? "";
    /** The number entered, and the spin it belongs to. @type {{spin: string, entry: Entry}} */
    this.kept = { spin: "", entry: NOTHING };
    /** Whether a response is pending. */
    this.busy = false;
  }

  /** The tables of the house, in order. */
  get tables() {
    return this.desk.ordered(Object.keys(this.desk.view.floor?.tables ?? {}));
  }

  /** The table dealt here: that of the address, the last one, or the first. */
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

  /** The next step, or null before the first snapshot. */
  get next() {
    return this.steps.find(({ next }) => next) ?? null;
  }

  /** Whether a request may be sent now. */
  get free() {
    return isReady(this.desk.view) && !this.busy;
  }

  /** The step that needs a number: to be entered, or the wheel's to be confirmed. */
  get wants() {
    const { next } = this;
    return next?.command && (next.step === "number" || next.step === "confirm") ? next : null;
  }

  /** The number chosen: the one entered in this spin, or else the one that the wheel reports. @returns {Entry} */
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

  /** Choose a number by touch. @param {string | null} pocket */
  mean(pocket) {
    this.#keep({ ...this.entry, pocket, typed: "" });
  }

  /** Enter a number digit by digit. @param {string} digit */
  type(digit) {
    this.#keep(typed(this.entry, digit, (pocket) => Boolean(this.felt?.colours.has(pocket))));
  }

  /** Discard the entry: the number of the wheel applies again. */
  forget() {
    this.#keep(NOTHING);
  }

  /** @param {Entry} entry */
  #keep(entry) {
    this.kept = { spin: this.#spin, entry };
    this.desk.session.redraw();
  }

  /** Send the number: once, or twice where it is entered by hand. */
  async say() {
    const { wants, entry } = this;
    if (!wants || !this.free || entry.pocket === null || this.differs) return;
    const said = named(wants, entry);
    if (said.command === null) return this.#keep(said.entry);
    await this.#press(said.command);
    this.forget();
  }

  /** Whether the dealer's number differs from the wheel's: that needs two other people. */
  get differs() {
    return this.wants?.step === "confirm" && this.entry.pocket !== (this.floor?.reported ?? null);
  }

  /** Take a step, where it is allowed. @param {StepRow} row */
  async take(row) {
    if (row.command && this.free) await this.#press(row.command);
  }

  /** Send a command without a dialog: a refusal is shown in the notices. @param {object} command */
  async #press(command) {
    const { refusal } = await this.ask(command);
    this.desk.tell(refusal);
  }

  /** @param {object} command @returns {Promise<import("../console/client.js").Answer>} */
  async ask(command) {
    this.busy = true;
    this.desk.session.redraw();
    const answer = await this.desk.ask(command);
    this.busy = false;
    this.desk.session.redraw();
    return answer;
  }
}

// Number entry: digit by digit or by touch, and twice where it is entered by hand.

/**
 * @typedef {object} Entry
 * @property {string | null} pocket the number chosen
 * @property {string} typed its digits, where it is typed
 * @property {string | null} first the first entry, where it is entered twice
 */

/** @type {Entry} */
const NOTHING = { pocket: null, typed: "", first: null };

/**
 * Add a digit; a number that is not on this wheel starts again with it.
 * @param {Entry} entry @param {string} digit @param {(pocket: string) => boolean} isPocket @returns {Entry}
 */
export function typed(entry, digit, isPocket) {
  const found = [entry.typed + digit, digit].find(isPocket);
  return found === undefined ? entry : { ...entry, pocket: found, typed: found };
}

/**
 * The command for the number. Where the step needs it twice, the first entry is kept and there is no command yet.
 * @param {import("../shared/types/console.js").StepRow} row @param {Entry} entry
 * @returns {{entry: Entry, command: object | null}}
 */
export function named({ command, asks }, { pocket, first }) {
  if (asks.includes("again") && first === null) return { entry: { ...NOTHING, first: pocket }, command: null };
  const fields = asks.includes("again") ? { pocket: first, again: pocket } : { pocket };
  return { entry: NOTHING, command: { .../** @type {object} */ (command), ...fields } };
}

// The call for a supervisor: a message to the pit, shown there until it is handled; the round may wait for it.

/** The usual reasons for a call, as the pit reads them. */
const MATTERS = [
  "A player needs somebody",
  "A payment is in doubt",
  "Something is wrong with the wheel or the ball",
  "Somebody is to come here",
];

/** @param {Deal} deal @param {string} [words] initial text */
export function callSupervisor(deal, words = "") {
  const { state, table } = deal;
  if (!state) return;
  /** @type {[string, string][]} */
  const choices = MATTERS.map((one) => [one, one]);
  const held = state.phase !== "between" && state.phase !== "suspended";
  askSheet({
    name: "supervisor",
    title: "Call supervisor",
    look: "middle",
    fields: [
      { name: "matter", label: "What is it about?", kind: "pick", choices, optional: words !== "" },
      { name: "words", label: "In your words", kind: "words", optional: words === "", value: words },
      ...(held ? [HOLDS] : []),
    ],
    does: "Call",
    send: ({ matter, words: said, holds = false }) => {
      const told = [matter, said].filter(Boolean).join(": ");
      if (holds) return deal.ask({ type: "ReferRound", table, words: told });
      return deal.ask({ type: "NoteIncident", subject: table, words: told });
    },
  });
}

/** @type {import("../console/forms.js").Field} */
const HOLDS = { name: "holds", label: "Hold the round until it is decided: nothing moves until then", kind: "tick" };
