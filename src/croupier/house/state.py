"""The house's state: everything that reading the journal gives."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from croupier.house.books import Books
from croupier.house.desk import Drawer, Ticket
from croupier.house.docket import Case, Dispute, Incident, Person, Proposal
from croupier.house.felt import Felt
from croupier.house.name import Day, Derived, DeviceId, DrawerId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.settings import RECORDS_KEPT, Mode
from croupier.house.table import Table
from croupier.house.terminal import Terminal
from croupier.house.timerheap import Timers
from croupier.rules.rulebook import Rulebook

#: Turns a rulebook's canonical text into the rulebook; whoever founds a house hands it one.
Reader = Callable[[str], Rulebook]


@dataclass(slots=True)
class House:
    """One venue. Changed by `evolve` alone."""

    read_rulebook: Derived[Reader]
    mode: Mode | None = None
    venue: str = ""
    timezone: str = ""
    ticket_days: int | None = None
    #: How many closed tickets, cases and incidents stay in the state: older ones are found through the journal.
    records_kept: int = RECORDS_KEPT
    now: Instant = Instant(0)
    day: Day = Day(0)
    day_ends_at: Instant | None = None
    #: By digest; a table keeps its own. A snapshot has their texts.
    rulebooks: Derived[dict[str, Rulebook]] = field(default_factory=dict)
    felts: Derived[dict[str, Felt]] = field(default_factory=dict)
    tables: dict[TableId, Table] = field(default_factory=dict)
    terminals: dict[TerminalId, Terminal] = field(default_factory=dict)
    devices: set[DeviceId] = field(default_factory=set)
    #: Which were released and have not been enrolled since: like people, no configuration brings them back.
    released_devices: set[DeviceId] = field(default_factory=set)
    people: dict[PersonId, Person] = field(default_factory=dict)
    #: Who was released and has not been enrolled since: a configuration that still names them does not bring them back.
    released: set[PersonId] = field(default_factory=set)
    #: Approved versions of the game system, and the one that is running.
    approved: dict[str, str] = field(default_factory=dict)
    running: str = ""
    #: How many copies of the rules were handed out.
    copies: int = 0
    notified: dict[str, Instant] = field(default_factory=dict)
    books: Books = field(default_factory=Books)
    tickets: dict[Number, Ticket] = field(default_factory=dict)
    ticket_digests: Derived[dict[str, Number]] = field(default_factory=dict)
    tickets_issued: int = 0
    #: Those that are paid, void or expired, the oldest first; how many have left the state, and what expired of them.
    closed_tickets: deque[Number] = field(default_factory=deque)
    tickets_retired: int = 0
    unclaimed_retired: int = 0
    #: Those that have left the state since they were last stored elsewhere.
    retired: Derived[dict[Number, Ticket]] = field(default_factory=dict, compare=False, repr=False)
    #: How many sequence numbers were left out, as they may have been issued in a part of the journal that is lost.
    tickets_skipped: int = 0
    drawers: dict[DrawerId, Drawer] = field(default_factory=dict)
    #: Terminals whose link is gone.
    dark: set[TerminalId] = field(default_factory=set)
    #: Terminals with a session and nothing left on them, by their first table and in the order in which they lost it.
    spent: dict[TableId, dict[TerminalId, Instant]] = field(default_factory=dict)
    cases: dict[Number, Case] = field(default_factory=dict)
    cases_raised: int = 0
    closed_cases: deque[Number] = field(default_factory=deque)
    #: The cases that are not cleared: a settlement looks at these alone.
    open_cases: Derived[dict[Number, Case]] = field(default_factory=dict, compare=False, repr=False)
    incidents: dict[Number, Incident] = field(default_factory=dict)
    incidents_raised: int = 0
    closed_incidents: deque[Number] = field(default_factory=deque)
    proposals: dict[Number, Proposal] = field(default_factory=dict)
    #: How many proposals there have been: those done with are forgotten.
    proposed: int = 0
    held: int = 0
    #: How many slips for payables the cashier has paid.
    payables_paid: int = 0
    disputes: dict[Number, Dispute] = field(default_factory=dict)
    #: Derived from everything above: `timer.rebuild` makes it anew.
    timers: Derived[Timers] = field(default_factory=Timers, compare=False, repr=False)

    def rulebook_at(self, terminal: Terminal) -> Rulebook:
        """Find the rulebook that a terminal falls under: its first table's, and all its games play by the same."""
        return self.tables[next(iter(terminal.games))].rulebook

    @property
    def next_ticket(self) -> Number:
        return Number(self.tickets_issued + self.tickets_skipped + 1)

    def ticket(self, sequence: Number) -> Ticket:
        """Find a ticket that was in the state when this batch began."""
        return self.tickets.get(sequence) or self.retired[sequence]
