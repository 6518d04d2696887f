// Server times and durations as text.

import { locale, say } from "../shared/text.js";

/** The formats by locale: making one takes longer than using it. @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** Server time as time of day. @param {number} us */
export function clockOf(us) {
  const format = formats.get(locale()) ?? new Intl.DateTimeFormat(locale(), { hour: "2-digit", minute: "2-digit" });
  formats.set(locale(), format);
  return format.format(new Date(us / 1000));
}

/** A duration in hours and minutes. @param {number} us */
export function lengthOf(us) {
  const minutes = Math.max(0, Math.floor(us / 60e6));
  return minutes < 60
    ? say("length.minutes", { n: minutes })
    : say("length.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
