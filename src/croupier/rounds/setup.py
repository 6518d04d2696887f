"""The setup: what the headings of a round say, and the floor that is set up from it."""

from dataclasses import dataclass, field

from croupier.house.name import TableId, TerminalId
from croupier.house.settings import Mode, TableSettings
from croupier.rounds.place import FIRST, table_named
from croupier.rounds.setting import SeatSetting, VenueSetting, set_seat, set_table, set_venue
from croupier.rounds.wanted import WantedError
from croupier.rounds.watch import WatchedFloor
from croupier.rules.rulebook import Rulebook
from croupier.rules.transcript import Setting


@dataclass(slots=True)
class Setup:
    """Everything that stands before the play."""

    venue: VenueSetting = field(default_factory=VenueSetting)
    tables: dict[TableId, TableSettings] = field(default_factory=lambda: {FIRST: TableSettings()})
    seats: dict[TerminalId, SeatSetting] = field(default_factory=dict)

    def head(self, subject: str) -> None:
        """Begin with a subject, or raise WantedError where it cannot stand here."""
        if subject.startswith("seat "):
            self.seats[TerminalId(subject)] = SeatSetting()
        elif subject.startswith("table "):
            if subject != table_named(len(self.tables) + 1):
                raise WantedError(f"'{table_named(len(self.tables) + 1)}' next")
            self.tables[TableId(subject)] = TableSettings()

    def set(self, subject: str, setting: Setting) -> None:
        """Set something for a subject, or raise WantedError with what was wanted."""
        if subject == "venue":
            self.venue = set_venue(self.venue, setting)
        elif subject.startswith("seat "):
            seat = TerminalId(subject)
            self.seats[seat] = set_seat(self.seats[seat], setting)
            self._check(self.seats[seat])
        else:
            table = FIRST if subject == "table" else TableId(subject)
            self.tables[table] = set_table(self.tables[table], setting)

    def _check(self, seat: SeatSetting) -> None:
        if not 1 <= seat.tables <= len(self.tables):
            raise WantedError(f"no more tables than stand above, {len(self.tables)}")
        if seat.credit and self.venue.mode is Mode.REAL:
            raise WantedError("no play money where the money is real: let the seat insert notes")

    def floor(self, rulebook: Rulebook) -> WatchedFloor:
        """Set up a floor of this kind."""
        venue = self.venue
        floor = WatchedFloor(
            rulebook, *self.tables.values(), mode=venue.mode, ticket_days=venue.ticket_days, day=venue.day
        )
        for name, seat in self.seats.items():
            floor.seat(name, seat.credit, seat.terminal, list(self.tables)[: seat.tables])
        return floor
