// The clock: how far the house's time is from this browser's, and what is left of a betting time. Pure.
// House times are whole microseconds; local times are milliseconds of a clock that never goes back.

/** How many samples are remembered: the one with the least round trip is the one that is believed. */
const SAMPLES_MOST = 16;

/** @typedef {{samples: {trip: number, offset: number}[]}} Clock */

/** @returns {Clock} */
export const begun = () => ({ samples: [] });

/** Take in an answer: when it was asked for and came, both local, and what the house said the time was. */
export function heard(clock, { sent, got, house }) {
  const sample = { trip: got - sent, offset: house - ((sent + got) / 2) * 1000 };
  return { samples: [...clock.samples, sample].slice(-SAMPLES_MOST) };
}

/** The house's time, or null before anything was heard. */
export function houseNow(clock, local) {
  if (clock.samples.length === 0) return null;
  const best = clock.samples.reduce((one, other) => (other.trip < one.trip ? other : one));
  return Math.round(local * 1000 + best.offset);
}

/** Whole seconds until betting closes, never below nothing; null where it is not timed. */
export const secondsLeft = (closesAt, now) =>
  closesAt == null || now == null ? null : Math.max(0, Math.ceil((closesAt - now) / 1e6));

/** Which of three looks the countdown has; the words and the figures say the same. */
export const zone = (seconds) => (seconds > 8 ? "calm" : seconds > 0 ? "soon" : "over");
