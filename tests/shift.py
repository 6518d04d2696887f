"""A shift: a run of the engine in memory, with a clock moved by hand, that can be cut short and started again."""

from collections.abc import Callable
from dataclasses import dataclass, field

from croupier.engine.archive import Archive
from croupier.engine.asked import Accepted, Asked, Batch, Outcome
from croupier.engine.handover import read_back
from croupier.engine.port import Calendar, Ports
from croupier.engine.run import Run
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Collect, InsertNote, OpenDrawer, RedeemTicket, Validation
from croupier.house.command.play import PlaceBets
from croupier.house.command.round import Tick
from croupier.house.command.venue import (
    AddTable,
    AddTerminal,
    AdoptRulebook,
    ApproveSoftware,
    EnrolDevice,
    EnrolPerson,
    FoundHouse,
    ReportSoftware,
)
from croupier.house.name import SECOND, Day, DeviceId, DrawerId, Instant, Number, PersonId, RoundNumber, TableId
from croupier.house.name import TerminalId as Seat
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.state import House
from croupier.journal.anchor import MemoryAnchor
from croupier.journal.entry import Entry, Key
from croupier.journal.memory import MemoryStore
from croupier.journal.signature import Signer
from croupier.journal.snapshot import MemorySnapshots
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from tests.conftest import venue

SOFTWARE = "0.1"
ADELAIDE = "skycity-adelaide-2003"
TABLE, T1, T2 = TableId("table 1"), Seat("T1"), Seat("T2")
DESK, CASHIER, DRAWER = DeviceId("desk"), PersonId("cashier"), DrawerId("D1")
TODAY = Day(20261115)
HUNDRED = Cents(10_000)


@dataclass(slots=True)
class HandClock:
    """A clock that is moved by hand, and a clock on the wall that somebody may set."""

    at: int = 1_000 * SECOND
    off: int = 0

    def now(self) -> Instant:
        return Instant(self.at)

    def wall(self) -> Instant:
        return Instant(self.at + self.off)

    def pass_s(self, seconds: int) -> None:
        self.at += seconds * SECOND


@dataclass
class Letterbox:
    """Takes what is released."""

    batches: list[Batch] = field(default_factory=list)

    def release(self, batch: Batch) -> None:
        self.batches.append(batch)


def memory_archive() -> Archive:
    """An archive that holds nothing yet."""
    return Archive(MemoryStore(), MemoryAnchor(), MemorySnapshots(), Signer.new())


def plenty() -> bool:
    return True


def opening(
    settings: TableSettings | None = None, mode: Mode = Mode.REAL, ticket_days: int | None = None
) -> tuple[AnyCommand, ...]:
    """What sets up a venue: a table, two terminals, a desk and its cashier."""
    book = venue(ADELAIDE)
    return (
        FoundHouse(mode, book.venue, "UTC", ticket_days),
        Tick(TODAY),
        ApproveSoftware(SOFTWARE, "LGC-2003-1"),
        ReportSoftware(SOFTWARE),
        AdoptRulebook(canonical(book)),
        AddTable(TABLE, book.digest, settings or TableSettings(warning_s=0)),
        *(AddTerminal(seat, (TABLE,), TerminalSettings()) for seat in (T1, T2)),
        EnrolDevice(DESK),
        EnrolPerson(CASHIER, ("Cashier",)),
    )


class Shift:
    """One run on an archive, from its start to its end."""

    def __init__(
        self,
        archive: Archive | None = None,
        clock: HandClock | None = None,
        software: str = SOFTWARE,
        calendar: Calendar | None = None,
        has_room: Callable[[], bool] = plenty,
    ) -> None:
        self.archive, self.clock, self.outbox = archive or memory_archive(), clock or HandClock(), Letterbox()
        self.handover = read_back(self.archive, read_canonical, software)
        self.run = Run(self.archive, self.handover, Ports(self.clock, self.outbox, calendar, has_room), software)
        self.numbers: dict[DeviceId, int] = {}

    @classmethod
    def founded(
        cls, settings: TableSettings | None = None, ticket_days: int | None = None, archive: Archive | None = None
    ) -> "Shift":
        """A shift in a venue that was set up."""
        shift = cls(archive)
        outcomes = shift.ask(*opening(settings, ticket_days=ticket_days))
        assert all(isinstance(each, Accepted) for each in outcomes), outcomes
        return shift

    def again(self, software: str = SOFTWARE) -> "Shift":
        """Start again on what was kept, as after a power cut."""
        return Shift(self.archive, self.clock, software)

    @property
    def house(self) -> House:
        return self.run.house

    @property
    def store(self) -> MemoryStore:
        assert isinstance(self.archive.store, MemoryStore)
        return self.archive.store

    @property
    def entries(self) -> list[Entry]:
        """Everything that was released in this run."""
        return [entry for batch in self.outbox.batches for entry in batch.entries]

    def ask(self, *wanted: Asked | AnyCommand) -> list[Outcome]:
        """Have commands taken in one batch: the house's own, or as they came in."""
        for each in wanted:
            assert self.run.submit(each if isinstance(each, Asked) else Asked(each)) is None
        return [answer.outcome for answer in self.run.step().answers]

    def keyed(
        self, command: AnyCommand, device: str, person: str = "", number: int | None = None, epoch: int | None = None
    ) -> Asked:
        """Put a device's next key on a command, or one that is given."""
        name = DeviceId(device)
        if number is None:
            number = self.numbers[name] = self.numbers.get(name, 0) + 1
        return Asked(command, name, PersonId(person), Key(self.run.epoch if epoch is None else epoch, number))

    def note(self, seat: Seat = T1, value: int = HUNDRED) -> Asked:
        """A note at a terminal."""
        return self.keyed(InsertNote(seat, "AUD", Cents(value)), seat)

    def bet(self, spot: str = "17", stake: int = 500, seat: Seat = T1) -> Asked:
        return self.keyed(placing(spot, stake, seat, self.house.tables[TABLE].rounds), seat)

    def ticket(self) -> None:
        """Put a note into the first terminal and collect it."""
        outcomes = self.ask(self.note(), self.keyed(collecting(len(self.house.tickets) + 1), T1))
        assert all(isinstance(each, Accepted) for each in outcomes), outcomes

    def drawer(self) -> None:
        """Hand the cashier a drawer."""
        (outcome,) = self.ask(self.keyed(OpenDrawer(DRAWER, Cents(1_000_000)), DESK, CASHIER))
        assert isinstance(outcome, Accepted), outcome


def placing(spot: str, stake: int, seat: Seat = T1, number: int = 1) -> PlaceBets:
    return PlaceBets(seat, TABLE, RoundNumber(number), 1, ((spot, stake),))


def collecting(sequence: int, seat: Seat = T1) -> Collect:
    return Collect(seat, Validation(Number(sequence), f"digest {sequence}", f"{sequence % 10_000:04d}"))


def redeeming(sequence: int, drawer: DrawerId = DRAWER) -> RedeemTicket:
    return RedeemTicket(drawer, f"digest {sequence}")


def code_of(outcome: Outcome) -> Code:
    """The code of an answer that must be a refusal."""
    assert isinstance(outcome, Refusal), outcome
    return outcome.code
