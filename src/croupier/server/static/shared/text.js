// The messages of a page in the language of its reader. English stands in for what is missing.

import * as naming from "./wording.js";
import { directionOf, localeOf, PSEUDO, pseudo, worded } from "./wording.js";

/**
 * @typedef {import("./wording.js").Facts} Facts
 * @typedef {import("./wording.js").Words} Words
 */

/** The languages that a player may choose, each by its own name. */
export const LANGUAGES = { en: "English", fr: "Français", ar: "العربية" };
const ENGLISH = "en";

/** The language in use. */
export let language = ENGLISH;
/** The language that was last asked for: its words may still be on their way. */
let wanted = ENGLISH;
/** Words that are here. @type {Map<string, Words>} */
const tables = new Map();
/** Words that are on their way. @type {Map<string, Promise<boolean>>} */
const fetches = new Map();
/** So long it is before words are fetched again that could not be. */
const PATIENCE_MS = 1000;

/** Say something by its id. @param {string} id @param {Facts} [facts] */
export const say = (id, facts = {}) =>
  worded(wordsOf(language), language, id, facts) ?? worded(wordsOf(ENGLISH), ENGLISH, id, facts) ?? id;

/** Whether this page reads from the right. */
export const direction = () => directionOf(language);

/** What the language is called where the browser writes numbers, money and times. */
export const locale = () => localeOf(language);

/** The language to begin with: what the address asks for (#lang=), else what was chosen before, else English. The one
 * that nobody speaks (#lang=xx) is a check for those who translate and draw, and only an address asks for it.
 * @param {string | undefined} asked @param {string | undefined} chosen */
export const languageOf = (asked, chosen) =>
  asked === PSEUDO ? PSEUDO : ([asked, chosen].find((one) => Object.keys(LANGUAGES).includes(one ?? "")) ?? ENGLISH);

/** Change the language of this page, once its words are there; without them it stays as it is.
 * @param {string} asked @returns {Promise<boolean>} whether it is in use now */
export async function use(asked) {
  wanted = asked;
  const [, came] = await Promise.all([english(), fetched(asked)]);
  if (wanted !== asked || !came) return false;
  language = asked;
  document.documentElement.lang = asked === PSEUDO ? ENGLISH : asked;
  document.documentElement.dir = direction();
  return true;
}

/** Name a spot with its odds, as in "Split 17 / 20 · 17 to 1".
 * @param {naming.Spot} spot @param {naming.Kind[]} kinds */
export const spotLabel = (spot, kinds) => naming.spotLabel(voice(), spot, kinds);

/** Name a spot without its odds. @param {naming.Spot} spot */
export const spotName = (spot) => naming.spotName(voice(), spot);

/** Name a kind of bet. @param {naming.Kind} kind */
export const kindName = (kind) => naming.kindName(voice(), kind);

/**
 * Say why something was refused.
 * @param {{code: string, says: string, facts?: Record<string, unknown>}} no
 * @param {(cents: number) => string} amount writes money as this page does
 */
export const refusalWords = (no, amount) => naming.refusalWords(voice(), no, amount);

/** English has the house's own words for bets and refusals. @returns {naming.Voice} */
const voice = () => ({
  words: wordsOf(language),
  say,
  own: language === ENGLISH ? (text) => text : language === PSEUDO ? pseudo : null,
});

/** @param {string} name @returns {Words} */
const wordsOf = (name) => tables.get(name === PSEUDO ? ENGLISH : name) ?? {};

/** A page without any words is of no use: English is fetched until it is there. */
async function english() {
  while (!(await fetched(ENGLISH))) await new Promise((again) => setTimeout(again, PATIENCE_MS));
}

/** Fetch the words of a language once, of the same version as this module. @param {string} name */
function fetched(name) {
  const file = name === PSEUDO ? ENGLISH : name;
  const coming = fetches.get(file) ?? arrived(file).finally(() => fetches.delete(file));
  fetches.set(file, coming);
  return coming;
}

/** @param {string} file @returns {Promise<boolean>} */
async function arrived(file) {
  if (tables.has(file)) return true;
  const { href, search } = new URL(import.meta.url);
  try {
    const answer = await fetch(new URL(`../words/${file}.json${search}`, href));
    if (answer.ok) tables.set(file, await answer.json());
  } catch {
    // Without a line there are no new words: whoever asked for them is told so.
  }
  return tables.has(file);
}
