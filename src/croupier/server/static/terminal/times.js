// Server times and durations as text.

import { locale, say } from "../shared/text.js";

/** Server time as time of day. @param {number} us */
export const clockOf = (us) =>
  new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" }).format(new Date(us / 1000));

/** A duration in hours and minutes. @param {number} us */
export function lengthOf(us) {
  const minutes = Math.max(0, Math.floor(us / 60e6));
  return minutes < 60
    ? say("length.minutes", { n: minutes })
    : say("length.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
