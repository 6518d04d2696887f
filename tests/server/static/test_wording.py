"""What the pages make of words: texts with their facts in any grammar, and bets and refusals named in the language."""

import json
import re
from typing import Any

import pytest

from croupier.server.views.felt import felt_data
from tests.support.quick import Quick
from tests.support.site import Fetched
from tests.support.wordbook import TRANSLATED, facts_of, words

#: In the place of the browser's own grammar, and of the page's say.
GRAMMAR = """() => {
  globalThis.grammar = {
    plural: (locale, n) => {
      if (!locale.startsWith("ar")) return n === 1 ? "one" : "other";
      const part = n % 100;
      return ["zero", "one", "two"][n] ?? (part >= 3 && part <= 10 ? "few" : part >= 11 ? "many" : "other");
    },
    number: (locale, n) => String(n),
  };
  globalThis.voice = (language, words) => ({
    words,
    say: (id, facts = {}) => modules["shared/wording.js"].formatMessage(words, language, id, facts, grammar) ?? id,
    own: language === "en" ? (text) => text : null,
  });
}"""

page = Quick("shared/wording.js")
page.ask(GRAMMAR)


def said(language: str, text: str, **facts: object) -> str:
    found: str = page.ask("(...given) => formatMessage(...given, grammar)", {"id": text}, language, "id", facts)
    return found


def test_pseudo_language_is_forty_per_cent_longer() -> None:
    """In the language that nobody speaks a text is long, bracketed and accented, and has its facts as they are."""
    for text in words("en").values():
        facts = dict.fromkeys(facts_of(text), 7)
        english, other = said("en", text, **facts), said("xx", text, **facts)

        assert len(other) >= 1.4 * len(english)
        assert (other[0], other[-1]) == ("[", "]")
        assert re.search("[a-zA-Z]", other) is None
        assert other.count("7") == english.count("7")


@pytest.mark.parametrize(
    ("n", "words_"),
    [
        *((0, "لا شيء"), (1, "واحدة"), (2, "اثنتان"), (3, "3 قليلة"), (10, "10 قليلة"), (11, "11 كثيرة")),
        *((99, "99 كثيرة"), (100, "100 أخرى"), (103, "103 قليلة"), (111, "111 كثيرة"), (202, "202 أخرى")),
    ],
)
def test_arabic_counts_in_six_forms(n: int, words_: str) -> None:
    """A count takes the form that its language gives it, and # is the count."""
    text = "{n, plural, zero {لا شيء} one {واحدة} two {اثنتان} few {# قليلة} many {# كثيرة} other {# أخرى}}"

    assert said("ar", text, n=n) == words_


@pytest.mark.parametrize(
    ("text", "facts", "words_"),
    [
        ("Undo", {}, "Undo"),
        ("{n, plural, one {# chip} other {# chips}}", {"n": 1}, "1 chip"),
        ("{n, plural, one {# chip} other {# chips}}", {"n": 12}, "12 chips"),
        ("{n, plural, =0 {No chips} one {# chip} other {# chips}} on {spot}", {"n": 0, "spot": "17"}, "No chips on 17"),
        ("{n, plural, one {# on {spot}} other {# on {spot}}}.", {"n": 5, "spot": "17/20"}, "5 on 17/20."),
        ("{a} of {b}, {a}", {"a": "x", "b": 3}, "x of 3, x"),
        ("No. #{n}", {"n": 4}, "No. #4"),
        ("{missing} is shown", {}, "{missing} is shown"),
        ("{n, plural, one {#} other {#}}", {}, "{n}"),
    ],
)
def test_text_is_put_together_with_its_facts(text: str, facts: dict[str, object], words_: str) -> None:
    """Facts stand where the text has their names, and counts in their form; one that is missing is seen to be."""
    assert said("en", text, **facts) == words_


def test_what_has_no_words_is_distinguished() -> None:
    """An id without words gives nothing, so that another language can stand in."""
    assert page.ask("(...given) => formatMessage(...given)", {}, "fr", "action.undo", {}) is None


def test_facts_keep_their_direction_among_arabic_words() -> None:
    """What is put into Arabic words is set apart, so that 17 / 20 does not read 20 / 17; figures need not be."""
    assert said("ar", "{spot} · {pays}", spot="17 / 20", pays=17) == "\u206817 / 20\u2069 · 17"
    assert page.ask("directionOf", "ar") == "rtl"
    assert {page.ask("directionOf", language) for language in ("en", "fr", "xx")} == {"ltr"}


@pytest.mark.parametrize(
    ("preferred", "language"),
    [("fr-CA", "fr"), ("zh-SG", "zh-Hans"), ("zh-Hans-CN", "zh-Hans"), ("zh-TW", None), ("ms", "ms"), ("de", None)],
)
def test_language_of_the_browser_is_found_among_ours(preferred: str, language: str | None) -> None:
    """A language that a browser prefers is ours by its name, whatever its region; traditional Chinese is not."""
    assert page.ask("languageFor", preferred, ["en", "fr", "ms", "zh-Hans", "ar"]) == language


@pytest.mark.parametrize(("language", "locale"), [("en", "en"), ("fr", "fr"), ("ar", "ar-u-nu-latn"), ("xx", "en")])
def test_figures_are_western_in_every_language(language: str, locale: str) -> None:
    """Meters have the same figures as the felt and its chips."""
    assert page.ask("localeOf", language) == locale


FELT: dict[str, Any] = json.loads(felt_data(Fetched("clearwater-etg").book).body)
SPOTS = {spot["key"]: spot for spot in FELT["spots"]}


@pytest.mark.parametrize(
    ("language", "key", "label"),
    [
        ("en", "17/20", "Split 17 / 20 · 17 to 1"),
        ("fr", "17/20", "Cheval 17 / 20 · 17 contre 1"),
        ("fr", "17", "Plein 17 · 35 contre 1"),
        ("fr", "1/2/3", "Transversale 1 / 2 / 3 · 11 contre 1"),
        ("fr", "1/2/4/5", "Carré 1 / 2 / 4 / 5 · 8 contre 1"),
        ("fr", "1/2/3/4/5/6", "Sixain 1 / 2 / 3 / 4 / 5 / 6 · 5 contre 1"),
        ("fr", "column 1", "Colonne 1 · 2 contre 1"),
        ("fr", "dozen 3", "Douzaine 3 · 2 contre 1"),
        ("fr", "red", "Rouge · 1 contre 1"),
        ("fr", "low", "Manque (1–18) · 1 contre 1"),  # noqa: RUF001 - as ranges are set
        ("ar", "red", "\u2068أحمر\u2069 · 1 إلى 1"),
        ("ar", "column 2", "\u2068\u2068العمود\u2069 \u20682\u2069\u2069 · 2 إلى 1"),  # noqa: RUF001 - Arabic
    ],
)
def test_spot_is_named_in_the_language(language: str, key: str, label: str) -> None:
    """A spot has the house's label in English, and elsewhere the game's own words with the same odds."""
    named = page.ask(
        "(language, words, ...given) => spotLabel(voice(language, words), ...given)",
        *(language, words(language), SPOTS[key], FELT["kinds"]),
    )

    assert named == label


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_spot_has_a_name_of_its_own(language: str) -> None:
    """No two spots of a felt go by one name in any language."""
    names = page.ask(
        "(language, words, spots) => spots.map((spot) => spotName(voice(language, words), spot))",
        *(language, words(language), list(SPOTS.values())),
    )

    assert len(set(names)) == len(SPOTS)


@pytest.mark.parametrize(("language", "name"), [("en", "Six Number"), ("fr", "Sixain")])
def test_kind_is_named_in_the_language(language: str, name: str) -> None:
    """A kind has the venue's name in English, and the game's own elsewhere."""
    kind = next(kind for kind in FELT["kinds"] if kind["kind"] == "six_line")
    found = page.ask(
        "(language, words, kind) => kindName(voice(language, words), kind)", language, words(language), kind
    )

    assert found == name


OVER: dict[str, Any] = {
    "code": "stake_over_maximum",
    "says": "Over.",
    "facts": {"spot": "17", "stake": 700, "maximum": 500},
}


def on(spot: str) -> dict[str, Any]:
    """The same refusal on another spot."""
    return {**OVER, "facts": {**OVER["facts"], "spot": spot}}


@pytest.mark.parametrize(
    ("language", "no", "reported"),
    [
        ("en", OVER, "Straight up 17: $7 is over the maximum of $5."),
        ("en", {"code": "out_of_turn", "says": "Only now.", "facts": {}}, "Only now."),
        ("fr", {"code": "nothing_there", "says": "No.", "facts": {"why": "undo"}}, "Il n’y a plus rien à annuler."),  # noqa: RUF001
        ("en", {"code": "nothing_there", "says": "No.", "facts": {"why": "undo"}}, "There is nothing left to undo."),
        (
            "en",
            {"code": "not_taken_here", "says": "No.", "facts": {"why": "value", "accepted": [500, 1000]}},
            "This terminal takes notes of $5, $10.",
        ),
        ("fr", OVER, "Plein 17\u00a0: $7 dépasse le maximum de $5."),
        ("fr", on("17/20"), "Cheval 17 / 20\u00a0: $7 dépasse le maximum de $5."),
        ("fr", on("0/00/1/2/3"), "Cinq premiers 0 / 00 / 1 / 2 / 3\u00a0: $7 dépasse le maximum de $5."),
        ("fr", on("column 2"), "Colonne 2\u00a0: $7 dépasse le maximum de $5."),
        ("fr", on("red"), "Rouge\u00a0: $7 dépasse le maximum de $5."),
        ("fr", {**OVER, "facts": {"stake": 700}}, "Over."),
        ("fr", {**OVER, "code": "of_tomorrow"}, "Over."),
        ("fr", {"code": "bets_not_open", "says": "No."}, "Les mises ne sont pas ouvertes."),
        ("fr", {"code": "neighbours_reach", "says": "No.", "facts": {"reach": 9}}, None),
    ],
)
def test_refusal_is_reported_in_the_language(language: str, no: dict[str, object], reported: str | None) -> None:
    """A refusal has the words of the language with its amounts, and those of the house where there are none."""
    found = page.ask(
        "(language, words, no) => refusalText(voice(language, words), no, (cents) => `$${cents / 100}`)",
        *(language, words(language), no),
    )

    assert found == reported if reported else "9" in found
