"""The auditor's own picture of a house, in plain dicts and whole cents."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from croupier.house.event.play import Return
from croupier.house.name import Day, Number, RoundNumber, TableId, TerminalId
from croupier.house.settings import Mode
from croupier.rehearsal.auditor.desk import Desk
from croupier.rehearsal.auditor.felt import Felt
from croupier.rehearsal.auditor.game import Round, Table
from croupier.rehearsal.auditor.seat import Game, Seat
from croupier.rehearsal.auditor.staff import Staff
from croupier.rules.spot import SpotKey


@dataclass(slots=True)
class Case:
    """A malfunction: the seat, the sealed bets in question, and stakes set aside for them by table."""

    seat: TerminalId
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    state: str = "open"
    cleared: bool = False
    suspense: Counter[TableId] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class GoesBack:
    """Chips that must go back to a seat unplayed, and why."""

    seat: TerminalId
    table: TableId
    why: Return
    spots: frozenset[SpotKey]


@dataclass(slots=True)
class Model:
    """What the house should be, by what it was asked."""

    mode: Mode | None = None
    ticket_days: int | None = None
    day: Day = Day(0)
    felts: dict[str, Felt] = field(default_factory=dict)
    tables: dict[TableId, Table] = field(default_factory=dict)
    seats: dict[TerminalId, Seat] = field(default_factory=dict)
    desk: Desk = field(default_factory=Desk)
    staff: Staff = field(default_factory=Staff)
    cases: dict[Number, Case] = field(default_factory=dict)
    #: How many wins were ever held.
    held: int = 0
    #: What the games have won.
    won: int = 0
    #: What the rest of an answer must still tell: chips that go back, tickets that lapse.
    returns: set[GoesBack] = field(default_factory=set)
    lapsing: set[Number] = field(default_factory=set)

    def games(self, table: Table) -> Iterator[tuple[Seat, Game]]:
        """Go through the seats at a table."""
        for name in table.seats:
            seat = self.seats[name]
            yield seat, seat.games[table.name]

    def first_table(self, seat: Seat) -> Table:
        """Find the table whose rules a seat falls under."""
        return self.tables[next(iter(seat.games))]

    def in_question(self, table: Table, round_: Round, seat: TerminalId) -> Case | None:
        """Find the open case about bets that a seat has sealed in a round."""
        for case in self.cases.values():
            if case.state == "open" and case.seat == seat and (table.name, round_.number) in case.questioned:
                return case
        return None
