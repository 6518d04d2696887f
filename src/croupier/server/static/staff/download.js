// Downloads: something that the house has sent, saved as a file by this browser.

import { el } from "../kit/dom.js";

/** @typedef {{name: string, type: string, content: BlobPart}} Saved */

/** How long a file may take to be fetched by the browser itself. */
const KEPT_MS = 60_000;

/** Save something under a name. @param {Saved} saved */
export function save({ name, type, content }) {
  const href = address({ name, type, content });
  const link = el("a", { href, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Open something beside this page; tell whether the browser let it. @param {Saved} shown */
export const openBeside = (shown) => window.open(address(shown), "_blank") !== null;

/** The bytes of what was sent as base64. @param {string} text */
export const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

/** @param {Saved} saved */
function address({ type, content }) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  setTimeout(() => URL.revokeObjectURL(href), KEPT_MS);
  return href;
}
