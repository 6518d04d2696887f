// The state of the round being dealt: number entry and the call for a supervisor.

import { openForm } from "../console/forms.js";
import { isReady } from "../shared/store.js";
import { say } from "../shared/text.js";

/** @typedef {import("../shared/types/console.js").StepRow} StepRow */

const MEMORY = "croupier:dealer:table";

export class Deal {
  /** @param {import("../console/client.js").ConsoleClient} client */
  constructor(client) {
    this.client = client;
    this.chosen = client.session.parameters.table ?? localStorage.getItem(MEMORY) ?? "";
    /** The number entered, and the spin it belongs to. @type {{spin: string, entry: Entry}} */
    this.kept = { spin: "", entry: EMPTY_ENTRY };
    /** Whether a response is pending. */
    this.busy = false;
  }

  /** The tables of the house, in order. */
  get tables() {
    return this.client.ordered(Object.keys(this.client.view.floor?.tables ?? {}));
  }

  /** The table dealt here: that of the address, the last one, or the first. */
  get table() {
    return this.tables.includes(this.chosen) ? this.chosen : (this.tables[0] ?? "");
  }

  get state() {
    return this.client.view.tables[this.table]?.state ?? null;
  }

  get floor() {
    return this.client.view.floor?.tables?.[this.table] ?? null;
  }

  get felt() {
    return this.client.felt(this.table);
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
  get canSend() {
    return isReady(this.client.view) && !this.busy;
  }

  /** The step that needs a number: to be entered, or the wheel's to be confirmed. */
  get numberStep() {
    const { next } = this;
    return next?.command && (next.step === "number" || next.step === "confirm") ? next : null;
  }

  /** The number chosen: the one entered in this spin, or else the one that the wheel reports. @returns {Entry} */
  get entry() {
    const mine = this.kept.spin === this.#spin ? this.kept.entry : EMPTY_ENTRY;
    const reported = this.numberStep?.step === "confirm" ? (this.floor?.reported ?? null) : null;
    return { ...mine, pocket: mine.pocket ?? reported };
  }

  get #spin() {
    return `${this.table}:${this.state?.round}:${this.state?.spin}`;
  }

  /** @param {string} table */
  choose(table) {
    this.chosen = table;
    localStorage.setItem(MEMORY, table);
    this.client.session.redraw();
  }

  /** Choose a number by touch. @param {string | null} pocket */
  choosePocket(pocket) {
    this.#keep({ ...this.entry, pocket, typed: "" });
  }

  /** Enter a number digit by digit. @param {string} digit */
  type(digit) {
    this.#keep(addDigit(this.entry, digit, (pocket) => Boolean(this.felt?.colours.has(pocket))));
  }

  /** Discard the entry: the number of the wheel applies again. */
  clearEntry() {
    this.#keep(EMPTY_ENTRY);
  }

  /** @param {Entry} entry */
  #keep(entry) {
    this.kept = { spin: this.#spin, entry };
    this.client.session.redraw();
  }

  /** Send the number: once, or twice where it is entered by hand. @param {object} [more] fields of the command */
  async sendNumber(more = {}) {
    const { numberStep: wants, entry } = this;
    if (!wants || !this.canSend || entry.pocket === null || this.differs) return;
    const said = numberCommand(wants, entry);
    if (said.command === null) return this.#keep(said.entry);
    await this.#press({ ...said.command, ...more });
    this.clearEntry();
  }

  /** Whether the dealer's number differs from the wheel's: that needs two other people. */
  get differs() {
    return this.numberStep?.step === "confirm" && this.entry.pocket !== (this.floor?.reported ?? null);
  }

  /** Take a step, where it is allowed. @param {StepRow} row */
  async takeStep(row) {
    if (row.command && this.canSend) await this.#press(row.command);
  }

  /** Send a command without a dialog: a refusal is shown in the notices. @param {object} command */
  async #press(command) {
    const { refusal } = await this.sendCommand(command);
    this.client.showRefusal(refusal);
  }

  /** @param {object} command @returns {Promise<import("../console/client.js").CommandResponse>} */
  async sendCommand(command) {
    this.busy = true;
    this.client.session.redraw();
    const answer = await this.client.sendCommand(command);
    this.busy = false;
    this.client.session.redraw();
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
const EMPTY_ENTRY = { pocket: null, typed: "", first: null };

/**
 * Add a digit; a number that is not on this wheel starts again with it.
 * @param {Entry} entry @param {string} digit @param {(pocket: string) => boolean} isPocket @returns {Entry}
 */
function addDigit(entry, digit, isPocket) {
  const found = [entry.typed + digit, digit].find(isPocket);
  return found === undefined ? entry : { ...entry, pocket: found, typed: found };
}

/**
 * The command for the number. Where the step needs it twice, the first entry is kept and there is no command yet.
 * @param {import("../shared/types/console.js").StepRow} row @param {Entry} entry
 * @returns {{entry: Entry, command: object | null}}
 */
function numberCommand({ command, asks }, { pocket, first }) {
  if (asks.includes("again") && first === null) return { entry: { ...EMPTY_ENTRY, first: pocket }, command: null };
  const fields = asks.includes("again") ? { pocket: first, again: pocket } : { pocket };
  return { entry: EMPTY_ENTRY, command: { .../** @type {object} */ (command), ...fields } };
}

// The call for a supervisor: a message to the pit, shown there until it is handled; the round may wait for it.

/** The usual reasons for a call, as the pit reads them. */
const CALL_REASONS = ["player", "payment", "wheel", "come"];

/** @param {Deal} deal @param {string} [words] initial text */
export function callSupervisor(deal, words = "") {
  const { state, table } = deal;
  if (!state) return;
  /** @type {[string, string][]} */
  const choices = CALL_REASONS.map((one) => [say(`supervisor.${one}`), say(`supervisor.${one}`)]);
  const held = state.phase !== "between" && state.phase !== "suspended";
  openForm({
    name: "supervisor",
    title: say("dealer.supervisor"),
    look: "middle",
    fields: [
      { name: "matter", label: say("supervisor.about"), kind: "pick", choices, optional: words !== "" },
      { name: "words", label: say("supervisor.words"), kind: "words", optional: words === "", value: words },
      ...(held ? [holdField()] : []),
    ],
    does: say("no-spin.call"),
    send: ({ matter, words: said, holds = false }) => {
      const response = [matter, said].filter(Boolean).join(": ");
      if (holds) return deal.sendCommand({ type: "ReferRound", table, words: response });
      return deal.sendCommand({ type: "NoteIncident", subject: table, words: response });
    },
  });
}

/** @returns {import("../console/forms.js").Field} */
const holdField = () => ({ name: "holds", label: say("supervisor.hold"), kind: "tick" });
