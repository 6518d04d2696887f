"""Wheels: the port through which a table's numbers come, and the random wheel, which plays the part by itself."""

from dataclasses import dataclass, field
from typing import Final, Protocol

from croupier.devices.health import Watch
from croupier.house.command.any import AnyCommand
from croupier.house.command.record import IncidentKind
from croupier.house.command.round import BallAtRest, BallLaunched, WheelTrouble
from croupier.house.name import SECOND, Instant, RoundNumber, TableId
from croupier.house.settings import WheelKind
from croupier.house.state import House
from croupier.house.table import Ball, Betting, Round, Status, Table
from croupier.house.timetable import launch_to_close
from croupier.rules.irregularity import Reason
from croupier.rules.procedure import Closing

#: From the close to the launch, where betting closes first.
CLOSE_TO_LAUNCH: Final = 1 * SECOND
#: From the launch to the close, where the rules have the ball run first and do not say for how long.
LAUNCH_TO_CLOSE: Final = 5 * SECOND
#: From the close to rest, however long the ball has been running by then.
CLOSE_TO_REST: Final = 2 * SECOND
_RUNS_WHILE_OPEN: Final = (Closing.AFTER_LAUNCH, Closing.DURING_SPIN)


class Wheel(Protocol):
    """A table's wheel. It is asked between turns, when all that the house shows is kept."""

    table: TableId

    def due(self, house: House) -> Instant | None:
        """Tell when it next wants to act, as the house is now; the instant may be past already."""
        ...

    def act(self, house: House, now: Instant) -> AnyCommand | None:
        """Say what it reports now, to be asked in the name of the table's own device; asked again, the same again."""
        ...


@dataclass(slots=True)
class RandomWheel:
    """Draws the numbers of one table. What it does next follows from the house alone, so that a restart needs nothing.

    It sees of the bets that they are sealed, and nothing else.
    """

    table: TableId
    #: From the launch to rest.
    spin_s: int
    watch: Watch = field(default_factory=Watch)
    #: What it reported last, and of which spin: the one thing that it never works out again.
    _reported: tuple[tuple[RoundNumber, int], BallAtRest] | None = None

    def due(self, house: House) -> Instant | None:
        table = self._own(house)
        if table is None:
            return None
        if self.watch.ailment:
            return None if self._told(house, table) else house.now
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
        if self.watch.ailment and not self._told(house, table):
            return WheelTrouble(self.table, Reason.MALFUNCTION)
        return command

    def _own(self, house: House) -> Table | None:
        """Find the table, while its numbers are drawn."""
        table = house.tables.get(self.table)
        return table if table is not None and table.settings.wheel is WheelKind.RANDOM else None

    def _told(self, house: House, table: Table) -> bool:
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
        if round_ is None or round_.status is not Status.ACTIVE or round_.no_spin:
            return None
        if round_.ball is Ball.IDLE:
            return launches_at(table, round_)
        return self._rests_at(round_) if round_.ball is Ball.SPINNING else None

    def _rests_at(self, round_: Round) -> Instant | None:
        if round_.sealed is None:
            return None
        assert round_.launched_at is not None
        assert round_.closed_at is not None
        return Instant(max(round_.launched_at + self.spin_s * SECOND, round_.closed_at + CLOSE_TO_REST))

    def _step(self, table: Table, now: Instant) -> AnyCommand | None:
        return BallLaunched(self.table) if table.playing.ball is Ball.IDLE else self._draw(table, now)

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
    if round_.betting is Betting.CLOSED:
        assert round_.closed_at is not None
        return Instant(round_.closed_at + CLOSE_TO_LAUNCH)
    if round_.closes_at is None or table.rulebook.procedure.closes.does not in _RUNS_WHILE_OPEN:
        return None
    ahead = launch_to_close(table.rulebook, table.settings) or LAUNCH_TO_CLOSE
    return Instant(max(round_.opened_at, round_.closes_at - ahead))
