"""The tally: what came of one evening, or of many."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

COUNTS: Final = ("seeds", "steps", "commands", "crashes", "epochs", "settled", "void", "entries")


@dataclass(slots=True)
class Tally:
    """How much was played, and how it was answered."""

    seeds: int = 0
    steps: int = 0
    commands: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    crashes: int = 0
    epochs: int = 0
    settled: int = 0
    void: int = 0
    entries: int = 0
    #: The digest of the last journal.
    head: str = ""

    def add(self, other: "Tally") -> None:
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.outcomes += other.outcomes
        self.head = other.head

    def told(self) -> dict[str, object]:
        """Tell it in plain values, for programs."""
        return {**{name: getattr(self, name) for name in COUNTS}, "outcomes": dict(self.outcomes), "head": self.head}
