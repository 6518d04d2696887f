"""Complaints: what is wrong with a rulebook, by file and key."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

#: What a proof finds: the key in the rulebook, and what is the matter with it.
Found = Iterator[tuple[str, str]]


def shown(value: object) -> str:
    """Show a value as whoever wrote the file would name it."""
    match value:
        case dict():
            return "a table"
        case list():
            return "a list"
        case datetime():
            return "a date and time"
        case _:
            return repr(value)


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing wrong: the file, the key in it, and what is the matter."""

    file: str
    key: str
    says: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.says}" if self.key else f"{self.file}: {self.says}"
