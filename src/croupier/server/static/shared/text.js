// The messages of a page in the language of its reader. English stands in for what is missing.

import { pageData } from "./page_data.js";
import * as naming from "./wording.js";
import { directionOf, formatMessage, localeOf, PSEUDO, pseudo } from "./wording.js";

/**
 * @typedef {import("./wording.js").Facts} Facts
 * @typedef {import("./wording.js").Words} Words
 */

/** The languages that a reader may choose, each by its own name. */
export const LANGUAGES = {
  en: "English",
  es: "Español",
  fr: "Français",
  ms: "Bahasa Melayu",
  "zh-Hans": "简体中文",
  ar: "العربية",
};
const ENGLISH = "en";

let language = ENGLISH;
/** The language requested last: its messages may still be loading. */
let wanted = ENGLISH;
/** The English messages of a page's first script come with the page. */
const embedded = globalThis.document?.getElementById("messages");
/** The folders of the messages that this page needs: pages of staff and of live tables have their own besides. */
const FOLDERS = [
  "words",
  ...["staff", "live"].filter((name) => name in (embedded?.dataset ?? {})).map((name) => `words/${name}`),
];
/** Loaded messages by language. @type {Map<string, Words>} */
const tables = new Map(embedded?.textContent ? [[ENGLISH, JSON.parse(embedded.textContent)]] : []);
/** Messages being loaded. @type {Map<string, Promise<boolean>>} */
const fetches = new Map();
/** How long to wait before a failed fetch is tried again. */
const PATIENCE_MS = 1000;

/** The message of an id. @param {string} id @param {Facts} [facts] */
export const say = (id, facts = {}) =>
  formatMessage(messagesOf(language), language, id, facts) ??
    formatMessage(messagesOf(ENGLISH), ENGLISH, id, facts) ??
    id;

/** The language in use. */
export const languageInUse = () => language;

/** The text direction of this page. */
export const direction = () => directionOf(language);

/** The locale for numbers, money and times. */
export const locale = () => localeOf(language);

/**
 * The language to start with: from the address (#lang=), else the stored choice, else the first of the browser's
 * languages that there is, else English. The pseudo-language (#lang=xx) helps translators and designers, and only the
 * address selects it.
 * @param {string | undefined} asked @param {string | undefined} chosen @param {readonly string[]} [spoken]
 */
export function languageOf(asked, chosen, spoken = []) {
  if (asked === PSEUDO) return PSEUDO;
  const known = Object.keys(LANGUAGES);
  const wanted = [asked, chosen, ...spoken.map((one) => naming.languageFor(one, known))];
  return wanted.find((one) => known.includes(one ?? "")) ?? ENGLISH;
}

/**
 * Change the language of this page once its messages are loaded; without them it stays.
 * @param {string} asked @returns {Promise<boolean>} whether it is in use now
 */
export async function useLanguage(asked) {
  wanted = asked;
  const [, came] = await Promise.all([loadEnglish(), load(asked)]);
  if (wanted !== asked || !came) return false;
  language = asked;
  document.documentElement.lang = asked === PSEUDO ? ENGLISH : asked;
  document.documentElement.dir = direction();
  return true;
}

/** Name a spot with its odds, as in "Split 17 / 20 · 17 to 1".
 * @param {naming.Spot} spot @param {naming.Kind[]} kinds */
export const spotLabel = (spot, kinds) => naming.spotLabel(translator(), spot, kinds);

/** Name a spot without its odds. @param {naming.Spot} spot */
export const spotName = (spot) => naming.spotName(translator(), spot);

/** Name a kind of bet. @param {naming.Kind} kind */
export const kindName = (kind) => naming.kindName(translator(), kind);

/** One sentence of help on a kind of bet. @param {naming.Kind} kind */
export const kindHelp = (kind) => naming.kindHelp(translator(), kind);

/** The variant of a table in words. @param {{zeros: number, order: string}} table */
export function variantText({ zeros, order }) {
  if (zeros < 2) return say("variant.single");
  if (zeros > 2) return say("variant.triple");
  return say(order === "european" ? "variant.double-european" : "variant.double-american");
}

/** An id as a name: "clearwater-a" is "Clearwater A", "us" is "US" and "two-in-a-row" is "Two in a Row". @param {string} id */
const idName = (id) =>
  id.split(/[-_\s]+/).map((word, place, { length }) => {
    const isWithin = place > 0 && place < length - 1;
    if (word.length < 3) return isWithin ? word : word.toUpperCase();
    return word[0].toUpperCase() + word.slice(1);
  }).join(" ");

/**
 * What distinguishes a table from the others of its venue: "Table C"; empty where it is the only one.
 * @param {NamedTable} one @param {{venue: string}[]} all
 */
function distinctionOf({ table, venue, live }, all) {
  if (all.filter((other) => other.venue === venue).length < 2) return "";
  if (live) return say("lobby.live_table");
  // "adelaide" repeats its venue, SkyCity Adelaide.
  const known = venue.toLowerCase().split(/\W+/);
  const name = idName(table.split(/[-_]/).filter((word) => !known.includes(word.toLowerCase())).join(" "));
  return name !== "" && name.length < 3 ? say("table", { name }) : name;
}

/**
 * The name of a table among others: its venue, and where the venue has several, what distinguishes it.
 * @typedef {{table: string, venue: string, live: boolean}} NamedTable
 * @param {NamedTable} one @param {{venue: string}[]} all
 */
export const tableTitle = (one, all) => [one.venue, distinctionOf(one, all)].filter(Boolean).join(" · ");

/** The name of a table among those of this page; its id as a name where it was added since. @param {string} id */
export function tableName(id) {
  const one = ofPage.find(({ table }) => table === id);
  return one ? tableTitle(one, ofPage) : idName(id);
}

/** The same where the venue is known: "Table C". @param {string} id */
export function shortTableName(id) {
  const one = ofPage.find(({ table }) => table === id);
  return (one && distinctionOf(one, ofPage)) || tableName(id);
}

/** The tables of this page; a payout trainer has none. */
const ofPage = pageData?.tables ?? [];

/**
 * The text of a refusal.
 * @param {{code: string, says: string, facts?: Record<string, unknown>}} no
 * @param {(cents: number) => string} amount writes money as this page does
 */
export const refusalText = (no, amount) => naming.refusalText(translator(), no, amount);

/**
 * The text of a message to this seat. A text that staff typed is not translated.
 * @param {import("./types/wire.js").MessageView} message @param {(cents: number) => string} amount
 */
export const seatMessageText = (
  { kind, says, amount: cents, round, pocket, was, paid_before, credit_before, credit_after },
  amount,
) =>
  say(`seat-message.${kind}`, {
    says,
    amount: amount(cents ?? 0),
    round: round ?? 0,
    pocket: pocket ?? "",
    was: was ?? "",
    before: amount(paid_before ?? 0),
    credit_before: amount(credit_before ?? 0),
    credit_after: amount(credit_after ?? 0),
  });

/** The outcome of a round. @param {import("./types/wire.js").Notice} notice */
export const noticeText = ({ kind }) => say(`outcome.${kind}`);

/** In English a bet has the name that the venue gives it. @returns {naming.Translator} */
const translator = () => ({
  words: messagesOf(language),
  language,
  say,
  own: language === ENGLISH ? (text) => text : language === PSEUDO ? pseudo : null,
});

/** @param {string} name @returns {Words} */
const messagesOf = (name) => tables.get(name === PSEUDO ? ENGLISH : name) ?? {};

/** A page needs English as the fallback, so it is fetched until it is loaded. */
async function loadEnglish() {
  while (!(await load(ENGLISH))) await new Promise((again) => setTimeout(again, PATIENCE_MS));
}

/** Fetch the messages of a language once, in the version of this module. @param {string} name */
function load(name) {
  const file = name === PSEUDO ? ENGLISH : name;
  const coming = fetches.get(file) ?? fetchMessages(file).finally(() => fetches.delete(file));
  fetches.set(file, coming);
  return coming;
}

/**
 * Load the English messages of deferred scripts, once; without a connection it fails, and may be tried again.
 * @returns {Promise<void>}
 */
export async function loadAllMessages() {
  if (isEnglishWhole) return;
  tables.set(ENGLISH, await fetchAll(ENGLISH));
  isEnglishWhole = true;
}

let isEnglishWhole = false;

/** @param {string} file @returns {Promise<Words>} */
async function fetchAll(file) {
  const answers = await Promise.all(
    FOLDERS.map((folder) => fetch(new URL(`../${folder}/${file}.json`, import.meta.url))),
  );
  const failed = answers.find(({ ok }) => !ok);
  if (failed) throw new Error(`${failed.status} ${failed.url}`);
  return Object.assign({}, ...(await Promise.all(answers.map((answer) => answer.json()))));
}

/** @param {string} file @returns {Promise<boolean>} */
async function fetchMessages(file) {
  if (tables.has(file)) return true;
  try {
    tables.set(file, await fetchAll(file));
  } catch {
    // Without a connection the language does not change: the caller sees false.
  }
  return tables.has(file);
}
