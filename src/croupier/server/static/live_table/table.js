// The live table of this console: its players and chips, what is selected, and the commands about chips.

import { rulesAt } from "../console/widgets.js";
import { Deal } from "../dealer/round.js";
import { colourName, STACK, valueChip, valueOf } from "../felt/pieces.js";
import { MoneyFormat } from "../shared/money.js";
import { h } from "../shared/render.js";
import { BETTING } from "../shared/store.js";
import { locale, say, spotName } from "../shared/text.js";
import { inValueChips, joined, piecesAt, piecesOn, withGuesses, worthOf } from "./entry.js";

/**
 * @typedef {import("../shared/types/wire.js").PlayerRow} PlayerRow
 * @typedef {import("../shared/types/wire.js").ColourRow} ColourRow
 * @typedef {import("../shared/types/wire.js").WalkPayment} WalkPayment
 * @typedef {{key: string, chips: [string, number][], planned: boolean}} PaymentWay the chips that are handed over
 * @typedef {import("./entry.js").Guess} Guess
 * @typedef {import("./entry.js").Touch} Touch
 * @typedef {"enter" | "number" | "collect" | "pay" | "tap" | "done"} Mode what the page shows
 * @typedef {"placed" | "assisted" | "verbal"} Manner how a bet came to lie on the felt
 */

/** @type {import("../shared/types/wire.js").LiveState} */
const NO_TABLE = { colours: [], players: {}, denominations: [], currency: "USD", least: null };

export class LiveTable extends Deal {
  /** @param {import("../console/client.js").ConsoleClient} client */
  constructor(client) {
    super(client);
    /** The player whose chips are entered, and the chip. @type {{position: number, chip: string} | null} */
    this.selected = null;
    /** How many pieces a touch adds; negative to take pieces off. */
    this.step = 1;
    /** @type {Manner} */
    this.manner = "placed";
    /** Whether the next touch is a late bet, which is handed back. */
    this.late = false;
    /** Touches of this frame. @type {Touch[]} */
    this.touches = [];
    /** The payment looked at, where it is not the next one: its place, in a round. @type {{round: number, place: number} | null} */
    this.looking = null;
    /** The way in which the next payment is made, where the dealer chose one. */
    this.way = "plan";
  }

  /** The one table of this console. @override */
  get table() {
    return this.client.view.live?.table ?? "";
  }

  get live() {
    return this.client.view.live?.state ?? NO_TABLE;
  }

  /** @returns {PlayerRow[]} */
  get players() {
    const rows = Object.values(this.live.players ?? {});
    return /** @type {PlayerRow[]} */ (rows).sort((one, other) => one.position - other.position);
  }

  /** Entered and not confirmed, in the order of entry: in commands without a response, and in this frame. @returns {Guess[]} */
  get guesses() {
    const sent = this.client.view.pending.flatMap(({ guess }) => (guess && "chips" in guess ? guess.chips : []));
    return [...sent, ...this.touches];
  }

  /** @returns {ColourRow[]} */
  get colours() {
    return this.live.colours ?? [];
  }

  /** Whether chips may be placed, changed and taken back now. */
  get betting() {
    const { state } = this;
    return state !== null && BETTING.has(state.phase);
  }

  /** Whether every bet of the table is recorded. */
  get betsRecorded() {
    return this.live.recording !== "supervised";
  }

  /** What the page shows. @returns {Mode} */
  get mode() {
    const { walk, state } = this;
    if (walk && (state?.phase === "paying" || walk.over) && state?.round === walk.round) {
      if (!walk.collected) return "collect";
      if (walk.over) return "done";
      return this.betsRecorded ? "pay" : "tap";
    }
    return this.numberStep ? "number" : "enter";
  }

  /** Collection and payment of the last round; null before its number counts. */
  get walk() {
    return this.client.view.walk ?? null;
  }

  /** Whether the dolly is placed before chips are collected or paid, also after a round whose payments had ended. */
  get wantsDolly() {
    const { walk, players } = this;
    return walk !== null && walk.marked !== walk.pocket && (!walk.over || players.some(({ payable }) => payable > 0));
  }

  /** The place of the payment that is shown: the one looked at, or the next to be made. */
  get viewed() {
    const { walk, looking } = this;
    if (!walk) return -1;
    if (looking?.round === walk.round) return looking.place;
    const next = walk.payments.findIndex(({ made }) => !made);
    return next < 0 ? walk.payments.length - 1 : next;
  }

  /** The payment that is shown. */
  get payment() {
    return this.walk?.payments[this.viewed] ?? null;
  }

  /** Whether the payment shown is of bets around the number: a box may be paid with them, apart from the number. */
  get isAroundNumber() {
    const { payment, felt } = this;
    if (payment?.segment !== "inside") return false;
    const boxes = new Set(felt?.boxes.map(({ bet }) => bet));
    return payment.lines.length === 0 || payment.lines.some(({ spot }) => !boxes.has(spot));
  }

  /** Look at another payment without making it. @param {number} away */
  look(away) {
    const { walk, viewed } = this;
    if (!walk) return;
    const place = Math.min(walk.payments.length - 1, Math.max(0, viewed + away));
    this.looking = { round: walk.round, place };
    this.way = "plan";
    this.client.session.redraw();
  }

  /** @param {string} way */
  chooseWay(way) {
    this.way = way;
    this.client.session.redraw();
  }

  /** An amount in value chips of the float; empty where it cannot be paid so. @param {number} cents @returns {[string, number][]} */
  inCash(cents) {
    const { chips, left } = inValueChips(cents, this.denominations);
    return left === 0 ? chips.map(([value, count]) => [valueChip(value), count]) : [];
  }

  /**
   * The ways to pay an amount: as planned, all in colour, a stack and cash, all in value chips. Of one that chips do not
   * make, a supervisor chooses the next lower or the next higher.
   * @param {WalkPayment} payment @returns {PaymentWay[]}
   */
  waysToPay(payment) {
    if (payment.choices.length > 0) {
      return payment.choices.map((chips, place) => ({
        key: place < payment.choices.length - 1 ? "lower" : "higher",
        chips,
        planned: false,
      }));
    }
    /** @type {[string, number][]} */
    const plan = [...payment.colours, ...payment.cash];
    const colours = plan.filter(([chip]) => valueOf(chip) === null).length;
    const name = colours === 0 ? "cash" : colours === plan.length ? "colour" : "plan";
    const ways = [{ key: name, chips: plan, planned: true }];
    const add = (/** @type {string} */ key, /** @type {[string, number][]} */ chips) => {
      const same = ways.some((way) => JSON.stringify([...way.chips].sort()) === JSON.stringify([...chips].sort()));
      if (!same && chips.length > 0 && this.worth(chips) === payment.paid) ways.push({ key, chips, planned: false });
    };
    add("colour", [...payment.pieces]);
    const [first] = payment.pieces;
    if (first && first[1] > STACK && payment.pieces.length === 1) {
      add("mixed", [[first[0], STACK], ...this.inCash(payment.paid - STACK * this.chipValue(first[0]))]);
    }
    add("cash", this.inCash(payment.paid));
    return ways;
  }

  /** The value of some chips in cents. @param {[string, number][]} chips */
  worth(chips) {
    return chips.reduce((sum, [chip, pieces]) => sum + pieces * this.chipValue(chip), 0);
  }

  /** The way in which a payment is made: the one chosen where it can be made so, or else the plan. @param {WalkPayment} payment */
  chosenWay(payment) {
    const ways = this.waysToPay(payment);
    return ways.find(({ key }) => key === this.way) ?? ways[0];
  }

  /** The main button of the walk: place the dolly, collect, make the payment that is shown, or open the next round. */
  async nextPayment() {
    const { walk, payment, table, next } = this;
    if (!walk || !this.canSend) return;
    const { round } = walk;
    if (this.wantsDolly) await this.sendAlone({ type: "PlaceDolly", table, round, pocket: walk.pocket });
    else if (!walk.collected) await this.sendAlone({ type: "CollectLosers", table, round });
    else if (payment && !payment.made) {
      const { segment, position } = payment;
      const { chips, planned } = this.chosenWay(payment);
      const handed = planned ? {} : { handed: chips };
      const { refusal } = await this.sendAlone({ type: "PaySegment", table, round, segment, position, ...handed });
      if (!refusal) this.#goOn();
    } else if (walk.over && next?.command) await this.takeStep(next);
    else this.#goOn();
  }

  #goOn() {
    this.looking = null;
    this.way = "plan";
    this.client.session.redraw();
  }

  /** At a table that does not record all bets: every winner is paid. */
  async finishPaying() {
    const { walk, table } = this;
    if (walk) await this.sendAlone({ type: "FinishPaying", table, round: walk.round });
  }

  /** Send a command after which nothing else is sent until its response; a refusal is shown in the notices. @param {object} command */
  async sendAlone(command) {
    const answer = await this.sendCommand(command);
    this.client.showRefusal(answer.refusal);
    return answer;
  }

  /** The number is confirmed with the dolly on it. */
  async placeDolly() {
    await this.sendNumber({ dolly: this.entry.pocket });
  }

  /** The rulebook of the table, for links to its clauses. */
  get rulebook() {
    return rulesAt(this.client, this.table);
  }

  /** @param {number} position */
  player(position) {
    return this.players.find((player) => player.position === position) ?? null;
  }

  /** @param {string} name */
  colour(name) {
    return this.colours.find((row) => row.colour === name) ?? null;
  }

  /** The value of a chip in cents. @param {string} chip */
  chipValue(chip) {
    return valueOf(chip) ?? this.colour(chip)?.value ?? 0;
  }

  /** The value chips of the float, the largest first. */
  get denominations() {
    return this.live.denominations ?? [];
  }

  /** How amounts are written at this table. */
  get money() {
    return new MoneyFormat({ currency: this.live.currency ?? "USD", locale: locale() });
  }

  /** An amount with the short sign of the table's currency. @param {number | null | undefined} cents */
  amount(cents) {
    return cents === null || cents === undefined ? "–" : this.money.amount(cents);
  }

  /** The chips that a player may bet with: the player's colours, then value chips. @param {PlayerRow} player */
  chipsOf(player) {
    return [...player.colours, ...[...this.denominations].reverse().map(valueChip)];
  }

  /** The chip by which a player is known: the first colour, or the lowest value chip that is a bet. @param {PlayerRow} player */
  chipOf(player) {
    const least = [...this.denominations].reverse().find((value) => value >= (this.live.least ?? 0));
    return player.colours[0] ?? valueChip(least ?? this.denominations[0] ?? 100);
  }

  /** The name of a chip: a colour, or an amount. @param {string} chip */
  chipName(chip) {
    const cents = valueOf(chip);
    return cents === null ? colourName(chip) : this.amount(cents);
  }

  /** The name of a player: the colour, and how staff refer to the player. @param {PlayerRow} player */
  playerName(player) {
    return player.colours.length > 0 ? this.chipName(player.colours[0]) : say("live.value-player");
  }

  /** How staff refer to a player. @param {PlayerRow} player */
  labelOf(player) {
    return player.label || say("live.position", { n: player.position });
  }

  /** What lies on the felt for a player, with what was entered here. @param {PlayerRow} player */
  layoutOf(player) {
    return withGuesses(player.chips, this.guesses, player.position);
  }

  /** The value that lies on the felt for a player. @param {PlayerRow} player */
  stakedBy(player) {
    return worthOf(piecesOn(this.layoutOf(player)), (chip) => this.chipValue(chip));
  }

  /** The lowest marker bet; null where the table has no block. */
  get markerLeast() {
    return this.client.view.notice?.marker?.least ?? null;
  }

  /** The name of marker bets in the notation: "neighbours". */
  get markerCall() {
    return this.client.view.notice?.marker?.call ?? "";
  }

  /** The number of a spot on the block; null for a spot of the layout. @param {string} spot */
  markerOf(spot) {
    const [call, number] = spot.split(" ");
    return call === this.markerCall && number !== undefined ? number : null;
  }

  /** A number with its two neighbours on either side of the wheel. @param {string} number */
  neighboursOf(number) {
    const order = (this.felt?.wheel ?? []).map(({ pocket }) => pocket);
    const at = order.indexOf(number);
    return [-2, -1, 0, 1, 2].map((away) => order[(at + away + order.length) % order.length]);
  }

  /** The name of a spot of the layout or of the block. @param {string} spot */
  spotName(spot) {
    const place = this.felt?.spotsByKey.get(spot);
    return place ? spotName(place) : spot.charAt(0).toUpperCase() + spot.slice(1);
  }

  /** The player whose chips are entered. */
  get current() {
    return this.selected ? this.player(this.selected.position) : null;
  }

  /** @param {PlayerRow} player @param {string} [chip] */
  select(player, chip = this.chipOf(player)) {
    this.selected = { position: player.position, chip };
    this.client.session.redraw();
  }

  /** Change what a touch does. @param {{step?: number, manner?: Manner, late?: boolean}} chosen */
  use(chosen) {
    Object.assign(this, chosen);
    this.client.session.redraw();
  }

  /** Send a command; a refusal is shown in the notices. @param {object} command @param {{chips: Guess[]} | null} [guess] */
  async ask(command, guess = null) {
    const answer = await this.client.sendCommand(command, guess);
    this.client.showRefusal(answer.refusal);
    return answer;
  }

  /** A winning bet at a table that does not record all bets. @param {string} spot */
  recordWinner(spot) {
    const { selected, walk, table, step } = this;
    if (!selected || !walk?.collected || step < 1) return;
    const { position, chip } = selected;
    void this.ask({ type: "RecordWinner", table, position, round: walk.round, bets: [[spot, step]], chip });
  }

  /** A touch of a spot with the selected chip: all touches of one frame are sent together. @param {string} spot */
  touch(spot) {
    const { selected, step } = this;
    if (!selected || !this.current) return;
    const { position, chip } = selected;
    const lies = piecesAt(this.layoutOf(this.current), spot, chip);
    const pieces = Math.max(step, -lies);
    if (pieces === 0) return;
    if (this.touches.length === 0) requestAnimationFrame(() => this.#flush());
    const after = lies + pieces;
    this.touches.push({ position, chip, spot, pieces, after });
    this.client.session.redraw();
  }

  #flush() {
    const { touches, manner } = this;
    this.touches = [];
    for (const { command, of } of joined(touches)) {
      void this.askChips(command.type === "PlaceChips" ? { ...command, manner } : command, of);
    }
  }

  /** Send a command about chips on the felt; it is valid in this spin only. @param {object} command @param {Guess[]} [chips] how they will lie */
  askChips(command, chips = []) {
    const { table, state } = this;
    return this.ask({ ...command, table, round: state?.round, spin: state?.spin }, { chips });
  }

  /** Undo the last change of the player's chips. */
  undo() {
    if (this.selected) void this.askChips({ type: "UndoChips", position: this.selected.position });
  }

  /** Move a player's chips from a spot to another, or take them back. @param {string} source @param {string | null} target */
  move(source, target) {
    if (!this.selected) return;
    const { position } = this.selected;
    if (target === null) void this.askChips({ type: "RemoveChips", position, spots: [source] });
    else void this.askChips({ type: "MoveChips", position, source, target });
  }

  /** Hand back a chip that was placed after the close; the spin stands. @param {string} spot */
  returnLate(spot) {
    if (!this.selected) return;
    const { position, chip } = this.selected;
    this.use({ late: false });
    void this.ask({ type: "ReturnLate", table: this.table, position, chip, bets: [[spot, Math.max(1, this.step)]] });
  }
}

/**
 * A clause behind a sign: a link to the rules of the table.
 * @param {string | null | undefined} rulebook @param {string | null | undefined} clause
 */
export function clauseSign(rulebook, clause) {
  if (!clause || !rulebook) return null;
  const href = `rules/${encodeURIComponent(rulebook)}#${encodeURIComponent(clause)}`;
  const label = say("live.clause", { clause });
  const attributes = { class: "info", href, target: "_blank", rel: "noopener", "aria-label": label, title: label };
  return h("a", attributes, h("i", { "aria-hidden": "true" }, "i"));
}
