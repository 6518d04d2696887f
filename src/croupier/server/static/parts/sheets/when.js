// Moments: times of the house and lengths of time, as a player reads them.

import { locale, say } from "../../kit/words.js";

/** A house time as a clock on the wall would show it. @param {number} us */
export const clockOf = (us) =>
  new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" }).format(new Date(us / 1000));

/** A house time with its day. @param {number} us */
export const dayOf = (us) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "medium" }).format(new Date(us / 1000));

/** A length of time in hours and minutes. @param {number} us */
export function lengthOf(us) {
  const minutes = Math.max(0, Math.floor(us / 60e6));
  return minutes < 60
    ? say("length.minutes", { n: minutes })
    : say("length.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
