"""The house: one venue's state, and the functions that decide commands and apply events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from croupier.house import timers
from croupier.house.credit import drawers, held_wins, notes, player_limits, sessions, tickets, transfers
from croupier.house.credit.drawers import Drawer
from croupier.house.credit.tickets import Ticket, Tickets
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
from croupier.house.floor.incidents import Incidents
from croupier.house.floor.setup import Setup
from croupier.house.floor.staff import Staff
from croupier.house.floor.texts import text_objection
from croupier.house.ids import (
    Context,
    Day,
    DrawerId,
    Instant,
    Number,
    PositionId,
    TableId,
    TerminalId,
)
from croupier.house.live import (
    arrangements,
    carried_chips,
    chip_settlement,
    floats,
    partners,
    payment_walk,
    seats_and_colours,
    supervised,
)
from croupier.house.live.floats import Chips
from croupier.house.play import betting, chip_bets, copying, patterns
from croupier.house.rounds import (
    closing,
    corrections,
    draws,
    irregularities,
    multipliers,
    opening,
    progressive,
    recovery,
    referrals,
    results,
    settlement,
    shared_pots,
    spinning,
)
from croupier.house.state.ledger import Ledger, Pot
from croupier.house.state.records import Cases
from croupier.house.state.tables import Position, Round, Table, Terminal
from croupier.house.state.timer_heap import Timers
from croupier.house.timers import reschedule
from croupier.rules.refusal import Refused, raise_if
from croupier.rules.rulebook import PayoutTable, Rulebook

# isort: split
# The last subject: it joins the commands of all others that take two signatures.
from croupier.house.floor import signatures
from croupier.house.floor.signatures import Proposals

#: Every subject. Importing it declares its commands and events.
SUBJECTS: Final = (
    *(betting, chip_bets, copying, patterns),
    *(closing, corrections, draws, irregularities, multipliers),
    *(opening, progressive, recovery, referrals, results, settlement, shared_pots, spinning),
    *(drawers, held_wins, notes, player_limits, sessions, tickets, transfers),
    *(arrangements, carried_chips, chip_settlement, floats, partners, payment_walk, seats_and_colours, supervised),
    *(disputes, equipment, incidents, malfunctions, permissions, service, settings, setup, staff, signatures),
    timers,
)

if TYPE_CHECKING:
    AnyCommand = Command
    AnyEvent = Event
else:
    AnyCommand = union(COMMANDS)
    AnyEvent = union(EVENTS)

#: Parses a rulebook's canonical text; the code that creates a house supplies it.
RulebookReader = Callable[[str], Rulebook]


class DerivedOfHouse:
    """What follows from the rest of the state, and the reader of rulebooks. No snapshot stores it."""

    if not TYPE_CHECKING:
        __slots__ = ("payout_tables", "read_rulebook", "rulebooks", "timers")
    read_rulebook: RulebookReader
    #: By digest; a table refers to its own.
    rulebooks: dict[str, Rulebook]
    payout_tables: dict[str, PayoutTable]
    #: `timers.rebuild` recomputes them.
    timers: Timers

    def __post_init__(self) -> None:
        self.rulebooks, self.payout_tables, self.timers = {}, {}, Timers()


@dataclass(slots=True)
class House(DerivedOfHouse):
    """One venue. Only `evolve` changes it."""

    setup: Setup = field(default_factory=Setup)
    now: Instant = Instant(0)
    day: Day = Day(0)
    day_ends_at: Instant | None = None
    #: The canonical text of each rulebook, by its digest.
    rulebook_texts: dict[str, str] = field(default_factory=dict)
    tables: dict[TableId, Table] = field(default_factory=dict)
    terminals: dict[TerminalId, Terminal] = field(default_factory=dict)
    #: Every betting position, and the number of those that were added.
    positions: dict[PositionId, Position] = field(default_factory=dict)
    positions_added: int = 0
    staff: Staff = field(default_factory=Staff)
    proposals: Proposals = field(default_factory=Proposals)
    ledger: Ledger = field(default_factory=Ledger)
    tickets: Tickets = field(default_factory=Tickets)
    #: The transfers to and from each other venue, by its name.
    venue_accounts: dict[str, VenueAccount] = field(default_factory=dict)
    drawers: dict[DrawerId, Drawer] = field(default_factory=dict)
    #: The pots of progressive bets, by the id of the rulebook that has them: all its tables play for one.
    pots: dict[str, Pot] = field(default_factory=dict)
    #: The number of held wins so far.
    held_wins: int = 0
    #: The number of slips for payables that the cashier has paid.
    payables_paid: int = 0
    chips: Chips = field(default_factory=Chips)
    #: Terminals without a link.
    offline: set[TerminalId] = field(default_factory=set)
    #: Terminals with a session and no money left, by their first table and in the order in which the money ran out.
    spent: dict[TableId, dict[TerminalId, Instant]] = field(default_factory=dict)
    cases: Cases = field(default_factory=Cases)
    incidents: Incidents = field(default_factory=Incidents)
    disputes: dict[Number, Dispute] = field(default_factory=dict)
    #: When an officer was notified of a table, a terminal or an arrangement.
    notified: dict[str, Instant] = field(default_factory=dict)
    #: When an older copy of the journal was accepted last.
    history_accepted_at: Instant | None = None

    @classmethod
    def new(cls, reader: RulebookReader) -> House:
        """Begin with a house in which nothing has happened."""
        house = cls()
        house.read_rulebook = reader
        return house

    def rulebook_at(self, terminal: Terminal) -> Rulebook:
        """Find a terminal's rulebook: that of its first table, which all its games share."""
        return self.tables[terminal.first_table].rulebook

    def felt_of(self, round_: Round) -> PayoutTable:
        """Return the payouts of a round: those of its rulebook, with the multiples or the pot that it has."""
        felt = self.payout_tables[round_.rulebook].drawn(round_.multiples)
        return felt if round_.sealed is None else felt.playing_for(round_.sealed.pot)

    def rulebook_of(self, ticket: Ticket) -> Rulebook:
        """Find a ticket's rulebook: its terminal's, or the first in its currency when another venue issued it."""
        if ticket.venue:
            return next(each for each in self.rulebooks.values() if each.currency == ticket.currency)
        return self.rulebook_at(self.terminals[ticket.terminal])


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
    # A bet reschedules nothing: the question costs half as much as the call.
    if EVENTS[type(event)].reschedules:
        reschedule(house, event)
    if house.now < context.now:  # noqa: PLR1730 - max takes three times as long
        house.now = context.now


#: Applies a change of bets as `evolve` does: an event, or the row of a page that stands for it.
evolve_bets: Final = betting.apply_change


def apply(house: House, command: AnyCommand, context: Context) -> Decision:
    """Decide a command and apply its events; a refusal changes nothing."""
    answer = decide(house, command, context)
    if isinstance(answer, tuple):
        for event in answer:
            evolve(house, event, context)
    return answer
