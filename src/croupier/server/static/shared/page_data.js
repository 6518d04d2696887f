// The data that the server writes into a page.

/**
 * @typedef {object} PageData
 * @property {string} screen
 * @property {string} venue
 * @property {string} mode
 * @property {TableLink[]} tables
 * @property {string} timezone of the venue
 * @property {string[]} [addresses] the origins to connect to when that of the page does not answer
 *
 * @typedef {{table: string, venue: string, rulebook: string, title: string, felt: string, live: boolean}} TableLink
 */

/** The data that the server wrote into a page. @param {Document} document @returns {PageData} */
export const pageDataOf = (document) => JSON.parse(document.getElementById("place")?.textContent ?? "null");

/** That of this page; null outside of a browser. @type {PageData | null} */
export const pageData = globalThis.document ? pageDataOf(document) : null;
