// What a replay shows: frames, felt, seats and steps.

import { Felt } from "../felt/felt.js";
import { EMPTY_LAYOUT } from "../felt/stacks.js";
import { MoneyFormat } from "../shared/money.js";
import { h } from "../shared/render.js";
import { locale, say, spotLabel, spotName } from "../shared/text.js";
import { timeOf } from "./text.js";
import { dataTable, ruleLink } from "./widgets.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").ReplaySeat} Seat
 * @typedef {import("../shared/types/console.js").ReplayStep} Step
 * @typedef {import("../shared/types/console.js").ReplayResult} ReplayResponse
 */

/**
 * @typedef {Record<string, number>} Chips
 * @typedef {object} Frame
 * @property {Step} step the event
 * @property {Record<string, Chips>} placed stakes by terminal, after it
 * @property {string | null} winning the valid number at that time
 * @property {string | null} seen the reported or valid number at that time
 * @property {boolean} settled whether the round is settled at that time
 * @property {boolean} sealed
 * @property {boolean} open whether bets may be placed
 */

/** Events that clear the stakes of the round. */
const CLEARING_EVENTS = new Set(["TerminalsReset", "RoundVoided"]);
/** Events that open and close betting. */
const OPENS = new Set(["BetsOpened", "TerminalsReset"]);
const CLOSES = new Set(["BetsClosing", "BetsSealed", "RoundVoided", "RoundSuspended"]);

/** @param {ReplayResponse} response @returns {Frame[]} */
export function framesOf({ seats, steps }) {
  const sealedLast = steps.map(({ kind }) => kind).lastIndexOf("BetsSealed");
  /** @type {Frame[]} */
  const frames = [];
  /** @type {Omit<Frame, "step">} */
  let now = {
    placed: Object.fromEntries(seats.map(({ terminal, at_start }) => [terminal, { ...at_start }])),
    winning: null,
    seen: null,
    settled: false,
    sealed: false,
    open: false,
  };
  for (const [place, step] of steps.entries()) {
    now = after(now, step);
    // The sealed stakes are recorded completely, including those left from the round before.
    if (place === sealedLast) now.placed = Object.fromEntries(seats.map(({ terminal, sealed }) => [terminal, sealed]));
    frames.push({ ...now, step });
  }
  return frames;
}

/** @param {Omit<Frame, "step">} now @param {Step} step @returns {Omit<Frame, "step">} */
function after(now, step) {
  const { kind, terminal, stakes, pocket } = step;
  const next = { ...now };
  if (terminal !== null && Object.keys(stakes).length > 0) {
    next.placed = { ...now.placed, [terminal]: mergeStakes(now.placed[terminal] ?? {}, stakes) };
  }
  if (CLEARING_EVENTS.has(kind)) Object.assign(next, { placed: {}, sealed: false, seen: null, winning: null });
  if (OPENS.has(kind)) next.open = true;
  if (CLOSES.has(kind)) next.open = false;
  if (kind === "BetsSealed") next.sealed = true;
  if (kind === "SpinVoided" || kind === "OutcomeInvalidated") Object.assign(next, { seen: null, winning: null });
  if (pocket !== null) next.seen = pocket;
  if (kind === "ResultDeclared" || kind === "ResultCorrected") next.winning = pocket;
  if (kind === "RoundSettled") next.settled = true;
  return next;
}

/** @param {Chips} placed @param {Chips} stakes @returns {Chips} */
const mergeStakes = (placed, stakes) =>
  Object.fromEntries(Object.entries({ ...placed, ...stakes }).filter(([, cents]) => cents > 0));

/**
 * The stakes of a frame: of one terminal, or of all together.
 * @param {Frame} frame @param {string | null} terminal @returns {Chips}
 */
export function chipsOf({ placed }, terminal) {
  if (terminal !== null) return placed[terminal] ?? {};
  /** @type {Chips} */
  const sums = {};
  for (const chips of Object.values(placed)) {
    for (const [spot, cents] of Object.entries(chips)) sums[spot] = (sums[spot] ?? 0) + cents;
  }
  return sums;
}

/**
 * When betting that is open in a frame closed; null where it is not open or never closed.
 * @param {Frame[]} frames @param {number} at
 */
export function closesAt(frames, at) {
  if (!frames[at].open) return null;
  return frames.slice(at).find(({ open }) => !open)?.step.at_us ?? null;
}

// The felt of a replay is read-only.

const nothing = () => {};
const READ_ONLY = { place: nothing, take: nothing, move: nothing, drop: nothing };

/** @param {HTMLElement} host @param {import("../shared/felt_cache.js").Felt} data */
export function replayFelt(host, data) {
  const format = new MoneyFormat({ currency: data.currency, locale: locale() });
  const label = (/** @type {string} */ spot) => {
    const spotsByKey = data.spotsByKey.get(spot);
    return spotsByKey ? spotLabel(spotsByKey, data.kinds) : spot;
  };
  const felt = new Felt(host, { data, money: () => format, label, on: READ_ONLY });
  felt.lay({ orientation: "landscape", mirrored: false, lens: false });
  return felt;
}

/**
 * The felt state of a frame: stakes, and the winners once the round is settled.
 * @param {Frame} frame @param {string | null} terminal
 * @returns {import("../felt/stacks.js").FeltState}
 */
export function feltStateOf(frame, terminal) {
  const { winning, settled, seen, sealed } = frame;
  const stakes = chipsOf(frame, terminal);
  const look = { ...EMPTY_LAYOUT, sealed, dolly: winning ?? seen };
  return settled && winning !== null ? { ...look, winning, last: { stakes } } : { ...look, stakes };
}

// The seats of a replay: the stakes at a step and, once settled, what was returned and for which bets.

/** A seat without a record of the round. @type {Seat} */
const EMPTY_SEAT = { terminal: "", at_start: {}, sealed: {}, staked: 0, returned: null, winners: {} };

/**
 * @param {ConsoleClient} client @param {ReplayResponse} response @param {string[]} names every terminal that had stakes
 * @param {Frame} frame @param {string | null} terminal the one that is shown, or all
 */
export function replaySeats(client, response, names, frame, terminal) {
  const seats = names.map(
    (name) => response.seats.find((seat) => seat.terminal === name) ?? { ...EMPTY_SEAT, terminal: name },
  );
  const write = (/** @type {number | null} */ cents) => (cents === null ? "–" : client.amount(cents, response.table));
  /** Whether the final result holds at this step. */
  const isOver = frame.settled && frame.winning === response.pocket;
  const placed = (/** @type {Seat} */ seat) =>
    Object.values(chipsOf(frame, seat.terminal)).reduce((sum, cents) => sum + cents, 0);
  return dataTable({
    label: say("replayed.seats"),
    columns: [
      { head: say("replayed.seat"), cell: (seat) => seat.terminal },
      { head: say("replayed.felt"), cell: (seat) => write(placed(seat)), sum: true },
      { head: say("replayed.returned"), cell: ({ returned }) => (isOver ? write(returned) : "–"), sum: true },
      {
        head: say("replayed.won"),
        cell: ({ returned, winners }) =>
          isOver && returned !== null ? wonOn(client, response.table, winners, write) : "–",
      },
    ],
    rows: seats.filter((seat) => terminal === null || seat.terminal === terminal),
    key: (seat) => seat.terminal,
    empty: say("replayed.no-chips"),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {Record<string, number>} winners
 * @param {(cents: number) => string} write */
function wonOn(client, table, winners, write) {
  const spotsByKey = client.felt(table)?.spotsByKey;
  const name = (/** @type {string} */ key) => {
    const spot = spotsByKey?.get(key);
    return spot ? spotName(spot) : key;
  };
  return (
    Object.entries(winners)
      .map(([key, cents]) => `${name(key)} ${write(cents)}`)
      .join(", ") || say("replayed.nothing")
  );
}

// The steps as a list: time, text, clause and person; each leads to its frame.

/** A time to a tenth of a second. @param {number} us */
export const instantOf = (us) => `${timeOf(us)}.${Math.floor((us % 1_000_000) / 100_000)}`;

/** What happened, and at which terminal. @param {Step} step */
export const stepText = ({ terminal, words }) => (terminal ? `${terminal}: ${words}` : words);

/** Who did it, and where. @param {Step} step */
export const actorOf = ({ person, device }) =>
  person && device ? say("replayed.actor", { person, device }) : person || device || say("replayed.house");

/** @param {ReplayResponse} response @param {number} at the step that is shown @param {(at: number) => void} go */
export const stepList = ({ rulebook, steps }, at, go) =>
  h(
    "ol",
    { class: "replay-steps", "aria-label": say("replayed.steps") },
    steps.map((step, place) =>
      h(
        "li",
        {
          key: place,
          "data-kind": step.kind,
          class: place > at ? "ahead" : null,
          "aria-current": place === at ? "step" : null,
        },
        h(
          "button",
          { type: "button", click: () => go(place) },
          h("time", null, instantOf(step.at_us)),
          h("span", { class: "said" }, stepText(step)),
          h("small", null, actorOf(step)),
        ),
        ruleLink(rulebook, step.clause),
      )
    ),
  );
