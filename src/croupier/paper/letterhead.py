"""The letterhead: whose paper it is, by which clock its times are, and the marks that it bears."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from croupier.house.name import Day, Instant
from croupier.house.settings import Mode
from croupier.journal.page import Mark
from croupier.paper.block import GAP, Block, Look, Pair, Text

DEMO: Final = "DEMO - NO VALUE"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Letterhead:
    """A venue, as it stands on everything that is printed there."""

    venue: str
    timezone: str
    mode: Mode

    def date(self, at: Instant) -> str:
        return f"{self._here(at):%Y-%m-%d}"

    def time(self, at: Instant) -> str:
        """Write a time of day by 24 hours."""
        return f"{self._here(at):%H:%M:%S}"

    def moment(self, at: Instant) -> str:
        return f"{self.date(at)} {self.time(at)}"

    def titled(self, title: str) -> str:
        """Name a document as the foot of each page does."""
        return f"{title} ({DEMO})" if self.mode is Mode.DEMO else title

    def top(self, title: str, duplicate: int = 0) -> Iterator[Block]:
        """Begin a document with its marks, the venue and what it is."""
        marks = tuple(self.marks(duplicate))
        yield from (*marks, GAP) if marks else ()
        yield Text(self.venue, Look.BOLD)
        yield Text(title, Look.LARGE)
        yield GAP

    def marks(self, duplicate: int = 0) -> Iterator[Block]:
        """Say what a paper is not: the first of its kind, or worth anything."""
        if duplicate:
            yield Text(f"DUPLICATE {duplicate}", Look.BANNER)
        if self.mode is Mode.DEMO:
            yield Text(DEMO, Look.BANNER)

    def _here(self, at: Instant) -> datetime:
        return (_EPOCH + timedelta(microseconds=at)).astimezone(ZoneInfo(self.timezone))


def journal_head(mark: Mark | None) -> Iterator[Block]:
    """Print how far the journal had come, with its digest: whoever keeps the paper is a witness of all up to it."""
    if mark is not None:
        head = mark.head.hex()
        yield Pair("Journal", f"entry {mark.position}, page {mark.page}, epoch {mark.epoch}")
        yield Pair("Head", head[: len(head) // 2])
        yield Pair("", head[len(head) // 2 :])


def day_text(day: Day) -> str:
    """Write a gaming day as a date."""
    return f"{day // 10_000:04}-{day // 100 % 100:02}-{day % 100:02}"
