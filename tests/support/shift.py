"""A shift: a run of the engine in memory, with a clock moved by hand, that can be cut short and started again."""

from collections.abc import Callable

from croupier.engine.ports import Calendar, Outcome, Ports, Request
from croupier.engine.storage import Storage
from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import OpenDrawer, RedeemTicket
from croupier.house.credit.notes import InsertNote
from croupier.house.credit.tickets import Collect, ConfirmPrint, Validation
from croupier.house.floor.setup import ApproveBuild, CreateHouse, ReportBuild
from croupier.house.ids import DeviceId, DrawerId, Number, PersonId, RoundNumber, TableId
from croupier.house.ids import TerminalId as Seat
from croupier.house.play.betting import PlaceBets
from croupier.house.settings import Mode, TableSettings
from croupier.journal.entry import Entry, IdempotencyKey
from croupier.journal.stores.memory import MemoryStore
from croupier.rules.money import Cents
from tests.conftest import venue
from tests.support.engine_driver import (
    SOFTWARE,
    HandClock,
    RecordingOutbox,
    ask,
    done,
    enrolling,
    memory_storage,
    provisioning,
    stand,
    start,
)

ADELAIDE = "skycity-adelaide-2003"
TABLE, T1, T2 = TableId("table 1"), Seat("T1"), Seat("T2")
DESK, CASHIER, DRAWER = DeviceId("desk"), PersonId("cashier"), DrawerId("D1")
HUNDRED = Cents(10_000)


def plenty() -> bool:
    return True


def opening(
    settings: TableSettings | None = None, mode: Mode = Mode.REAL, ticket_days: int | None = None
) -> tuple[AnyCommand, ...]:
    """What sets up a venue: a table, two terminals, a desk and its cashier."""
    book = venue(ADELAIDE)
    found = CreateHouse(mode, book.venue, "UTC", ticket_days)
    return (
        *provisioning(book, TABLE, (T1, T2), settings or TableSettings(warning_s=0), found),
        ApproveBuild(SOFTWARE, "LGC-2003-1"),
        ReportBuild(SOFTWARE),
        *enrolling((DESK,), {CASHIER: "Cashier"}),
    )


class Shift:
    """One run on an archive, from its start to its end."""

    def __init__(
        self,
        storage: Storage | None = None,
        clock: HandClock | None = None,
        calendar: Calendar | None = None,
        has_room: Callable[[], bool] = plenty,
    ) -> None:
        self.storage, self.clock, self.outbox = storage or memory_storage(), clock or HandClock(), RecordingOutbox()
        self.recovered = stand(self.storage)
        ports = Ports(self.clock, self.outbox, calendar, has_room)
        self.run = start(self.storage, ports, standing=self.recovered)
        self.numbers: dict[DeviceId, int] = {}

    @classmethod
    def founded(
        cls, settings: TableSettings | None = None, ticket_days: int | None = None, storage: Storage | None = None
    ) -> "Shift":
        """A shift in a venue that was set up."""
        shift = cls(storage)
        done(shift.run, *opening(settings, ticket_days=ticket_days))
        return shift

    def again(self) -> "Shift":
        """Start again on what was kept, as after a power cut."""
        return Shift(self.storage, self.clock)

    @property
    def house(self) -> House:
        return self.run.house

    @property
    def store(self) -> MemoryStore:
        assert isinstance(self.storage.store, MemoryStore)
        return self.storage.store

    @property
    def entries(self) -> list[Entry]:
        """Everything that was released in this run."""
        return self.outbox.entries

    def ask(self, *wanted: Request | AnyCommand) -> list[Outcome]:
        """Have commands taken in one batch: the house's own, or as they came in."""
        return ask(self.run, *wanted)

    def keyed(
        self, command: AnyCommand, device: str, person: str = "", number: int | None = None, epoch: int | None = None
    ) -> Request:
        """Put a device's next key on a command, or one that is given."""
        name = DeviceId(device)
        if number is None:
            number = self.numbers[name] = self.numbers.get(name, 0) + 1
        return Request(
            command, name, PersonId(person), IdempotencyKey(self.run.epoch if epoch is None else epoch, number)
        )

    def note(self, seat: Seat = T1, value: int = HUNDRED) -> Request:
        """A note at a terminal."""
        return self.keyed(InsertNote(seat, "AUD", Cents(value)), seat)

    def bet(self, spot: str = "17", stake: int = 500, seat: Seat = T1) -> Request:
        return self.keyed(placing(spot, stake, seat, self.house.tables[TABLE].rounds), seat)

    def ticket(self) -> None:
        """Put a note into the first terminal, collect it, and have the slip printed."""
        number = self.house.tickets.next_number
        done(self.run, self.note(), self.keyed(collecting(number), T1))
        done(self.run, self.keyed(ConfirmPrint(T1, number), T1))

    def drawer(self) -> None:
        """Hand the cashier a drawer."""
        done(self.run, self.keyed(OpenDrawer(DRAWER, Cents(1_000_000)), DESK, CASHIER))


def placing(spot: str, stake: int, seat: Seat = T1, number: int = 1) -> PlaceBets:
    return PlaceBets(seat, TABLE, RoundNumber(number), 1, ((spot, stake),))


def collecting(sequence: int, seat: Seat = T1) -> Collect:
    return Collect(seat, Validation(Number(sequence), f"digest {sequence}", f"{sequence % 10_000:04d}"))


def redeeming(sequence: int, drawer: DrawerId = DRAWER) -> RedeemTicket:
    return RedeemTicket(drawer, f"digest {sequence}")
