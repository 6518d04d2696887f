"""Devices: a floor that runs by its clock and its wheels alone, with a player who bets in every round."""

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple, Self

from croupier.devices.random_source import SECURE, Source
from croupier.devices.random_wheel import RandomWheel, SourceMonitor
from croupier.engine.ports import Ports, Request, ScheduledWheel
from croupier.engine.storage import Storage
from croupier.house import AnyCommand, House
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.declare import RoundEvent
from croupier.house.floor.setup import AddTable, AddTerminal
from croupier.house.ids import SECOND, DeviceId, Instant, PersonId, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.settings import TableSettings, TerminalSettings, WheelKind
from croupier.house.state.tables import Phase, Round, Table
from croupier.rules.money import Cents
from croupier.rules.rulebook import Rulebook
from tests.support.engine_driver import (
    HandClock,
    RecordingOutbox,
    done,
    enrolling,
    memory_storage,
    provisioning,
    stand,
    start,
)

A, B, T1 = TableId("A"), TableId("B"), TerminalId("T1")
DESK, PIT, MANAGER = DeviceId("desk"), PersonId("pit"), PersonId("manager")
TIMED = TableSettings(wheel=WheelKind.RANDOM, betting_s=20, pause_s=4)
SPIN_S = 12


class Step(NamedTuple):
    """Something that happened to a round."""

    at: Instant
    event: RoundEvent


class Floor:
    """A venue that runs by its clock and its wheels, with a player who bets in every round."""

    def __init__(self, storage: Storage | None = None, clock: HandClock | None = None, source: Source = SECURE) -> None:
        self.storage, self.clock, self.outbox = storage or memory_storage(), clock or HandClock(), RecordingOutbox()
        ports = Ports(self.clock, self.outbox)
        self.run = start(self.storage, ports, standing=stand(self.storage))
        self.source = source
        self.wheels: list[RandomWheel] = []
        self.reports: list[AnyCommand] = []
        self.stake = 100
        self.hang(*self.house.tables)

    @classmethod
    def at(cls, rulebook: Rulebook, *more: TableId, settings: TableSettings = TIMED, source: Source = SECURE) -> Self:
        """A venue with a table, or several, at which one terminal plays."""
        floor = cls(source=source)
        seats = () if more else (T1,)
        added = [AddTable(table, rulebook.digest, settings) for table in more]
        both = [AddTerminal(T1, (A, *more), TerminalSettings())] if more else []
        people = dict.fromkeys((PIT, MANAGER), rulebook.staff.order[-1])
        done(floor.run, *provisioning(rulebook, A, seats, settings), *added, *both, *enrolling((DESK,), people))
        done(floor.run, GrantPlayMoney(T1, Cents(1_000_000)))
        floor.hang(A, *more)
        return floor

    def again(self, outage_s: int = 0) -> "Floor":
        """Start again on what was kept, as after a power cut."""
        self.clock.pass_s(outage_s)
        return Floor(self.storage, self.clock, self.source)

    def hang(self, *tables: TableId) -> None:
        self.wheels += [RandomWheel(table, SPIN_S, SourceMonitor(self.source)) for table in tables]

    @property
    def house(self) -> House:
        return self.run.house

    @property
    def table(self) -> Table:
        return self.house.tables[A]

    @property
    def round(self) -> Round:
        return self.table.playing

    @property
    def wheel(self) -> RandomWheel:
        return self.wheels[0]

    def settled(self) -> int:
        return min(table.meters.rounds for table in self.house.tables.values())

    def due(self) -> Instant | None:
        """When the house or a wheel next wants to act."""
        instants = (self.run.due(), *(wheel.due(self.house) for wheel in self.wheels))
        return min((at for at in instants if at is not None), default=None)

    def step(self) -> None:
        """Go on to what is due next, and have it done."""
        due = self.due()
        assert due is not None
        self.clock.at = max(self.clock.at, due)
        for wheel in self.wheels:
            self.report(wheel)
        self.run.step()
        for table in self.house.tables.values():
            self.play(table)

    def report(self, wheel: ScheduledWheel) -> None:
        command = wheel.act(self.house, self.clock.now())
        if command is not None:
            self.reports.append(command)
            assert self.run.submit(Request(command, DeviceId(wheel.table))) is None

    def play(self, table: Table) -> None:
        game = self.house.terminals[T1].games[table.id]
        if table.phase is Phase.OPEN and self.stake and not game.bets:
            bets = tuple((spot, self.stake) for spot in ("17", "1/2", "0"))
            done(
                self.run, Request(PlaceBets(T1, table.id, table.rounds, table.playing.spin.number, bets), DeviceId(T1))
            )

    def until(self, phase: Phase) -> Self:
        """Go on until a round of the first table is in a phase."""
        return self._go_on(lambda: self.table.phase is phase, most=40)

    def until_settled(self, rounds: int) -> Self:
        """Go on until every table has settled so many rounds."""
        return self._go_on(lambda: self.settled() >= rounds, most=40 * rounds)

    def for_s(self, seconds: int) -> Self:
        """Let some time go by, with all that falls into it."""
        until = self.clock.at + seconds * SECOND
        while (due := self.due()) is not None and due < until:
            self.step()
        self.clock.at = until
        return self

    def _go_on(self, is_there: Callable[[], bool], *, most: int) -> Self:
        for _ in range(most):
            if is_there():
                return self
            self.step()
        raise AssertionError((self.settled(), self.table.phase, self.house.incidents.all))

    def by_pit(self, command: AnyCommand, person: PersonId = PIT) -> None:
        done(self.run, Request(command, DESK, person))

    def by_wheel(self, command: AnyCommand) -> None:
        done(self.run, Request(command, DeviceId(A)))

    def rounds(self, table: TableId = A) -> list[list[Step]]:
        """What happened in each round of a table, and when."""
        reported = (
            Step(entry.context.now, entry.event) for entry in self.outbox.entries if isinstance(entry.event, RoundEvent)
        )
        here = (step for step in reported if step.event.table == table)
        return [list(steps) for _, steps in groupby(here, lambda step: step.event.round)]


def names(steps: list[Step]) -> list[str]:
    return [type(step.event).__name__ for step in steps]


def instant_of(steps: list[Step], kind: type[RoundEvent]) -> Instant:
    return next(step.at for step in steps if isinstance(step.event, kind))
