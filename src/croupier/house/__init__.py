"""The house: one venue's state, and the functions that decide commands and apply events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from croupier.house.credit import drawers, held_wins, notes, player_limits, sessions, tickets, transfers
from croupier.house.credit.drawers import Drawer
from croupier.house.credit.tickets import Ticket
from croupier.house.credit.transfers import VenueAccount
from croupier.house.declare import (
    COMMANDS,
    DECIDERS,
    EVENTS,
    EVOLVERS,
    Command,
    Decision,
    Event,
    union,
)
from croupier.house.floor import (
    disputes,
    equipment,
    incidents,
    malfunctions,
    permissions,
    service,
    settings,
    setup,
    staff,
)
from croupier.house.floor.disputes import Dispute
from croupier.house.floor.incidents import Incident
from croupier.house.floor.staff import Person
from croupier.house.floor.texts import text_objection
from croupier.house.ids import (
    Context,
    Day,
    Derived,
    DeviceId,
    DrawerId,
    Instant,
    Number,
    PersonId,
    PositionId,
    TableId,
    TerminalId,
)
from croupier.house.live import (
    arrangements,
    chip_settlement,
    floats,
    partners,
    payment_walk,
    seats_and_colours,
    supervised,
)
from croupier.house.play import betting, chip_bets, copying, patterns
from croupier.house.rounds import (
    clock,
    closing,
    corrections,
    draws,
    irregularities,
    opening,
    recovery,
    results,
    settlement,
    spinning,
)
from croupier.house.rounds.clock import reschedule
from croupier.house.settings import RECORDS_KEPT, Mode
from croupier.house.state.ledger import Ledger
from croupier.house.state.records import MalfunctionCase
from croupier.house.state.tables import Position, Table, Terminal
from croupier.house.state.timers import Timers
from croupier.rules.refusal import Refused, raise_if
from croupier.rules.rulebook import PayoutTable, Rulebook

# isort: split
# The last subject: it joins the commands of all others that take two signatures.
from croupier.house.floor import signatures
from croupier.house.floor.signatures import Proposal

#: Every subject. Importing it declares its commands and events.
SUBJECTS: Final = (
    *(betting, chip_bets, copying, patterns),
    *(clock, closing, corrections, draws, irregularities, opening, recovery, results, settlement, spinning),
    *(drawers, held_wins, notes, player_limits, sessions, tickets, transfers),
    *(arrangements, chip_settlement, floats, partners, payment_walk, seats_and_colours, supervised),
    *(disputes, equipment, incidents, malfunctions, permissions, service, settings, setup, staff, signatures),
)

if TYPE_CHECKING:
    AnyCommand = Command
    AnyEvent = Event
else:
    AnyCommand = union(COMMANDS)
    AnyEvent = union(EVENTS)

#: Parses a rulebook's canonical text; the code that creates a house supplies it.
RulebookReader = Callable[[str], Rulebook]


@dataclass(slots=True)
class House:
    """One venue. Only `evolve` changes it."""

    read_rulebook: Derived[RulebookReader]
    mode: Mode | None = None
    venue: str = ""
    timezone: str = ""
    ticket_days: int | None = None
    #: The number of closed tickets, cases and incidents in the state: older ones are found through the journal.
    records_kept: int = RECORDS_KEPT
    now: Instant = Instant(0)
    day: Day = Day(0)
    day_ends_at: Instant | None = None
    #: By digest; a table refers to its own. A snapshot stores their texts.
    rulebooks: Derived[dict[str, Rulebook]] = field(default_factory=dict)
    payout_tables: Derived[dict[str, PayoutTable]] = field(default_factory=dict)
    tables: dict[TableId, Table] = field(default_factory=dict)
    terminals: dict[TerminalId, Terminal] = field(default_factory=dict)
    #: Every betting position, and the number of those that were added.
    positions: dict[PositionId, Position] = field(default_factory=dict)
    positions_added: int = 0
    devices: set[DeviceId] = field(default_factory=set)
    #: Devices that were released and not enrolled since: as with people, no configuration restores them.
    released_devices: set[DeviceId] = field(default_factory=set)
    people: dict[PersonId, Person] = field(default_factory=dict)
    #: People who were released and not enrolled since: a configuration that still names them does not restore them.
    released: set[PersonId] = field(default_factory=set)
    #: Approved versions of the game system, and the running version.
    approved_builds: dict[str, str] = field(default_factory=dict)
    build: str = ""
    #: The number of copies of the rules that were handed out.
    copies: int = 0
    notified: dict[str, Instant] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    tickets: dict[Number, Ticket] = field(default_factory=dict)
    ticket_digests: Derived[dict[str, Number]] = field(default_factory=dict)
    tickets_issued: int = 0
    #: Paid, void or expired tickets, the oldest first; the number dropped from the state, and their expired amount.
    closed_tickets: deque[Number] = field(default_factory=deque)
    tickets_retired: int = 0
    unclaimed_retired: int = 0
    #: Tickets dropped from the state since they were last stored elsewhere.
    retired: Derived[dict[Number, Ticket]] = field(default_factory=dict, compare=False, repr=False)
    #: The number of skipped sequence numbers: a lost part of the journal may have issued them.
    tickets_skipped: int = 0
    #: Tickets that other venues issued and transferred to this one.
    tickets_received: int = 0
    #: The transfers to and from each other venue, by its name.
    venue_accounts: dict[str, VenueAccount] = field(default_factory=dict)
    #: When an older copy of the journal was accepted last.
    history_accepted_at: Instant | None = None
    drawers: dict[DrawerId, Drawer] = field(default_factory=dict)
    #: The value chips outside the chip bank, and the value of colour chips that were not brought back.
    value_chips: int = 0
    chips_unclaimed: int = 0
    #: Terminals without a link.
    offline: set[TerminalId] = field(default_factory=set)
    #: Terminals with a session and no money left, by their first table and in the order in which the money ran out.
    spent: dict[TableId, dict[TerminalId, Instant]] = field(default_factory=dict)
    cases: dict[Number, MalfunctionCase] = field(default_factory=dict)
    cases_raised: int = 0
    closed_cases: deque[Number] = field(default_factory=deque)
    #: The cases that are not cleared: a settlement reads only these.
    open_cases: Derived[dict[Number, MalfunctionCase]] = field(default_factory=dict, compare=False, repr=False)
    incidents: dict[Number, Incident] = field(default_factory=dict)
    incidents_raised: int = 0
    closed_incidents: deque[Number] = field(default_factory=deque)
    proposals: dict[Number, Proposal] = field(default_factory=dict)
    #: The number of proposals so far: completed proposals are dropped.
    proposed: int = 0
    held_wins: int = 0
    #: The number of slips for payables that the cashier has paid.
    payables_paid: int = 0
    disputes: dict[Number, Dispute] = field(default_factory=dict)
    #: Derived from the fields above: `timers.rebuild` recomputes it.
    timers: Derived[Timers] = field(default_factory=Timers, compare=False, repr=False)

    def rulebook_at(self, terminal: Terminal) -> Rulebook:
        """Find a terminal's rulebook: that of its first table, which all its games share."""
        return self.tables[next(iter(terminal.games))].rulebook

    @property
    def next_ticket(self) -> Number:
        return Number(self.tickets_issued + self.tickets_received + self.tickets_skipped + 1)

    def rulebook_of(self, ticket: Ticket) -> Rulebook:
        """Find a ticket's rulebook: its terminal's, or the first in its currency when another venue issued it."""
        if ticket.venue:
            return next(each for each in self.rulebooks.values() if each.currency == ticket.currency)
        return self.rulebook_at(self.terminals[ticket.terminal])

    def ticket(self, sequence: Number) -> Ticket:
        """Find a ticket that was in the state when this batch began."""
        return self.tickets.get(sequence) or self.retired[sequence]


def decide(house: House, command: AnyCommand, context: Context) -> Decision:
    """Decide a command: check the permission, its texts, the need for a second signature, then the command itself."""
    try:
        permissions.require_permitted(house, command, context)
        if context.person:
            raise_if(text_objection(command))
            if signatures.needs_second_signature(house, command):
                return signatures.propose(house, command, context)
        return DECIDERS[type(command)](house, command, context)
    except Refused as refused:
        return refused.refusal


def evolve(house: House, event: Event, context: Context) -> None:
    """Apply an event to the state."""
    EVOLVERS[type(event)](house, event, context)
    _evolved(house, event, context.now)


def _evolved(house: House, event: Event, now: Instant) -> None:
    reschedule(house, event)
    if house.now < now:  # noqa: PLR1730 - max takes three times as long
        house.now = now


def evolving(house: House, event: Event, context: Context) -> Iterator[None]:
    """Apply an event to the state, in bounded steps if it changes many positions. Nothing is decided between them."""
    if type(event) in settlement.STEPS:
        yield from settlement.STEPS[type(event)](house, event, context)
        _evolved(house, event, context.now)
    else:
        evolve(house, event, context)


#: Applies a change of bets as `evolve` does: an event, or the row of a page that stands for it.
evolve_bets: Final = betting.apply_change


def apply(house: House, command: AnyCommand, context: Context) -> Decision:
    """Decide a command and apply its events; a refusal changes nothing."""
    answer = decide(house, command, context)
    if isinstance(answer, tuple):
        for event in answer:
            evolve(house, event, context)
    return answer
