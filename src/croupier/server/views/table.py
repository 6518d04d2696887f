"""Public table view and statistics."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb
from typing import Final, NamedTuple

import msgspec

from croupier.engine.run import Run
from croupier.house.base import Event, RoundEvent, RoundStatus
from croupier.house.events.rounds import BetsSealed
from croupier.house.ids import RoundNumber, TableId, TerminalId
from croupier.house.settings import EffectiveLimits, WheelKind
from croupier.house.state import House
from croupier.house.state.tables import Round, Table
from croupier.house.views import table_message
from croupier.house.wording import recovery_reports
from croupier.protocol import outbound
from croupier.protocol.outbound import Notice, TableState
from croupier.rules.geometry import OUTSIDE, Colour, Pocket, colour
from croupier.rules.rulebook import Rulebook
from croupier.server.events import MOVES_ALL


def notices(run: Run) -> dict[TableId, Notice]:
    """Say of every table with a round that was running what the start has done; nothing of those it left alone."""
    told = recovery_reports(tuple(entry.event for entry in run.recovery.entries))
    return {
        table: Notice(each.round, "recovered", each.clause, f"The system was restarted: {each.done}.")
        for table, each in told.items()
        if each.acted
    }


def supersedes_notice(event: Event, table: TableId, notice: Notice) -> bool:
    """Tell whether a table has gone on from where a start left it: with that round, or to the close of the next."""
    if not isinstance(event, RoundEvent) or not isinstance(event, MOVES_ALL) or event.table != table:
        return False
    return event.round == notice.round or (event.round > notice.round and isinstance(event, BetsSealed))


#: Names the felt of a terminal or, without one, of a table.
FeltOf = Callable[[House, TableId, TerminalId | None], str]


#: Rounds and their numbers, the newest first.
Spins = tuple[tuple[RoundNumber, Pocket], ...]


@dataclass(slots=True)
class TableViews:
    """Every table as it was last told, with the count of its versions."""

    house: House
    felt_of: FeltOf
    #: What a start has done, until the round has gone on from there.
    recovered: dict[TableId, Notice]
    told: dict[TableId, tuple[int, TableState]] = field(default_factory=dict)
    #: The numbers of past spins with their rounds, as they were last told.
    spins: dict[TableId, Spins] = field(default_factory=dict)
    #: The rulebook and the limits that each table played by when it was last told.
    played_by: dict[TableId, tuple[Rulebook, EffectiveLimits]] = field(default_factory=dict)

    def draw(self, name: TableId) -> outbound.TableUpdate:
        """Draw a table anew, as its next version."""
        state = table_view(self.house, name, self.felt_of(self.house, name, None), self.recovered.get(name))
        version = self.told[name][0] + 1 if name in self.told else 1
        self.told[name] = version, state
        table = self.house.tables[name]
        self.played_by[name] = table.rulebook, table.effective_limits
        self.spins[name] = tuple(table.history)
        return outbound.TableUpdate(tv=version, state=state)

    def plays_anew(self, name: TableId) -> bool:
        """Tell whether a table plays by other rules or limits by now than it did when it was last told."""
        if name not in self.played_by:
            return False
        table, (rulebook, terms) = self.house.tables[name], self.played_by[name]
        return rulebook.digest != table.rulebook.digest or terms is not table.effective_limits

    def on_event(self, events: Iterable[Event]) -> None:
        """Take down what a start has done, where the round has gone on."""
        for event in events if self.recovered else ():
            self.recovered = {
                name: each for name, each in self.recovered.items() if not supersedes_notice(event, name, each)
            }


def table_view(house: House, name: TableId, felt: str, recovered: Notice | None) -> TableState:
    """Tell what a table shows; what a restart has done comes before what has become of the round."""
    table = house.tables[name]
    round_ = table.round
    return TableState(
        table=name,
        rulebook=table.rulebook.id,
        felt=felt,
        phase=table.phase,
        round=table.rounds,
        spin=1 if round_ is None else round_.spin,
        says=table_message(table),
        closes_at=None if round_ is None else round_.closes_at,
        launched_at=None if round_ is None else round_.launched_at,
        pocket=None if round_ is None or round_.invalidated else round_.pocket,
        numbers=table.numbers[: table.settings.history_shown],
        closed=table.closed,
        random=table.settings.wheel is WheelKind.RANDOM,
        wheel=table.settings.wheel,
        notice=recovered or _notice(table, round_),
    )


def _notice(table: Table, round_: Round | None) -> Notice | None:
    """Say what became of a round that is not simply played to its end."""
    if round_ is None:
        return None
    standing = "no_spin" if round_.no_spin else "invalidated" if round_.invalidated else round_.status
    words = _WORDS.get(standing)
    if words is None:
        return None
    reason = "" if round_.reason is None else round_.reason.value
    return Notice(table.rounds, reason, round_.clause, words)


_WORDS: Final[Mapping[str, str]] = {
    "no_spin": "This spin does not count.",
    "invalidated": "The outcome was taken back: every stake went back.",
    RoundStatus.SUSPENDED: "The round is suspended until somebody decides it.",
    RoundStatus.VOID: "The round is void: every stake went back.",
}


#: How many numbers are named as those that have come most, and least.
NAMED: Final = 4
#: One in so many times chance alone gives fewer than the band has, and one in so many more: 95 % lie within.
TAIL: Final = 40


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How often something has come; and between which counts chance alone stays 95 times in 100."""

    count: int
    low: int
    high: int


class GroupCount(Count, frozen=True):
    """The same of several numbers together."""

    #: The name of the bet on them, or green.
    group: str


class NumberStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a table's past spins, counted. Past results do not change the odds."""

    table: str
    spins: int
    pockets: dict[Pocket, Count]
    groups: tuple[GroupCount, ...]
    #: Those that have come most, the first the most; of two that came as often the one that came last.
    hot: tuple[Pocket, ...]
    #: Those that have come least, the first the least; of two that came as often the one that is longest away.
    cold: tuple[Pocket, ...]


def tally(table: TableId, rulebook: Rulebook, spins: Spins) -> NumberStatistics:
    """Count what has come; numbers from when the table had another wheel are left out."""
    came = [pocket for _, pocket in spins if pocket in rulebook.wheel.order]
    counted, wheel = Counter(came), len(rulebook.pockets)
    bands = {size: band(len(came), size, wheel) for size in {1, *map(len, _groups(rulebook).values())}}
    return NumberStatistics(
        table=table,
        spins=len(came),
        pockets={pocket: Count(count=counted[pocket], **bands[1]._asdict()) for pocket in rulebook.pockets},
        groups=tuple(
            GroupCount(group=name, count=sum(counted[each] for each in numbers), **bands[len(numbers)]._asdict())
            for name, numbers in _groups(rulebook).items()
        ),
        hot=tuple(sorted(counted, key=lambda pocket: (-counted[pocket], came.index(pocket)))[:NAMED]),
        cold=_cold(rulebook.pockets, came, counted),
    )


def _cold(pockets: tuple[Pocket, ...], came: list[Pocket], counted: Mapping[Pocket, int]) -> tuple[Pocket, ...]:
    """Name those that have come least; nothing can be said before the first spin."""
    away = {pocket: came.index(pocket) if pocket in counted else len(came) for pocket in pockets}
    ordered = sorted(pockets, key=lambda pocket: (counted.get(pocket, 0), -away[pocket]))
    return tuple(ordered[:NAMED]) if came else ()


#: The bets on several numbers, in the order in which pages show them.
_BETS: Final = (
    *("red", "black", "even", "odd", "low", "high"),
    *(f"dozen {place}" for place in (1, 2, 3)),
    *(f"column {place}" for place in (1, 2, 3)),
)


def _groups(rulebook: Rulebook) -> dict[str, Collection[Pocket]]:
    outside = {str(key): numbers for key, (_, numbers) in OUTSIDE.items()}
    green = [pocket for pocket in rulebook.pockets if colour(pocket) is Colour.GREEN]
    return {**{name: outside[name] for name in _BETS}, "green": green}


class ConfidenceBand(NamedTuple):
    """The least and the most that chance gives in all but few cases."""

    low: int
    high: int


@lru_cache(maxsize=1_024)
def band(spins: int, numbers: int, wheel: int) -> ConfidenceBand:
    """Find the band of a count, exactly: fewer come at most once in forty times, and more at most once in forty."""
    every = wheel**spins
    below, low, high = 0, 0, 0
    for count in range(spins + 1):
        # How many of all the ways in which these spins can fall give this count.
        ways = comb(spins, count) * numbers**count * (wheel - numbers) ** (spins - count)
        if below * TAIL <= every:
            low = count
        if (every - below) * TAIL > every:
            high = count
        below += ways
    return ConfidenceBand(low, high)
