"""Complaints: what is wrong with a rulebook, by file and key."""

from collections.abc import Iterator
from dataclasses import dataclass

#: What a proof finds: the key in the rulebook, and what is the matter with it.
Found = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing wrong: the file, the key in it, and what is the matter."""

    file: str
    key: str
    says: str

    def __str__(self) -> str:
        return f"{self.file}: {self.key}: {self.says}" if self.key else f"{self.file}: {self.says}"
