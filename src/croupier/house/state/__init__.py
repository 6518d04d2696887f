"""The state of the house and its records, and how the oldest closed records leave it.

The journal still has them. A slip or ticket that has left the state cannot be paid: payment looks only in the state.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from croupier.house.base import Command, Decision, Event
from croupier.house.commands import DualControlCommand
from croupier.house.commands.record import IncidentFacts, IncidentKind, MalfunctionKind
from croupier.house.events.record import DisputeOpened, MalfunctionEvidence
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
    RoundNumber,
    TableId,
    TerminalId,
)
from croupier.house.settings import RECORDS_KEPT, Mode
from croupier.house.state.money import Drawer, Ledger, Ticket, TicketState, VenueAccount
from croupier.house.state.tables import Position, Round, Table, Terminal
from croupier.house.timer_heap import Timers
from croupier.rules.refusal import ClauseId
from croupier.rules.rulebook import PayoutTable, Rulebook


@dataclass(frozen=True, slots=True)
class ActingAppointment:
    """A position held for a limited time."""

    title: str
    begins_at: Instant
    ends_at: Instant


@dataclass(slots=True)
class Person:
    """A member of staff."""

    id: PersonId
    titles: tuple[str, ...]
    acting: list[ActingAppointment] = field(default_factory=list)

    def titles_at(self, now: Instant) -> Iterator[str]:
        """List the titles held now, the permanent one first."""
        yield from self.titles
        yield from (post.title for post in self.acting if post.begins_at <= now < post.ends_at)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A first signature that waits for the second."""

    number: Number
    command: DualControlCommand
    person: PersonId
    device: DeviceId
    expires_at: Instant


class CaseState(StrEnum):
    """The state of a malfunction case."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    VOIDED = "voided"


@dataclass(slots=True)
class MalfunctionCase:
    """A malfunction: the terminal, and the sealed bets that are in question."""

    number: Number
    terminal: TerminalId
    fault: MalfunctionKind
    clause: ClauseId
    words: str
    raised_at: Instant
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: Those rounds, stored for as long as the case is.
    rounds: tuple[Round, ...] = ()
    state: CaseState = CaseState.OPEN
    #: Stakes in suspense since the round was settled without them, and their return by the record.
    suspense: int = 0
    returned: int = 0
    cleared: bool = False
    #: The first case of the line loss that this case is part of, if a link was lost.
    line_loss: Number | None = None
    #: The fault that the house detected, if staff did not raise the case.
    evidence: MalfunctionEvidence | None = None


@dataclass(slots=True)
class Incident:
    """Something for staff to see to."""

    number: Number
    kind: IncidentKind
    subject: str
    clause: ClauseId | None
    facts: IncidentFacts
    at: Instant
    cleared_by: PersonId | None = None


class DisputeState(StrEnum):
    """The state of a dispute."""

    OPEN = "open"
    FINAL = "final"
    UNDER_REVIEW = "under_review"
    REVIEWED = "reviewed"
    CLOSED = "closed"


@dataclass(slots=True)
class Dispute:
    """A disputed round, with its record as it was when the dispute was opened."""

    #: The number, the round, the complaint and the clause behind it, as they were journaled.
    opened: DisputeOpened
    #: The round when the dispute was opened; None if only the journal still has all of it.
    evidence: Round | None
    opened_at: Instant
    state: DisputeState = DisputeState.OPEN
    opened_by: PersonId = PersonId("")
    decision: str = ""
    decided_at: Instant | None = None
    decided_by: PersonId = PersonId("")
    advised_at: Instant | None = None
    advised_by: PersonId = PersonId("")
    #: The person who recorded the request for a review, and whether the house requested it.
    review_at: Instant | None = None
    review_by: PersonId = PersonId("")
    review_by_house: bool = False
    outcome: str = ""
    reviewed_at: Instant | None = None
    reviewed_by: PersonId = PersonId("")
    resolved: bool | None = None
    closed_at: Instant | None = None
    closed_by: PersonId = PersonId("")


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


#: Decides one type of command, or applies one type of event.
Decider = Callable[[House, Any, Context], Decision]


Evolver = Callable[[House, Any, Context], None]


Deciders = Mapping[type[Command], Decider]


Evolvers = Mapping[type[Event], Evolver]


#: Applies events about many positions in bounded steps.
EvolverSteps = Mapping[type[Event], Callable[[House, Any, Context], Iterator[None]]]


#: The most records dropped by one event, which bounds its duration. Each event adds one, so two are enough.
RETIRED_AT_ONCE: Final = 2


def retire_tickets(house: House) -> None:
    """Drop the oldest paid, void or expired tickets beyond the retention limit."""
    for sequence in _oldest(house.closed_tickets, house.records_kept):
        ticket = house.tickets[sequence]
        if not ticket.payable:
            del house.tickets[sequence]
            # A ticket that was transferred and came back has the same number, and another sequence.
            if house.ticket_digests[ticket.digest] == sequence:
                del house.ticket_digests[ticket.digest]
            house.retired[sequence] = ticket
            house.tickets_retired += 1
            house.unclaimed_retired += ticket.amount if ticket.state is TicketState.EXPIRED else 0


def retire_cases(house: House) -> None:
    """Drop the oldest cleared cases beyond the retention limit."""
    for number in _oldest(house.closed_cases, house.records_kept):
        del house.cases[number]


def retire_incidents(house: House) -> None:
    """Drop the oldest cleared incidents beyond the retention limit."""
    for number in _oldest(house.closed_incidents, house.records_kept):
        del house.incidents[number]


def _oldest(closed: deque[Number], kept: int) -> list[Number]:
    return [closed.popleft() for _ in range(min(RETIRED_AT_ONCE, max(0, len(closed) - kept)))]
