"""The words of the player's screens: every language has them all, with the same facts and its own grammar."""

import ast
import json
import re

import pytest

from croupier.house.base import Phase
from croupier.rules.geometry import Colour, SpotKind
from croupier.rules.refusal import Code
from tests.modules import MODULES, code_of, name_of, reached_from
from tests.quick import STATIC
from tests.wordbook import TRANSLATED, bare, counts_of, facts_of, words

#: The forms that a count takes, by the rules of Unicode's CLDR.
FORMS = {"en": {"one", "other"}, "fr": {"one", "many", "other"}, "ar": {"zero", "one", "two", "few", "many", "other"}}
#: What comes in English with the felt and with every refusal: only other languages have words of their own for it.
HOUSE = ("kind.", "spot.", "refusal.")
#: What only staff, a configuration or a command line is ever refused with.
STAFF = {
    *(Code.UNKNOWN_RULEBOOK, Code.RULEBOOK_INCONSISTENT, Code.UNKNOWN_PROFILE, Code.DEFAULT_CREDENTIALS, Code.TOO_LONG),
    *(Code.SIGN_IN_REFUSED, Code.SIGNED_OUT, Code.STEP_UP_NEEDED, Code.UNKNOWN_PERSON, Code.SAME_PERSON),
    *(Code.SAME_DEVICE, Code.PROPOSAL_EXPIRED, Code.SOFTWARE_NOT_APPROVED, Code.NOT_IN_FORCE, Code.CLOSE_BEFORE_SPIN),
    *(Code.SPIN_BEFORE_CLOSE, Code.TOO_SOON, Code.REASON_NOT_LISTED, Code.CAUSE_AFTER_REST, Code.NUMBERS_DIFFER),
    *(Code.NOT_NOTIFIED, Code.NOT_ADVISED, Code.RECORD_DIFFERS, Code.FORM_MISSING, Code.TICKET_ALTERED),
    *(Code.DRAWER_UNKNOWN, Code.DRAWER_CLOSED, Code.DRAWER_SHORT),
    *(Code.MARKER_NOT_DESIGNATED, Code.MARKER_BETS_PER_SPIN),
    *(Code.NOTICE_NOT_SHOWN, Code.FLOAT_NOT_OPEN, Code.FLOAT_SHORT, Code.CHIPS_NOT_TAKEN, Code.SET_IN_USE),
    *(Code.COLOUR_LIKE_VALUE_CHIP, Code.CHIPS_OF_ANOTHER_TABLE, Code.COLOUR_TAKEN, Code.VALUE_DECLARED),
    *(Code.VALUE_UNDER_MINIMUM, Code.COLOUR_NOT_APPROVED, Code.VALUES_DIFFER, Code.NOT_WHOLE_CHIPS, Code.CHIPS_SHORT),
    Code.CHIPS_OUTSTANDING,
}
#: Ids that the pages put together, by how they begin, with every way in which they may end.
MADE: dict[str, set[str]] = {
    "bets.": {"accepted", "guessed", "red", "sealed"},
    "colour.": set(Colour),
    "copy.": {"closed", "closed-short", "nothing", "nothing-short"},
    "kind.": set(SpotKind),
    "meter.": {"bet", "credit", "held", "win"},
    "status.": {
        *set(Phase),
        *("closing", "connecting", "ended", "lost", "service", "table_closed", "void", "winning"),
    },
    # The store has two of its own, for wishes that came to nothing.
    "refusal.": {*set(Code) - STAFF, "too_late", "restarted"},
    "tab.": {"racetrack", "stats", "table", "wheel"},
    "wheel.": {"away", "lands", "runs"},
}
PACKAGE = STATIC.parent.parent
ID = r"[a-z][\w-]*(?:\.[\w-]+)*"
SCRIPTS = {name_of(path): code_of(path) for path in MODULES}


def ids_said() -> dict[str, set[str]]:
    """Every id that is written out where something is said, with the modules that say it."""
    found: dict[str, set[str]] = {}
    for path, text in SCRIPTS.items():
        for call in re.findall(r"\bsay\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)", text):
            # In a choice between two ids there may be other words than ids, but none with a dot.
            chosen = (name for name in re.findall(rf'"({ID})"', call.partition("{")[0]) if "." in name)
            for name in (*chosen, *re.findall(rf'^\s*"({ID})"', call)):
                found.setdefault(name, set()).add(path)
    return found


def test_every_language_has_every_word_and_no_other() -> None:
    """No id is missing in a language, and none is superfluous; of what the house says itself English has none."""
    ours = {name for name in words("fr") if not name.startswith(HOUSE)}

    assert words("fr").keys() == words("ar").keys()
    assert ours == words("en").keys()


@pytest.mark.parametrize("language", TRANSLATED)
def test_facts_are_the_same_in_every_language(language: str) -> None:
    """A text asks for the same facts in every language."""
    known = {**words("fr"), **words("en")}
    texts = words(language)

    assert {name for name in texts if facts_of(texts[name]) != facts_of(known[name])} == set()


@pytest.mark.parametrize("language", FORMS)
def test_counts_have_every_form_of_their_language(language: str) -> None:
    """Where something is counted, the text has every form that the language counts with, and no other."""
    forms = [(name, count.keys()) for name, text in words(language).items() for count in counts_of(text)]

    assert [(name, each) for name, each in forms if each - {"=0"} != FORMS[language]] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_is_counted_in_one_language_is_counted_in_all(language: str) -> None:
    """A translation counts what English counts."""
    assert {
        name for name, text in words("en").items() if len(counts_of(text)) != len(counts_of(words(language)[name]))
    } == set()


def test_everything_said_is_there() -> None:
    """Every id that a page says has words."""
    known = {*words("en"), *words("fr")}

    assert {name: paths for name, paths in ids_said().items() if name not in known} == {}


def test_everything_there_is_said() -> None:
    """No words are kept that no page says: each id is written out, or is one of those that are put together."""
    written = {name for text in SCRIPTS.values() for name in re.findall(rf'["`]({ID})["`]', text)}
    made = {f"{start}{end}" for start, ends in MADE.items() for end in ends}

    assert {*words("en"), *words("fr")} - written - made == set()


def test_ids_that_are_put_together_are_declared() -> None:
    """Where a page puts an id together, its beginning is listed here, and every end of it has words."""
    starts = {start for text in SCRIPTS.values() for start in re.findall(r"`([a-z][\w-]*\.)\$\{", text)}

    assert starts == MADE.keys()
    assert {f"{start}{end}" for start, ends in MADE.items() for end in ends} - {*words("en"), *words("fr")} == set()


def facts_given() -> dict[str, list[set[str]]]:
    """The facts that come with each refusal of what a terminal asks, as far as the code names them where it refuses."""
    found: dict[str, list[set[str]]] = {}
    for room in ("rules", "house"):
        for path in sorted((PACKAGE / room).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Name("refuse"),
                        args=[ast.Attribute(ast.Name("Code"), code), *_],
                        keywords=given,
                    ) if all(each.arg for each in given):
                        found.setdefault(Code[code], []).append({each.arg or "" for each in given})
                    case ast.Call(
                        func=ast.Name("Refusal"),
                        args=[ast.Attribute(ast.Name("Code"), code), _, _, ast.Dict(keys=names)],
                    ):
                        keys = {name.value for name in names if isinstance(name, ast.Constant)}
                        found.setdefault(Code[code], []).append({str(key) for key in keys})
    return found


def test_refusals_have_the_facts_that_their_words_ask_for() -> None:
    """Wherever the house refuses something, it gives all that the words for it in other languages have in braces."""
    given = facts_given()
    requested = {code: facts_of(words("fr").get(f"refusal.{code}", "")) for code in given}

    assert len(given) > len(STAFF)
    assert {code for code, all_ in given.items() for facts in all_ if not requested[code] <= facts} == set()


def test_stores_own_refusals_are_among_them() -> None:
    """The store refuses nothing itself but what has words in every language."""
    codes = set(re.findall(r'code: "(\w+)"', SCRIPTS["shared/store.js"]))

    assert codes
    assert codes <= MADE["refusal."]


def test_french_is_set_as_french_is() -> None:
    """French has its own apostrophe and quotes, and no line breaks before its high signs."""
    wrong = re.compile(r"['\"“”]|\.\.\.| [:;!?»%]|« |[\w*)][:;!?»]")

    assert {name: text for name, text in words("fr").items() if wrong.search(bare(text))} == {}


def test_arabic_is_written_in_arabic() -> None:
    """Arabic has Arabic letters and signs; only a name or a form's number is Latin."""
    wrong = re.compile(r"[,;?]|\.\.\.|(?!Croupier|W-2G)\b[A-Za-z][\w-]*")

    assert {name: text for name, text in words("ar").items() if wrong.search(bare(text))} == {}


def test_no_sentence_stands_in_the_code_of_a_terminal() -> None:
    """All that a player reads is in the words; only the store says two things of its own, which have words too."""
    sentence = re.compile(r'(?<![*/] )["`]([A-Z]\w* [a-z][^"`\n]*)["`]')
    found = {
        (path.name, words_)
        for path in reached_from(STATIC / "terminal" / "terminal.js")
        for words_ in sentence.findall(code_of(path))
    }

    assert {name for name, _ in found} == {"store.js"}
    assert len(found) == len({"too_late", "restarted"})


@pytest.mark.parametrize("language", TRANSLATED)
def test_sentences_are_translated(language: str) -> None:
    """No text of several words is the same as in English."""
    assert {
        name
        for name, text in words("en").items()
        if len(re.findall("[a-zA-Z]{2,}", bare(text))) > 1
        if text == words(language)[name]
    } == set()


def test_words_are_kept_in_order() -> None:
    """Each file of words is sorted by its ids and written in one way, so that changes to it are easy to read."""
    for path in sorted((STATIC / "words").glob("*.json")):
        text = path.read_text("utf-8")

        assert text == json.dumps(dict(sorted(json.loads(text).items())), ensure_ascii=False, indent=2) + "\n"
