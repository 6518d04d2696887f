// Checks of the page's words: which language is in useLanguage, and what becomes of one whose words do not come.

import { holds, same } from "./bench.js";

export function wordsChecks(words) {
  const { LANGUAGES, languageOf, direction, locale, say, useLanguage } = words;
  const root = document.documentElement;
  const fetched = window.fetch;

  /** Have words fetched in another way for as long as a check takes. */
  async function fetching(instead, check) {
    window.fetch = instead;
    try {
      await check();
    } finally {
      window.fetch = fetched;
      await useLanguage("en");
    }
  }

  return {
    "the address comes first, then the choice, then English": () =>
      same(
        [
          languageOf("fr", "ar"),
          languageOf(undefined, "ar"),
          languageOf("tlh", "fr"),
          languageOf(undefined, undefined),
          languageOf("xx", "fr"),
          languageOf(undefined, "xx"),
        ],
        ["fr", "ar", "fr", "en", "xx", "en"],
      ),
    "the id of a table is its name, with small words small within": () =>
      same(
        ["clearwater-a", "us", "two-in-a-row", "A", "triple_zero", "Table a"].map(words.tableName),
        ["Clearwater A", "US", "Two in a Row", "A", "Triple Zero", "Table A"],
      ),
    "before its words have come a page has none, and says so by the id": () => same(say("dialog.close"), "dialog.close"),
    "words that do not come leave the language as it is": async () => {
      await useLanguage("en");
      await fetching(
        () => Promise.reject(new TypeError("no line")),
        async () => same([await useLanguage("fr"), words.languageInUse(), say("dialog.close")], [false, "en", "Close"]),
      );
    },
    "the language that was asked for last is in use": async () => {
      const first = useLanguage("fr");
      const second = useLanguage("ar");
      same([await first, await second, words.languageInUse()], [false, true, "ar"]);
      await useLanguage("en");
    },
    "a document says its language and direction": async () => {
      const reported = [];
      for (const language of [...Object.keys(LANGUAGES), "xx"]) {
        await useLanguage(language);
        reported.push([root.lang, root.dir, direction(), locale()]);
      }
      await useLanguage("en");
      same(reported, [
        ["en", "ltr", "ltr", "en"],
        ["es", "ltr", "ltr", "es"],
        ["fr", "ltr", "ltr", "fr"],
        ["ms", "ltr", "ltr", "ms"],
        ["zh-Hans", "ltr", "ltr", "zh-Hans"],
        ["ar", "rtl", "rtl", "ar-u-nu-latn"],
        ["en", "ltr", "ltr", "en"],
      ]);
    },
    "counts take the form that the browser's grammar gives them": async () => {
      const counts = {};
      for (const language of Object.keys(LANGUAGES)) {
        await useLanguage(language);
        counts[language] = [0, 1, 2, 3, 11, 100].map((n) => say("chips", { n }));
      }
      await useLanguage("en");
      same(counts.en, ["0 chips", "1 chip", "2 chips", "3 chips", "11 chips", "100 chips"]);
      same(counts.es, ["0 fichas", "1 ficha", "2 fichas", "3 fichas", "11 fichas", "100 fichas"]);
      same(counts.ms, ["0 cip", "1 cip", "2 cip", "3 cip", "11 cip", "100 cip"]);
      same(counts.fr, ["0 jeton", "1 jeton", "2 jetons", "3 jetons", "11 jetons", "100 jetons"]);
      same(counts.ar, ["لا رقاقات", "رقاقة واحدة", "رقاقتان", "3 رقاقات", "11 رقاقة", "100 رقاقة"]);
    },
    "a bet and a refusal are named in the language, and as they came in English": async () => {
      const spot = { key: "17/20", kind: "split", covers: ["17", "20"], label: "Split 17 / 20 · 17 to 1" };
      const kinds = [{ kind: "split", label: "Split · 17 to 1", name: "Split", pays: 17 }];
      const no = { code: "bets_not_open", says: "Bets are not open." };
      const reported = [];
      for (const language of ["en", "fr", "xx"]) {
        await useLanguage(language);
        reported.push([words.spotLabel(spot, kinds), words.kindName(kinds[0]), words.refusalText(no, String)]);
      }
      await useLanguage("en");
      same(reported[0], ["Split 17 / 20 · 17 to 1", "Split", "Bets are not open."]);
      same(reported[1], ["Cheval 17 / 20 · 17 contre 1", "Cheval", "Les mises ne sont pas ouvertes."]);
      holds(
        reported[2].every((text) => text.startsWith("[") && text.endsWith("]")),
        "the house's words are long too",
      );
    },
  };
}
