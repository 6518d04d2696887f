// Server times and durations as text. Times are in the timezone of the venue, as on paper, wherever the browser is.

import { pageData } from "./page_data.js";
import { locale, say } from "./text.js";

/** The timezone of the venue comes with the page. */
const timeZone = pageData?.timezone;

/** Formats by locale and options: making one takes longer than using it. @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** Server time in the timezone of the venue. @param {number} us @param {string} language @param {Intl.DateTimeFormatOptions} options */
export function venueTime(us, language, options) {
  const name = JSON.stringify([language, options]);
  const format = formats.get(name) ?? new Intl.DateTimeFormat(language, { timeZone, ...options });
  formats.set(name, format);
  return format.format(us / 1000);
}

/** The date at the venue, as 2026-11-18. @param {number} us */
export const venueDate = (us) => venueTime(us, "sv", { dateStyle: "short" });

/** Server time as time of day. @param {number} us */
export const clockOf = (us) => venueTime(us, locale(), { hour: "2-digit", minute: "2-digit" });

/** A duration in hours and minutes. @param {number} us */
export function lengthOf(us) {
  const minutes = Math.max(0, Math.floor(us / 60e6));
  return minutes < 60
    ? say("length.minutes", { n: minutes })
    : say("length.hours", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
