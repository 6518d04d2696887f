// Message formatting, and the names of bets and refusals, by language. Pure.

/**
 * @typedef {Record<string, string>} Words texts by id
 * @typedef {Record<string, string | number>} Facts values for the names in braces
 * @typedef {object} Grammar language-specific formatting
 * @property {(locale: string, n: number) => string} plural the plural category of a count: one, two, few, many, other,
 *   zero
 * @property {(locale: string, n: number) => string} number a count in digits
 */

/** The pseudo-language: English with accents, 40 % longer, to find text that does not fit. */
export const PSEUDO = "xx";
const RIGHT_TO_LEFT = new Set(["ar"]);
/** Digits are Western in every language, as on the felt and on chips. @type {Record<string, string>} */
const LOCALES = { ar: "ar-u-nu-latn", [PSEUDO]: "en" };

/** The locale of a language for numbers, money and times. @param {string} language */
export const localeOf = (language) => LOCALES[language] ?? language;

/** @param {string} language @returns {"rtl" | "ltr"} */
export const directionOf = (language) => (RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr");

/**
 * The language of ours for one that a browser prefers: "fr-CA" is "fr", "zh-SG" is "zh-Hans". Traditional Chinese is
 * another script.
 * @param {string} preferred @param {string[]} known
 */
export function languageFor(preferred, known) {
  const parts = preferred.toLowerCase().split("-");
  const [name] = parts;
  if (name === "zh" && parts.some((part) => ["hant", "tw", "hk", "mo"].includes(part))) return undefined;
  return known.find((one) => one.toLowerCase() === preferred.toLowerCase()) ??
    known.find((one) => one.split("-")[0] === name);
}

/** @type {Map<string, Intl.PluralRules>} */
const rules = new Map();
/** @type {Map<string, Intl.NumberFormat>} */
const figures = new Map();

/** The formatting of the browser. @type {Grammar} */
const INTL = {
  plural: (locale, n) => cached(rules, locale, () => new Intl.PluralRules(locale)).select(n),
  number: (locale, n) => cached(figures, locale, () => new Intl.NumberFormat(locale)).format(n),
};

/**
 * Format a message, or null where there is none of that id.
 * @param {Words} words @param {string} language @param {string} id @param {Facts} [facts] @param {Grammar} [grammar]
 * @returns {string | null}
 */
export function formatMessage(words, language, id, facts = {}, grammar = INTL) {
  if (words[id] === undefined) return null;
  const locale = localeOf(language);
  const formatter = {
    plural: (/** @type {number} */ n) => grammar.plural(locale, n),
    number: (/** @type {number} */ n) => grammar.number(locale, n),
    plain: language === PSEUDO ? accented : same,
    // Values keep their own direction: 17 / 20 would read 20 / 17 inside Arabic text.
    given: directionOf(language) === "rtl" ? isolated : same,
  };
  const text = fill(words[id], facts, formatter);
  return language === PSEUDO ? lengthened(text) : text;
}

/** A text in the pseudo-language. @param {string} text */
export const pseudo = (text) => lengthened(accented(text));

/** The names of the values that a text needs. @param {string} text @returns {Set<string>} */
export function factsOf(text) {
  const names = new Set();
  for (const held of splitBraces(text).filter(isPlaceholder)) {
    const [name, options] = parsePlaceholder(held);
    names.add(name);
    for (const option of Object.values(options ?? {})) for (const more of factsOf(option)) names.add(more);
  }
  return names;
}

/**
 * @typedef {{plural: (n: number) => string, number: (n: number) => string, plain: (text: string) => string,
 *   given: (text: string) => string}} Formatter
 */

/** @param {string} text @param {Facts} facts @param {Formatter} formatter @param {string} [count] what # stands for */
function fill(text, facts, formatter, count = "#") {
  return splitBraces(text)
    .map((piece, place) =>
      isPlaceholder(piece, place) ? formatPlaceholder(piece, facts, formatter) : plainText(piece, formatter, count)
    )
    .join("");
}

/** @param {string} text @param {Formatter} formatter @param {string} count */
const plainText = (text, formatter, count) => text.split("#").map(formatter.plain).join(count);

/**
 * The content of a pair of braces: a value, or the plural form of a count.
 * @param {string} held @param {Facts} facts @param {Formatter} formatter @returns {string}
 */
function formatPlaceholder(held, facts, formatter) {
  const [name, options] = parsePlaceholder(held);
  const fact = facts[name];
  if (fact === undefined) return `{${name}}`;
  const text = typeof fact === "number" ? formatter.number(fact) : formatter.given(fact);
  if (!options) return text;
  const form = options[`=${fact}`] ?? options[formatter.plural(Number(fact))] ?? options.other;
  return fill(form, facts, formatter, text);
}

/** Parse the content of a pair of braces. @param {string} held @returns {[string, Record<string, string> | null]} */
function parsePlaceholder(held) {
  const [name, , ...rest] = held.split(",");
  if (rest.length === 0) return [held.trim(), null];
  const forms = splitBraces(rest.join(","));
  /** @type {Record<string, string>} */
  const options = {};
  for (let place = 1; place < forms.length; place += 2) options[forms[place - 1].trim()] = forms[place];
  return [name.trim(), options];
}

/** Split a text at its outermost braces: the content of braces has an odd index. @param {string} text */
function splitBraces(text) {
  const found = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const edge = (text[at] === "{" && (depth += 1) === 1) || (text[at] === "}" && (depth -= 1) === 0);
    if (!edge) continue;
    found.push(text.slice(from, at));
    from = at + 1;
  }
  return [...found, text.slice(from)];
}

const isPlaceholder = (/** @type {string} */ _piece, /** @type {number} */ place) => place % 2 === 1;
const same = (/** @type {string} */ text) => text;
const isolated = (/** @type {string} */ text) => `\u2068${text}\u2069`;

const LETTERS = "aábƀcčdđeéfƒgǧhħiíjĵkķlłmɱnñoópþqǫrŕsštţuúvṽwŵxẋyýzž";
const FILLING = " łóŕéɱ íþšúɱ đółóŕ šíţ áɱéţ";

/** @param {string} text */
const accented = (text) =>
  text.replace(/[a-z]/gi, (letter) => {
    const other = LETTERS[LETTERS.indexOf(letter.toLowerCase()) + 1];
    return letter === letter.toLowerCase() ? other : other.toUpperCase();
  });

/** @param {string} text */
const lengthened = (text) => `[${text}${FILLING.repeat(1 + text.length / 50).slice(0, Math.ceil(text.length * 0.4))}]`;

/** @template T @param {Map<string, T>} made @param {string} name @param {() => T} make @returns {T} */
function cached(made, name, make) {
  const found = made.get(name) ?? make();
  made.set(name, found);
  return found;
}

// The names of bets and refusals in the player's language, in place of the English text from the server.

/**
 * @typedef {object} Translator the language in use
 * @property {Words} words of the language in use
 * @property {string} [language] its code
 * @property {(id: string, facts?: Facts) => string} say
 * @property {((text: string) => string) | null} own passes the text of the server on, where it is in this language
 * @typedef {{key: string, kind: string, covers: string[], label: string, names?: Record<string, string>}} Spot as in the
 *   felt spec
 * @typedef {{kind: string, label: string, name?: string, pays?: number | string, names?: Record<string, string>,
 *   help?: string, helps?: Record<string, string>}} Kind as in the felt spec
 */

/**
 * Name a spot with its odds, as in "Split 17 / 20 · 17 to 1".
 * @param {Translator} translator @param {Spot} spot @param {Kind[]} kinds
 */
export function spotLabel(translator, spot, kinds) {
  if (translator.own) return translator.own(spot.label);
  const name = spotName(translator, spot);
  const pays = kinds.find(({ kind }) => kind === spot.kind)?.pays;
  // Only what wins a pot has no odds.
  return pays === undefined || pays === 0 ? name : translator.say("spot.odds", { spot: name, pays });
}

/** Name a spot without its odds. @param {Translator} translator @param {Spot} spot */
export function spotName(translator, spot) {
  if (translator.own) return translator.own(withoutOdds(spot.label));
  if (!(`kind.${spot.kind}` in translator.words)) return ownName(translator, spot);
  // "column 1" has its own number, "red" needs none, and an inside bet is named by the numbers it covers.
  const [outside, number] = spot.key.split(" ");
  const numbers = outside === spot.kind ? number : spot.covers.join(" / ");
  const kind = translator.say(`kind.${spot.kind}`);
  return numbers === undefined ? kind : translator.say("spot.name", { kind, numbers });
}

/** Name a kind of bet. @param {Translator} translator @param {Kind} kind */
export function kindName(translator, kind) {
  if (translator.own) return translator.own(kind.name ?? withoutOdds(kind.label));
  const id = `kind.${kind.kind}`;
  return id in translator.words ? translator.say(id) : ownName(translator, kind);
}

/** The name that the rulebook gives in this language, else its own. @param {Translator} translator @param {Spot | Kind} one */
const ownName = ({ language = "" }, one) => one.names?.[language] ?? withoutOdds(one.label);

/** One sentence of help on a kind of bet. @param {Translator} translator @param {Kind} kind */
export function kindHelp(translator, kind) {
  const id = `help.${kind.kind}`;
  if (id in translator.words) return translator.say(id);
  const text = kind.helps?.[translator.language ?? ""] ?? kind.help ?? "";
  return translator.own ? translator.own(text) : text;
}

/** @param {string} label */
const withoutOdds = (label) => label.split(" · ")[0];

/**
 * The text of a refusal, by its code and the case that its fact `why` names; where the language has none, or facts are
 * missing, the text of the server. English has none for a code of many different things: the server says which.
 * @param {Translator} translator @param {{code: string, says: string, facts?: Record<string, unknown>}} no
 * @param {(cents: number) => string} amount
 */
export function refusalText(translator, no, amount) {
  const facts = formatFacts(no.facts ?? {}, amount, (key) => spotName({ ...translator, own: null }, spotOf(key)));
  const id = [`refusal.${no.code}.${facts.why}`, `refusal.${no.code}`].find((one) => one in translator.words);
  if (id !== undefined && [...factsOf(translator.words[id])].every((name) => name in facts)) {
    return translator.say(id, facts);
  }
  return translator.own ? translator.own(no.says) : no.says;
}

/** The kinds of inside bets by how many numbers they cover. */
const INSIDE = ["straight", "split", "street", "corner", "five", "six_line"];

/** A spot derived from its key alone: numbers, or the name of an outside bet. @param {string} key @returns {Spot} */
function spotOf(key) {
  const covers = key.split("/");
  const kind = /^\d/.test(key) ? INSIDE[covers.length - 1] : key.split(" ")[0];
  return { key, kind, covers, label: key };
}

/** Facts of a refusal that are money; all others are names and counts. */
const MONEY = new Set([
  "amount",
  "below",
  "cost",
  "credit",
  "held",
  "left",
  "limit",
  "margin",
  "maximum",
  "minimum",
  "room",
  "stake",
  "staked",
  "threshold",
  "total",
  "value",
]);

/**
 * @param {Record<string, unknown>} given @param {(cents: number) => string} amount
 * @param {(spot: string) => string} named @returns {Facts}
 */
function formatFacts(given, amount, named) {
  /** @type {Facts} */
  const facts = {};
  for (const [name, fact] of Object.entries(given)) {
    if (typeof fact === "number") facts[name] = MONEY.has(name) ? amount(fact) : fact;
    else if (Array.isArray(fact)) {
      facts[name] = fact.map((one) => (typeof one === "number" ? amount(one) : one)).join(", ");
    } else if (typeof fact === "string") facts[name] = name === "spot" ? named(fact) : fact;
  }
  return facts;
}
