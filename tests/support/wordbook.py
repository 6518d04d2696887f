"""The words of the player's screens as they are written: by language and id, with their facts, counts and bare text."""

import json
from functools import cache
from typing import Final

from tests.support.quick import STATIC, Quick

TRANSLATED: Final = ("es", "fr", "ms", "zh-Hans", "ar")
LANGUAGES: Final = ("en", *TRANSLATED)
#: The folders of words below `words`: of every page, and of the pages of staff and of live tables besides.
FOLDERS: Final = ("", "staff/", "live/")
_PAGE: Final = Quick("shared/wording.js")


@cache
def words(language: str, folder: str = "") -> dict[str, str]:
    """The words of a language by their ids, in one folder."""
    found: dict[str, str] = json.loads((STATIC / "words" / f"{folder}{language}.json").read_text("utf-8"))
    return found


def all_words(language: str) -> dict[str, str]:
    """The words of a language as a page of staff has them."""
    return {name: text for folder in FOLDERS for name, text in words(language, folder).items()}


def facts_of(text: str) -> set[str]:
    """The facts that a text asks for, as the pages see it."""
    return set(_PAGE.ask("(text) => [...factsOf(text)]", text))


def counts_of(text: str) -> list[dict[str, str]]:
    """Every count of a text, with the words for each of its forms."""
    forms = [_pieces(inside.split(",", 2)[2]) for inside in _pieces(text)[1::2] if ", plural," in inside]
    return [dict(zip(map(str.strip, each[::2]), each[1::2], strict=False)) for each in forms]


def bare(text: str) -> str:
    """A text without its facts, and with the words of all its forms."""
    counted = (bare(form) for count in counts_of(text) for form in count.values())
    return " ".join(("*".join(_pieces(text)[::2]), *counted))


def _pieces(text: str) -> list[str]:
    """Part a text at its outermost braces: the text between them has an odd index."""
    depth, found = 0, [""]
    for sign in text:
        edge = (sign == "{" and (depth := depth + 1) == 1) or (sign == "}" and (depth := depth - 1) == 0)
        if edge:
            found.append("")
        else:
            found[-1] += sign
    assert depth == 0, f"the braces are not in pairs: {text}"
    return found
