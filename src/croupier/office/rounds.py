"""Rounds: what was staked in each round of a table and what went back, also after it was over."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from croupier.house.event.base import AtRound
from croupier.house.event.record import BetsConfirmed, BetsVoided
from croupier.house.meters import TableMeters
from croupier.house.name import Day, Instant, RoundNumber, TableId
from croupier.house.state import House
from croupier.house.table import Round, Status
from croupier.journal.entry import Entry
from croupier.office.chapter import Chapter
from croupier.paper.tablereport import Played

#: How many rounds of each table are listed at most: two days and more, with a round every forty seconds.
LINES_MOST: Final = 5_000


@dataclass(slots=True)
class Line:
    """One round on one day, as its table's meters have counted it."""

    round: RoundNumber
    staked: int = 0
    back: int = 0
    result: str = ""
    #: When it was over, or was first put right on that day.
    at: Instant = Instant(0)

    def add(self, staked: int, back: int) -> None:
        self.staked += staked
        self.back += back


class Rounds(Chapter):
    """The last rounds of every table.

    A round that is corrected, or whose bets were in question, is put right where it stands; on a later day than its own
    that is in a line of that day, as it is in its takings.
    """

    def __init__(self) -> None:
        self._running: dict[tuple[TableId, RoundNumber], Line] = {}
        self._over: dict[TableId, dict[tuple[Day, RoundNumber], Line]] = {}
        self._counted: dict[TableId, tuple[int, int]] = {}

    def before(self, house: House, entry: Entry) -> None:
        self._counted = {table: _counted(house.tables[table].meters) for table, _ in concerned(house, entry)}

    def after(self, house: House, entry: Entry) -> None:
        for name, round_ in concerned(house, entry):
            if round_ is None:
                # Only the journal still has it: it may be disputed, which moves nothing.
                continue
            (staked, back), (was_staked, was_back) = _counted(house.tables[name].meters), self._counted[name]
            moved = staked - was_staked, back - was_back
            if round_.over:
                self._note(name, round_, moved, (house.day, entry.stamp.now))
            else:
                self._running.setdefault((name, round_.number), Line(round_.number)).add(*moved)

    def _note(self, table: TableId, round_: Round, moved: tuple[int, int], when: tuple[Day, Instant]) -> None:
        """Note what a round that is over came to, or what has changed in it since."""
        lines, (day, now) = self._over.setdefault(table, {}), when
        line = lines.get((day, round_.number))
        if line is None:
            line = self._running.pop((table, round_.number), None) or (Line(round_.number) if any(moved) else None)
            if line is None:
                return
            line.at = now
            lines[day, round_.number] = line
        line.add(*moved)
        line.result = _result(round_)
        if len(lines) > LINES_MOST:
            del lines[next(iter(lines))]

    def on(self, table: TableId, day: Day) -> tuple[Played, ...]:
        """List the rounds of a table on a day; none where not all of them are kept any more."""
        return tuple(
            Played(line.round, line.at, line.result, line.staked, line.back)
            for (on, _), line in self._over.get(table, {}).items()
            if on == day and self.are_kept(table, day)
        )

    def are_kept(self, table: TableId, day: Day) -> bool:
        """Tell whether all rounds of a table on a day are kept."""
        first_day, first = next(iter(self._over.get(table, {})), (day, RoundNumber(1)))
        return first == 1 or first_day < day


def concerned(house: House, entry: Entry) -> Iterable[tuple[TableId, Round | None]]:
    """Find the rounds that an entry is about, each with its table; a case keeps its own for as long as there is one."""
    match entry.event:
        case AtRound() as event:
            return ((event.table, house.tables[event.table].find_round(event.round)),)
        case BetsConfirmed() | BetsVoided() as event:
            case = house.cases[event.case]
            return tuple((table, round_) for (table, _), round_ in zip(case.questioned, case.rounds, strict=True))
        case _:
            return ()


def _counted(meters: TableMeters) -> tuple[int, int]:
    return meters.turnover, meters.returned + meters.refunded


def _result(round_: Round) -> str:
    """Say what came, and what had come before it was put right."""
    if round_.status is Status.VOID or round_.invalidated:
        return "void"
    assert round_.pocket is not None
    was = f", was {', '.join(round_.corrected)}" if round_.corrected else ""
    return f"{round_.pocket}{was}"
