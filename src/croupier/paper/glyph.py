"""Glyphs: the characters that every printer of ours has, and what is written for any other."""

import re
import unicodedata
from typing import Final

#: The code page of the thermal printer. The fonts that every reader of PDF has hold the same characters.
CODE_PAGE: Final = "cp1252"
GLYPHS: Final = frozenset(filter(str.isprintable, bytes(range(256)).decode(CODE_PAGE, "ignore")))

#: How Unicode names letters that are another with something added.
_ADORNED: Final = re.compile(r"LATIN (?P<size>CAPITAL|SMALL) LETTER (?P<letter>[A-Z]) WITH .+")


def written(text: str) -> str:
    """Write a text with glyphs alone: nothing that somebody enters becomes a printer's command."""
    return "".join(map(_glyph, unicodedata.normalize("NFC", text)))


def _glyph(character: str) -> str:
    """Leave away an accent that is missing; where the letter is missing too, show that there was one."""
    if character in GLYPHS:
        return character
    if character.isspace():
        return " "
    if unicodedata.combining(character):
        return ""
    adorned = _ADORNED.fullmatch(unicodedata.name(character, ""))
    if adorned is not None:
        return adorned["letter"] if adorned["size"] == "CAPITAL" else adorned["letter"].lower()
    return "".join(part for part in unicodedata.normalize("NFKD", character) if part in GLYPHS) or "?"
