"""Names and texts: the one form of a name, the characters that no text has, and how they are shown."""

import re
from typing import Final
from unicodedata import normalize

#: The longest name of a person, a device, a table, a terminal, a drawer or a venue.
NAME_MAX: Final = 64
NAME_FORM: Final = f"1 to {NAME_MAX} printable letters, figures or signs, and no space at either end"
#: The form of the id of a rulebook and of its terminal models, which is also the name of a folder.
ID_FORM: Final = f"small letters and figures joined by hyphens, at most {NAME_MAX} in all"

#: Control characters, line separators, halves of characters, marks without a width that reverse or hide what is around
#: them. The marks that Arabic and other scripts need between letters are not among them.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_BYTE: Final = 0xFF
_BASIC: Final = 0xFFFF


def is_name(text: str) -> bool:
    """Return whether a text is a name that people can read and type: each has one spelling."""
    tidy = text == normalize("NFC", text).strip() and text.isprintable()
    return tidy and 0 < len(text) <= NAME_MAX


def is_file_name(text: str) -> bool:
    """Return whether a name is also one of a file in its folder: no path, and no hidden file."""
    return is_name(text) and "/" not in text and not text.startswith(".")


def is_id(text: str) -> bool:
    """Return whether a text is an id that a rulebook states: no path, no quotation and no escape."""
    return len(text) <= NAME_MAX and _ID.fullmatch(text) is not None


def is_text(text: str) -> bool:
    """Return whether a text is one line that looks like what it is."""
    return _UNSEEN.search(text) is None


def escaped(text: str, but: str = "") -> str:
    """Return a text with its unseen characters as escape sequences, but for some: no terminal and no file obeys it."""
    return _UNSEEN.sub(lambda found: found[0] if found[0] in but else _escape(ord(found[0])), text)


def _escape(code: int) -> str:
    if code <= _BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _BASIC else f"\\U{code:08x}"
