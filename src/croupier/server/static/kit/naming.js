// Naming: bets and refusals in the player's language, in the place of the English words that come with them. Pure.

import { factsOf } from "./wording.js";

/**
 * @typedef {import("./wording.js").Words} Words
 * @typedef {import("./wording.js").Facts} Facts
 * @typedef {object} Voice what names things
 * @property {Words} words of the language in use
 * @property {(id: string, facts?: Facts) => string} say
 * @property {((text: string) => string) | null} own passes on the house's own words, where they are in this language
 * @typedef {{key: string, kind: string, covers: string[], label: string}} Spot as the felt has it
 * @typedef {{kind: string, label: string, name?: string, pays?: number}} Kind as the felt has it
 */

/** Name a spot with its odds, as in "Split 17 / 20 · 17 to 1".
 * @param {Voice} voice @param {Spot} spot @param {Kind[]} kinds */
export function spotLabel(voice, spot, kinds) {
  if (voice.own) return voice.own(spot.label);
  const name = spotName(voice, spot);
  const pays = kinds.find(({ kind }) => kind === spot.kind)?.pays;
  return pays === undefined ? name : voice.say("spot.odds", { spot: name, pays });
}

/** Name a spot without its odds. @param {Voice} voice @param {Spot} spot */
export function spotName(voice, spot) {
  if (voice.own) return voice.own(withoutOdds(spot.label));
  // "column 1" has a number of its own, "red" is all in its name, and an inside bet goes by what it covers.
  const [outside, number] = spot.key.split(" ");
  const numbers = outside === spot.kind ? number : spot.covers.join(" / ");
  const kind = voice.say(`kind.${spot.kind}`);
  return numbers === undefined ? kind : voice.say("spot.name", { kind, numbers });
}

/** Name a kind of bet. @param {Voice} voice @param {Kind} kind */
export const kindName = (voice, kind) =>
  voice.own ? voice.own(kind.name ?? withoutOdds(kind.label)) : voice.say(`kind.${kind.kind}`);

/** @param {string} label */
const withoutOdds = (label) => label.split(" · ")[0];

/**
 * Say why something was refused; where the language has no words for it, or not all facts came, in the house's own.
 * @param {Voice} voice @param {{code: string, says: string, facts?: Record<string, unknown>}} no
 * @param {(cents: number) => string} amount
 */
export function refusalWords(voice, no, amount) {
  if (voice.own) return voice.own(no.says);
  const id = `refusal.${no.code}`;
  const text = voice.words[id];
  if (text === undefined) return no.says;
  const facts = told(no.facts ?? {}, amount, (key) => spotName(voice, spotOf(key)));
  return [...factsOf(text)].every((name) => name in facts) ? voice.say(id, facts) : no.says;
}

/** The kinds of bets by how many numbers they cover. */
const INSIDE = ["straight", "split", "street", "corner", "five", "six_line"];

/** A spot as far as its key tells: numbers, or the name of an outside bet. @param {string} key @returns {Spot} */
function spotOf(key) {
  const covers = key.split("/");
  const kind = /^\d/.test(key) ? INSIDE[covers.length - 1] : key.split(" ")[0];
  return { key, kind, covers, label: key };
}

/** Facts of a refusal that are money; all others are names and counts. */
const MONEY = new Set("cost credit held margin maximum minimum stake staked threshold total".split(" "));

/**
 * @param {Record<string, unknown>} given @param {(cents: number) => string} amount
 * @param {(spot: string) => string} named @returns {Facts}
 */
function told(given, amount, named) {
  /** @type {Facts} */
  const facts = {};
  for (const [name, fact] of Object.entries(given)) {
    if (typeof fact === "number") facts[name] = MONEY.has(name) ? amount(fact) : fact;
    else if (typeof fact === "string") facts[name] = name === "spot" ? named(fact) : fact;
  }
  return facts;
}
