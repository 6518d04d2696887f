"""Scenario, process and what actors can do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from croupier.engine.ports import BatchOutput, Ports, Request, Response
from croupier.engine.run import RecoveredState, Run, recover_state
from croupier.engine.storage import Storage
from croupier.house.base import Decision
from croupier.house.commands import AnyCommand
from croupier.house.commands.credit import GrantPlayMoney, InsertNote
from croupier.house.commands.rounds import Tick
from croupier.house.commands.setup import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveBuild,
    CreateHouse,
    EnrolDevice,
    EnrolPerson,
    ReportBuild,
)
from croupier.house.ids import Context, Day, DeviceId, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.settings import LimitBounds, LimitSettings, Mode, TableSettings, TerminalSettings, WheelKind
from croupier.house.state import House
from croupier.house.state.tables import Round, Table
from croupier.journal.checkpoints import Signer
from croupier.journal.disk import JournalFault
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rulebooks.schema import canonical, read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents
from croupier.rules.procedure import ChannelName, Duty
from croupier.rules.rulebook import Rulebook
from croupier.simulation.checker import Decided, InvariantChecker
from croupier.simulation.world import (
    Chance,
    Client,
    DiskAnchor,
    DiskSnapshots,
    FailingStore,
    Killed,
    Network,
    SimulatedClock,
    SimulatedTime,
    gaming_day,
)

#: Takes an answer on its way, with the epoch of whoever gave it.
Post = Callable[[Response, int], None]


class Process:
    """One start of the system, and what it has decided since it last wrote."""

    run: Run

    def __init__(self, machine: "SimulatedHost") -> None:
        self._machine = machine
        self.decided: list[Decided] = []
        self.alive = True

    def begin(self, recovered: RecoveredState) -> None:
        machine = self._machine
        ports = Ports(
            SimulatedClock(machine.time, recovered.house.now),
            self,
            gaming_day if machine.by_calendar else None,
            lambda: machine.room,
            self.witness,
        )
        self.run = Run(machine.storage, recovered, ports)

    def witness(self, command: AnyCommand, context: Context, decision: Decision) -> None:
        self.decided.append((command, context, decision))

    def publish(self, batch: BatchOutput) -> None:
        self._machine.checker.on_response(batch)
        for answer in batch.responses:
            self._machine.post(answer, self.run.epoch)


class SimulatedHost:
    """A disk, and the process that writes on it."""

    process: Process

    def __init__(
        self,
        time: SimulatedTime,
        chance: Chance,
        post: Post,
        checker: type[InvariantChecker] = InvariantChecker,
        *,
        by_calendar: bool,
    ) -> None:
        self.time, self.post, self.by_calendar = time, post, by_calendar
        self.disk, self.anchor, self.slot = FailingStore(chance), DiskAnchor(chance), DiskSnapshots(chance)
        self.storage = Storage(self.disk, self.anchor, self.slot, Signer.new())
        self.checker = checker(self.disk)
        #: Whether the disk has room.
        self.room = True
        self.crashes = 0
        #: A process that goes on after another has taken over, until it finds out.
        self.stale: Process | None = None
        self._start()

    @property
    def house(self) -> House:
        return self.process.run.house

    def submit(self, asked: Request, *, to_stale: bool = False) -> None:
        process = self.stale if to_stale and self.stale is not None else self.process
        refusal = process.run.submit(asked)
        assert refusal is None

    def step(self) -> None:
        """Do what is due and take what waits; whoever cannot write any more is replaced by a new start."""
        if not self._attempt(self.process, self.process.run.step):
            self.crash()

    def take_snapshot(self) -> None:
        """Keep a snapshot."""
        if not self._attempt(self.process, self.process.run.take_snapshot):
            self.crash()

    def step_stale(self) -> None:
        """Let a process that was replaced go on: it may say no, and it may not write."""
        if self.stale is not None:
            try:
                self.stale.run.step()
            except (Killed, JournalFault):
                self.stale = None

    def crash(self) -> None:
        """The process is gone; another starts from what the disk has kept."""
        self.crashes += 1
        self.anchor.crash()
        self.slot.crash()
        self._start()

    def take_over(self, *, in_the_act: bool) -> None:
        """Start another while this one still runs, and perhaps writes after its journal was read back."""
        old = self.process
        self._start(self.step if in_the_act else None)
        self.stale = old if old.alive else None

    def _start(self, meanwhile: Callable[[], None] | None = None) -> None:
        recovered = recover_state(self.storage, read_canonical)
        if meanwhile is not None:
            meanwhile()
        process = Process(self)
        if self._attempt(process, lambda: process.begin(recovered)):
            self.process = process
        else:
            self.crash()

    def _attempt(self, process: Process, action: Callable[[], object]) -> bool:
        """Do something that may write a page; what was decided counts where that page was kept."""
        pages = len(self.disk.stored)
        try:
            action()
        except (Killed, JournalFault):
            process.alive = False
        if process.alive or len(self.disk.stored) > pages:
            self.checker.on_request(process.decided)
        process.decided.clear()
        return process.alive


TODAY: Final = Day(20261115)
VERSION: Final = "rehearsed"
#: All of an evening: the invariant checker holds every record against its own.
RECORDS_KEPT: Final = 1_000_000
#: One credit, the least chip and notes at every terminal.
OFFERS: Final = TerminalSettings(denominations=(Cents(1), Cents(50)))


@dataclass(frozen=True, slots=True)
class Scenario:
    """One evening's cast and house."""

    rulebook: Rulebook
    mode: Mode
    tables: tuple[TableId, ...]
    seats: tuple[TerminalId, ...]
    settings: TableSettings
    ticket_days: int | None
    #: Whether gaming days follow the clock, or are named by hand.
    by_calendar: bool

    @property
    def people(self) -> tuple[tuple[PersonId, str], ...]:
        """Two people of every title."""
        staff = self.rulebook.staff
        return tuple(
            (PersonId(f"{title.lower()} {n}"), title) for title in (*staff.order, *staff.others) for n in (1, 2)
        )

    def staff(self, duty: Duty) -> list[PersonId]:
        """Name those who may do a duty, the lowest title first; nobody where it falls to nobody here."""
        titles = self.rulebook.staff.titles_for(duty)
        return [person for title in titles for person, has in self.people if has == title]

    @property
    def spots(self) -> tuple[SpotKey, ...]:
        return tuple(self.rulebook.spots)

    def devices(self) -> list[DeviceId]:
        """List every device on the network."""
        consoles = [console_of(person) for person, _ in self.people]
        return [*map(DeviceId, self.seats), *map(DeviceId, self.tables), *consoles]

    def provisioning(self) -> list[AnyCommand]:
        """List what sets the house up, in its order."""
        book = self.rulebook
        return [
            CreateHouse(self.mode, book.venue, "UTC", self.ticket_days, RECORDS_KEPT),
            *([] if self.by_calendar else [Tick(TODAY)]),
            AdoptRulebook(canonical(book)),
            *(AddTable(table, book.digest, self.settings) for table in self.tables),
            *(AddTerminal(seat, self._tables_of(seat), OFFERS) for seat in self.seats),
            *(EnrolPerson(person, (title,)) for person, title in self.people),
            *(EnrolDevice(console_of(person)) for person, _ in self.people),
            ApproveBuild(VERSION, "letter"),
            ReportBuild(VERSION),
        ]

    def buying_in(self) -> list[Request]:
        """List what puts some money on every meter: notes, or what the house hands out."""
        note = OFFERS.notes[-1]
        if self.mode is Mode.DEMO:
            return [Request(GrantPlayMoney(seat, Cents(5 * note))) for seat in self.seats]
        return [Request(InsertNote(seat, self.rulebook.currency, note), DeviceId(seat)) for seat in self.seats * 5]

    def _tables_of(self, seat: TerminalId) -> tuple[TableId, ...]:
        """The last seat plays at one table, and the others at as many as there are."""
        return self.tables[:1] if seat == self.seats[-1] else self.tables


def console_of(person: PersonId) -> DeviceId:
    """Name the console at which somebody stands."""
    return DeviceId(f"{person}'s console")


def draw_scenario(rng: Random) -> Scenario:
    """Choose a venue and its settings."""
    rulebook = load_rulebook(rng.choice(rulebook_ids()))
    assert isinstance(rulebook, Rulebook)
    games = rulebook.terminal.games
    tables = tuple(TableId(f"table {number}") for number in range(1, 1 + (games.figure if games else 1)))
    # A venue without terminals of its own can only be shown.
    real = ChannelName.TERMINAL in rulebook.channels and rng.randrange(2)
    return Scenario(
        rulebook,
        Mode.REAL if real else Mode.DEMO,
        tables,
        tuple(TerminalId(f"seat {number}") for number in (1, 2, 3)),
        _settings(rng),
        rng.choice([None, 1]),
        bool(rng.randrange(2)),
    )


def _settings(rng: Random) -> TableSettings:
    bounded = LimitSettings(LimitBounds(Cents(100), Cents(5_000)), total=LimitBounds(None, Cents(20_000)))
    return TableSettings(
        wheel=rng.choice(list(WheelKind)),
        confirms=bool(rng.randrange(2)),
        betting_s=rng.choice([None, 10, 20]),
        limits=rng.choice([LimitSettings(), bounded]),
        pause_s=rng.choice([None, 2]),
        warning_s=rng.choice([0, 3]),
        attest_s=rng.choice([0, 20]),
        offline_grace_s=3,
        session_idle_s=20,
        decision_s=10,
        rest_s=30,
    )


Value = TypeVar("Value")
#: Something that may be done, and how often it is.
Menu = Mapping[Callable[["Harness"], None], int]

#: What is said where words are asked for.
WORDS: Final = "as rehearsed"


@dataclass(slots=True)
class Harness:
    """One evening's house with its network and everybody's device, as seen by whoever acts next."""

    rng: Random
    bill: Scenario
    machine: SimulatedHost
    network: Network
    time: SimulatedTime
    clients: dict[DeviceId, Client]
    #: What random wheels have drawn: once for a round.
    drawn: dict[tuple[TableId, RoundNumber], Pocket] = field(default_factory=dict)
    #: What was overheard on the network, for whoever plays it back.
    overheard: list[Request] = field(default_factory=list)

    @property
    def house(self) -> House:
        return self.machine.house

    def any(self, values: Sequence[Value]) -> Value:
        return self.rng.choice(values)

    def one_of(self, *commands: AnyCommand) -> AnyCommand:
        return self.any(commands)

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def do_one_of(self, menu: Menu) -> None:
        """Do something from a menu."""
        (action,) = self.rng.choices(list(menu), list(menu.values()))
        action(self)

    def table(self) -> Table:
        return self.house.tables[self.any(self.bill.tables)]

    def seat(self) -> TerminalId:
        return self.any(self.bill.seats)

    def pocket(self) -> Pocket:
        """Where the ball comes to rest: often where players like to bet."""
        return Pocket("17") if self.chance(25) else self.any(self.bill.rulebook.pockets)

    def past_round(self, table: Table) -> Round | None:
        """Pick the round that runs, or one of the last."""
        rounds = [*table.past, table.round][-3:]
        return self.any(rounds) if rounds else None

    def ask(self, device: str, command: AnyCommand, person: PersonId = PersonId("")) -> None:
        """Ask over the network, from a device that is on it."""
        asked = self.clients[DeviceId(device)].ask(command, person)
        if asked is not None:
            self.overheard.append(asked)

    def by(self, duty: Duty, command: AnyCommand) -> None:
        """Ask as one of those who may, mostly of the lowest title, at their own console."""
        staff = self.bill.staff(duty)
        if staff:
            person = self.any(staff[:2] if self.chance(80) else staff)
            self.ask(console_of(person), command, person)

    def system(self, command: AnyCommand) -> None:
        """Have the house ask itself: no network lies between, and no key is needed."""
        self.machine.submit(Request(command))
