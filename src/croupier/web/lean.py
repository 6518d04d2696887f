"""Lean: a file without what only its readers need, as a browser is sent it."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

#: Sentences and types: a line of its own, or a block. This knows no strings: that none of ours looks like a note is
#: held for every file by a test that reads it with a lexer.
_NOTES: Final = {
    ".js": re.compile(r"^[ \t]*//[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]?", re.MULTILINE | re.DOTALL),
    ".css": re.compile(r"/\*(?:(?!\*/).)*\*/", re.DOTALL),
}
#: What a style sheet has between its words for its readers alone.
_BLANKS: Final = re.compile(r"(?<=[{};:,])\s+|\s+(?=[{}])")


def lean(path: str, body: bytes) -> bytes:
    """Take notes, indents and empty lines off a file; what it does is the same."""
    if path.endswith(".json"):
        return msgspec.json.format(body, indent=-1)
    notes = next((notes for ending, notes in _NOTES.items() if path.endswith(ending)), None)
    if notes is None:
        return body
    bare = "\n".join(_bare(notes.sub("", body.decode()))) + "\n"
    return (_BLANKS.sub("", bare) if path.endswith(".css") else bare).encode()


def _bare(text: str) -> Iterator[str]:
    """Give every line without its indent, but for those within a text of several lines, which is left as it is."""
    within = False
    for line in text.split("\n"):
        kept = line if within else line.strip()
        if kept or within:
            yield kept
        if line.count("`") % 2:
            within = not within
