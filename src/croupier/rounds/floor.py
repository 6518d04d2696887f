"""A floor: one house with a table, its terminals and its people, a clock moved by hand, and a journal in memory."""

from collections.abc import Iterable

from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import GrantPlayMoney
from croupier.house.command.round import Tick
from croupier.house.command.venue import AddTable, AddTerminal, AdoptRulebook, EnrolDevice, EnrolPerson, FoundHouse
from croupier.house.event.base import Event
from croupier.house.name import Day, DeviceId, Instant, PersonId, TableId, TerminalId
from croupier.house.perform import perform
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.stamp import SYSTEM, Stamp
from croupier.house.state import House
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.house.timer import due
from croupier.journal.memory import MemoryJournal
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.money import Cents
from croupier.rules.refusal import Refusal
from croupier.rules.rulebook import Rulebook

TABLE = TableId("table 1")


def device_of(person: str) -> DeviceId:
    """Name the console at which somebody stands."""
    return DeviceId(f"{person}'s console")


class Floor:
    """A venue of one rulebook, played by hand."""

    def __init__(
        self,
        rulebook: Rulebook,
        *settings: TableSettings,
        mode: Mode = Mode.DEMO,
        timezone: str = "UTC",
        ticket_days: int | None = None,
        day: int = 20261115,
    ) -> None:
        self.rulebook = rulebook
        self.house = House(read_canonical)
        self.journal = MemoryJournal()
        self.now = Instant(0)
        self.events: list[Event] = []
        self.must(FoundHouse(mode, rulebook.venue, timezone, ticket_days))
        self.must(Tick(Day(day)))
        self.must(AdoptRulebook(canonical(rulebook)))
        for number, each in enumerate(settings or (TableSettings(),), start=1):
            self.must(AddTable(TableId(f"table {number}"), rulebook.digest, each))
        for title in (*rulebook.staff.order, *rulebook.staff.others):
            self.enrol(title)

    @property
    def table(self) -> Table:
        return self.house.tables[TABLE]

    def enrol(self, title: str, person: str | None = None) -> PersonId:
        """Enrol a person with a title, at a console of their own; without a name they go by the title."""
        name = PersonId(person or title.lower())
        self.must(EnrolPerson(name, (title,)))
        self.must(EnrolDevice(device_of(name)))
        return name

    def seat(
        self, name: str, credit: int = 0, settings: TerminalSettings | None = None, tables: Iterable[TableId] = (TABLE,)
    ) -> Terminal:
        """Add a terminal, with play money where credit is given."""
        terminal = TerminalId(name)
        self.must(AddTerminal(terminal, tuple(tables), settings or TerminalSettings()))
        if credit:
            self.must(GrantPlayMoney(terminal, Cents(credit)))
        return self.house.terminals[terminal]

    def ask(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> Decision:
        """Put a command to the house, and write what follows into the journal."""
        stamp = Stamp(self.now, device, PersonId(person))
        day = self.house.day
        answer = perform(self.house, command, stamp)
        if isinstance(answer, tuple):
            self.journal.append(answer, day, stamp)
            self.events.extend(answer)
        return answer

    def must(self, command: AnyCommand, device: DeviceId = SYSTEM, person: PersonId | str = "") -> tuple[Event, ...]:
        """Ask for what cannot be refused here."""
        answer = self.ask(command, device, person)
        assert not isinstance(answer, Refusal), answer.says
        return answer

    def by(self, person: str, command: AnyCommand) -> Decision:
        """Ask as a member of staff, at their console."""
        return self.ask(command, device_of(person), person)

    def advance(self, now: int) -> None:
        """Move the clock on, with a tick at every instant before that matters."""
        while (at := due(self.house)) is not None and at < now:
            self.now = max(self.now, at)
            done = self.must(Tick())
            assert done
        assert now >= self.now
        self.now = Instant(now)
