// The frames of a replay: a round as what lay on the felt after each step, for all seats and for each. Pure.

/**
 * @typedef {import("../kit/consoles.js").ToldReplay} Told
 * @typedef {import("../kit/consoles.js").ReplayStep} Step
 * @typedef {Record<string, number>} Chips
 * @typedef {object} Frame
 * @property {Step} step what happened
 * @property {Record<string, Chips>} lies by terminal, after it
 * @property {string | null} winning the number that counts by then
 * @property {string | null} seen the number that was reported, or counts, by then
 * @property {boolean} settled whether the house has paid by then
 * @property {boolean} sealed
 * @property {boolean} open whether bets may be placed
 */

/** After these no chips of the round are left. */
const BARE = new Set(["TerminalsReset", "RoundVoided"]);
/** What opens betting, and what ends it. */
const OPENS = new Set(["BetsOpened", "TerminalsReset"]);
const CLOSES = new Set(["BetsClosing", "BetsSealed", "RoundVoided", "RoundSuspended"]);

/** @param {Told} told @returns {Frame[]} */
export function framesOf({ seats, steps }) {
  const sealedLast = steps.map(({ kind }) => kind).lastIndexOf("BetsSealed");
  /** @type {Frame[]} */
  const frames = [];
  /** @type {Omit<Frame, "step">} */
  let now = {
    lies: Object.fromEntries(seats.map(({ terminal, at_start }) => [terminal, { ...at_start }])),
    winning: null,
    seen: null,
    settled: false,
    sealed: false,
    open: false,
  };
  for (const [place, step] of steps.entries()) {
    now = after(now, step);
    // What was sealed is on record whole, also where it began with chips of the round before.
    if (place === sealedLast) now.lies = Object.fromEntries(seats.map(({ terminal, sealed }) => [terminal, sealed]));
    frames.push({ ...now, step });
  }
  return frames;
}

/** @param {Omit<Frame, "step">} now @param {Step} step @returns {Omit<Frame, "step">} */
function after(now, step) {
  const { kind, terminal, stakes, pocket } = step;
  const next = { ...now };
  if (terminal !== null && Object.keys(stakes).length > 0)
    next.lies = { ...now.lies, [terminal]: laid(now.lies[terminal] ?? {}, stakes) };
  if (BARE.has(kind)) Object.assign(next, { lies: {}, sealed: false, seen: null, winning: null });
  if (OPENS.has(kind)) next.open = true;
  if (CLOSES.has(kind)) next.open = false;
  if (kind === "BetsSealed") next.sealed = true;
  if (kind === "SpinVoided" || kind === "OutcomeInvalidated") Object.assign(next, { seen: null, winning: null });
  if (pocket !== null) next.seen = pocket;
  if (kind === "ResultDeclared" || kind === "ResultCorrected") next.winning = pocket;
  if (kind === "RoundSettled") next.settled = true;
  return next;
}

/** @param {Chips} lies @param {Chips} stakes @returns {Chips} */
const laid = (lies, stakes) =>
  Object.fromEntries(Object.entries({ ...lies, ...stakes }).filter(([, cents]) => cents > 0));

/** What lies on the felt in a frame: of one terminal, or of all together.
 * @param {Frame} frame @param {string | null} terminal @returns {Chips} */
export function chipsOf({ lies }, terminal) {
  if (terminal !== null) return lies[terminal] ?? {};
  /** @type {Chips} */
  const sums = {};
  for (const chips of Object.values(lies))
    for (const [spot, cents] of Object.entries(chips)) sums[spot] = (sums[spot] ?? 0) + cents;
  return sums;
}

/** When betting that is open in a frame closed in the end, or null where it is not open or never did.
 * @param {Frame[]} frames @param {number} at */
export function closesAt(frames, at) {
  if (!frames[at].open) return null;
  return frames.slice(at).find(({ open }) => !open)?.step.at_us ?? null;
}
