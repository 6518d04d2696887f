"""The playbill: which venue plays tonight, with which tables, terminals, people and settings."""

from dataclasses import dataclass
from random import Random
from typing import Final

from croupier.engine.asked import Asked
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import GrantPlayMoney, InsertNote
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
from croupier.house.name import Day, DeviceId, PersonId, TableId, TerminalId
from croupier.house.settings import Bounds, LimitSettings, Mode, TableSettings, TerminalSettings, WheelKind
from croupier.rulebooks.canonical import canonical
from croupier.rulebooks.loader import load_rulebook, rulebook_ids
from croupier.rules.money import Cents
from croupier.rules.procedure import ChannelName
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import SpotKey
from croupier.rules.staff import Duty

TODAY: Final = Day(20261115)
VERSION: Final = "rehearsed"
#: All of an evening: the invariant checker holds every record against its own.
RECORDS_KEPT: Final = 1_000_000
#: One credit, the least chip and notes at every terminal.
OFFERS: Final = TerminalSettings(denominations=(Cents(1), Cents(50)))


@dataclass(frozen=True, slots=True)
class Playbill:
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

    def founding(self) -> list[AnyCommand]:
        """List what sets the house up, in its order."""
        book = self.rulebook
        return [
            FoundHouse(self.mode, book.venue, "UTC", self.ticket_days, RECORDS_KEPT),
            *([] if self.by_calendar else [Tick(TODAY)]),
            AdoptRulebook(canonical(book)),
            *(AddTable(table, book.digest, self.settings) for table in self.tables),
            *(AddTerminal(seat, self._tables_of(seat), OFFERS) for seat in self.seats),
            *(EnrolPerson(person, (title,)) for person, title in self.people),
            *(EnrolDevice(console_of(person)) for person, _ in self.people),
            ApproveSoftware(VERSION, "letter"),
            ReportSoftware(VERSION),
        ]

    def buying_in(self) -> list[Asked]:
        """List what puts some money on every meter: notes, or what the house hands out."""
        note = OFFERS.notes[-1]
        if self.mode is Mode.DEMO:
            return [Asked(GrantPlayMoney(seat, Cents(5 * note))) for seat in self.seats]
        return [Asked(InsertNote(seat, self.rulebook.currency, note), DeviceId(seat)) for seat in self.seats * 5]

    def _tables_of(self, seat: TerminalId) -> tuple[TableId, ...]:
        """The last seat plays at one table, and the others at as many as there are."""
        return self.tables[:1] if seat == self.seats[-1] else self.tables


def console_of(person: PersonId) -> DeviceId:
    """Name the console at which somebody stands."""
    return DeviceId(f"{person}'s console")


def draw_up(rng: Random) -> Playbill:
    """Choose a venue and its settings."""
    rulebook = load_rulebook(rng.choice(rulebook_ids()))
    assert isinstance(rulebook, Rulebook)
    games = rulebook.terminal.games
    tables = tuple(TableId(f"table {number}") for number in range(1, 1 + (games.figure if games else 1)))
    # A venue without terminals of its own can only be shown.
    real = ChannelName.TERMINAL in rulebook.channels and rng.randrange(2)
    return Playbill(
        rulebook,
        Mode.REAL if real else Mode.DEMO,
        tables,
        tuple(TerminalId(f"seat {number}") for number in (1, 2, 3)),
        _settings(rng),
        rng.choice([None, 1]),
        bool(rng.randrange(2)),
    )


def _settings(rng: Random) -> TableSettings:
    bounded = LimitSettings(Bounds(Cents(100), Cents(5_000)), total=Bounds(None, Cents(20_000)))
    return TableSettings(
        wheel=rng.choice(list(WheelKind)),
        confirms=bool(rng.randrange(2)),
        betting_s=rng.choice([None, 10, 20]),
        limits=rng.choice([LimitSettings(), bounded]),
        pause_s=rng.choice([None, 2]),
        warning_s=rng.choice([0, 3]),
        attest_s=rng.choice([0, 20]),
        patience_s=3,
        session_idle_s=20,
        decision_s=10,
        rest_s=30,
    )
