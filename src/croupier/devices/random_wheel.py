"""The random wheel and the health test of its source."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from croupier.devices.random_source import SECURE, Source, SourceFault, draw
from croupier.house.base import BallState, BettingState, RoundStatus
from croupier.house.closing import launch_to_close
from croupier.house.commands import AnyCommand
from croupier.house.commands.record import IncidentKind
from croupier.house.commands.rounds import BallAtRest, BallLaunched, WheelTrouble
from croupier.house.ids import SECOND, Instant, RoundNumber, TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.state.tables import Round, Table
from croupier.rules.geometry import Pocket
from croupier.rules.procedure import CloseRule, Reason

#: How many draws an examination looks at; NIST SP 800-90B asks for 1,024 at a start.
DRAWS: Final = 4_096
#: A good source goes past any one of the bounds below once in so many examinations, at most. There are two for each of
#: up to 38 pockets, two for repeats and one for runs: 79 / 10**11 < 10**-9, the odds of a false alarm.
RARE: Final = 10**11
HOUR: Final = 3600 * SECOND


@dataclass(slots=True)
class SourceMonitor:
    """Examines a source at the start and every hour; one that has failed is not trusted again in this run."""

    source: Source = SECURE
    #: When it was last examined, or failed; long ago before that.
    at: Instant = Instant(-HOUR)
    #: What is wrong with it; empty while nothing is.
    ailment: str = ""

    @property
    def due(self) -> Instant:
        return Instant(self.at + HOUR)

    def look(self, pockets: Sequence[Pocket], now: Instant) -> None:
        """Examine the source where that is due."""
        if not self.ailment and now >= self.due:
            self.at, self.ailment = now, examine(pockets, self.source)

    def draw(self, pockets: Sequence[Pocket], now: Instant) -> Pocket | None:
        """Draw a pocket; None where the source fails, which is then not trusted again."""
        try:
            return draw(pockets, self.source)
        except SourceFault as fault:
            self.at, self.ailment = now, str(fault)
            return None


def examine(pockets: Sequence[Pocket], source: Source = SECURE) -> str:
    """Say what is wrong with a source, from a fixed number of draws that serve nothing else; empty where nothing is."""
    try:
        drawn = [draw(pockets, source) for _ in range(DRAWS)]
    except SourceFault as fault:
        return str(fault)
    return _repetition(drawn, len(pockets)) or _proportion(drawn, pockets)


def _repetition(drawn: Sequence[Pocket], pockets: int) -> str:
    """SP 800-90B, 4.4.1: no pocket comes too often on end; nor do repeats stay out, as where a source counts up."""
    longest = max(len(list(run)) for _, run in groupby(drawn))
    if longest > run_most(pockets):
        return f"a pocket came {longest} times on end"
    repeats = sum(one == other for one, other in pairwise(drawn))
    least, most = bounds(len(drawn) - 1, pockets)
    return "" if least <= repeats <= most else f"a pocket followed itself {repeats} times in {len(drawn)} draws"


def _proportion(drawn: Sequence[Pocket], pockets: Sequence[Pocket]) -> str:
    """SP 800-90B, 4.4.2, for every pocket and not the first alone: none comes too often, and none too seldom."""
    counts = Counter(drawn)
    least, most = bounds(len(drawn), len(pockets))
    amiss = next((pocket for pocket in pockets if not least <= counts[pocket] <= most), None)
    return "" if amiss is None else f"{amiss} came {counts[amiss]} times in {len(drawn)} draws"


@cache
def run_most(pockets: int) -> int:
    """Tell how many times on end a pocket may come.

    A run of one more begins at a given draw once in pockets ** most times, and at any of them DRAWS times as often, at
    most: 4,096 / 37**10 < 10**-11, so that a run of 10 is the longest.
    """
    most = 1
    while pockets**most < DRAWS * RARE:
        most += 1
    return most


class CountBounds(NamedTuple):
    """The least and the most that a count may be."""

    least: int
    most: int


@cache
def bounds(trials: int, pockets: int) -> CountBounds:
    """Tell how often one pocket of so many may come: the binomial distribution, cut where either tail is rare.

    Of 4,096 draws from 37 pockets 110.7 are one pocket's on average, give or take 10.4: 49 to 187.
    """
    every = pockets**trials
    least = next(times for times, ways in _cumulated(trials, pockets) if ways * RARE > every)
    most = next(times for times, ways in _cumulated(trials, pockets) if (every - ways) * RARE <= every)
    return CountBounds(least, most)


def _cumulated(trials: int, pockets: int) -> Iterator[tuple[int, int]]:
    """Count, exactly, the ways for one pocket to come at most so many times: none, once, twice and so on."""
    times, ways = 0, (pockets - 1) ** trials
    total = ways
    while True:
        yield times, total
        times, ways = times + 1, ways * (trials - times) // ((times + 1) * (pockets - 1))
        total += ways


#: From the close to the launch, where betting closes first.
CLOSE_TO_LAUNCH: Final = 1 * SECOND
#: From the launch to the close, where the rules have the ball run first and do not say for how long.
LAUNCH_TO_CLOSE: Final = 5 * SECOND
#: From the close to rest, however long the ball has been running by then.
CLOSE_TO_REST: Final = 2 * SECOND
_RUNS_WHILE_OPEN: Final = (CloseRule.AFTER_LAUNCH, CloseRule.DURING_SPIN)


@dataclass(slots=True)
class RandomWheel:
    """Draws the numbers of one table. What it does next follows from the house alone, so that a restart needs nothing.

    It sees of the bets that they are sealed, and nothing else.
    """

    table: TableId
    #: From the launch to rest.
    spin_s: int
    watch: SourceMonitor = field(default_factory=SourceMonitor)
    #: What it reported last, and of which spin: the one thing that it never works out again.
    _reported: tuple[tuple[RoundNumber, int], BallAtRest] | None = None

    def due(self, house: House) -> Instant | None:
        table = self._own(house)
        if table is None:
            return None
        if self.watch.ailment:
            return None if self._is_reported(house, table) else house.now
        at = self._next(table)
        return self.watch.due if at is None else min(at, self.watch.due)

    def act(self, house: House, now: Instant) -> AnyCommand | None:
        table = self._own(house)
        if table is None:
            return None
        at = self._next(table)
        ready = at is not None and now >= at
        if ready and self._reported is not None and self._reported[0] == _spin(table):
            return self._reported[1]
        self.watch.look(table.rulebook.wheel.order, now)
        command = self._step(table, now) if ready and not self.watch.ailment else None
        if self.watch.ailment and not self._is_reported(house, table):
            return WheelTrouble(self.table, Reason.MALFUNCTION)
        return command

    def _own(self, house: House) -> Table | None:
        """Find the table, while its numbers are drawn."""
        table = house.tables.get(self.table)
        return table if table is not None and table.settings.wheel is WheelKind.RANDOM else None

    def _is_reported(self, house: House, table: Table) -> bool:
        """Tell whether staff have heard of the ailment: since it came about, and in every round since."""
        since = self.watch.at if table.round is None else max(self.watch.at, table.round.opened_at)
        for each in reversed(house.incidents.values()):
            if each.at < since:
                return False
            if each.kind is IncidentKind.WHEEL_TROUBLE and each.subject == self.table:
                return True
        return False

    def _next(self, table: Table) -> Instant | None:
        """Tell when the ball is to be launched, or comes to rest; None where that is not for the wheel to say now."""
        round_ = table.round
        if round_ is None or round_.status is not RoundStatus.ACTIVE or round_.no_spin:
            return None
        if round_.ball is BallState.IDLE:
            return launches_at(table, round_)
        return self._rests_at(round_) if round_.ball is BallState.SPINNING else None

    def _rests_at(self, round_: Round) -> Instant | None:
        if round_.sealed is None:
            return None
        assert round_.launched_at is not None
        assert round_.closed_at is not None
        return Instant(max(round_.launched_at + self.spin_s * SECOND, round_.closed_at + CLOSE_TO_REST))

    def _step(self, table: Table, now: Instant) -> AnyCommand | None:
        return BallLaunched(self.table) if table.playing.ball is BallState.IDLE else self._draw(table, now)

    def _draw(self, table: Table, now: Instant) -> BallAtRest | None:
        """Draw the number of a spin, at the moment it is reported and never before; None where the source fails."""
        assert table.playing.sealed is not None
        pocket = self.watch.draw(table.rulebook.wheel.order, now)
        if pocket is None:
            return None
        report = BallAtRest(self.table, pocket, spin_id=(table.spin_id or 0) + 1)
        self._reported = (_spin(table), report)
        return report


def _spin(table: Table) -> tuple[RoundNumber, int]:
    """Name the spin that runs: a round may have several, and each has its own number."""
    return table.playing.number, table.playing.spin


def launches_at(table: Table, round_: Round) -> Instant | None:
    """Tell when the ball is set going: after the close, or before it where the rules have betting go on meanwhile."""
    if round_.betting is BettingState.CLOSED:
        assert round_.closed_at is not None
        return Instant(round_.closed_at + CLOSE_TO_LAUNCH)
    if round_.closes_at is None or table.rulebook.procedure.closes.does not in _RUNS_WHILE_OPEN:
        return None
    ahead = launch_to_close(table.rulebook, table.settings) or LAUNCH_TO_CLOSE
    return Instant(max(round_.opened_at, round_.closes_at - ahead))
