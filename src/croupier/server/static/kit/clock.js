// The clock: how far the house's time is from this browser's, and what is left of a betting time. Pure.
// House times are whole microseconds; local times are milliseconds of a clock that never goes back.

/** How many samples are remembered: the one with the least round trip is the one that is believed. */
const SAMPLES_MOST = 16;

/**
 * @typedef {{trip: number, offset: number}} Sample
 * @typedef {{samples: Sample[]}} Clock
 */

/** @returns {Clock} */
export const begun = () => ({ samples: [] });

/**
 * Take in an answer: when it was asked for and came, both local, and what the house said the time was.
 * Where a machine has slept or a clock was set, samples of before cannot be true beside this one, and are dropped.
 * @param {Clock} clock @param {{sent: number, got: number, house: number}} answer @returns {Clock}
 */
export function heard(clock, { sent, got, house }) {
  const sample = { trip: got - sent, offset: house - ((sent + got) / 2) * 1000 };
  const agreeing = clock.samples.filter((other) => agree(other, sample));
  return { samples: [...agreeing, sample].slice(-SAMPLES_MOST) };
}

/** Each sample is right to half its round trip, so two can both be right when they differ by no more than the halves.
 * @param {Sample} one @param {Sample} other */
const agree = (one, other) => Math.abs(one.offset - other.offset) <= ((one.trip + other.trip) / 2) * 1000;

/** The house's time, or null before anything was heard. @param {Clock} clock @param {number} local */
export function houseNow(clock, local) {
  if (clock.samples.length === 0) return null;
  const best = clock.samples.reduce((one, other) => (other.trip < one.trip ? other : one));
  return Math.round(local * 1000 + best.offset);
}

/** Whole seconds until betting closes, never below nothing; null where it is not timed.
 * @param {number | null | undefined} closesAt @param {number | null} now */
export const secondsLeft = (closesAt, now) =>
  closesAt === null || closesAt === undefined || now === null ? null : Math.max(0, Math.ceil((closesAt - now) / 1e6));

/** Which of three looks the countdown has; the words and the figures say the same. @param {number} seconds */
export const zone = (seconds) => (seconds > 8 ? "calm" : seconds > 0 ? "soon" : "over");
