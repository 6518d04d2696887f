"""The ticket desk: notes, tickets and slips over the wire."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple, Protocol, assert_never

from croupier.devices.validation import ValidationNumbers
from croupier.engine.ticket_index import TicketIndex
from croupier.house import AnyCommand, House
from croupier.house.credit.drawers import RedeemTicket
from croupier.house.credit.held_wins import HeldWinPaid
from croupier.house.credit.notes import GrantPlayMoney, InsertNote
from croupier.house.credit.tickets import (
    Collect,
    InsertTicket,
    ReleaseTicket,
    ReportLost,
    ReprintTicket,
    Ticket,
    TicketIssued,
    TicketRedeemed,
    TicketReprinted,
    VoidTicket,
    desk_clause,
    find_ticket,
    last_day,
    payment_objection,
    undispensed,
    unknown_ticket,
)
from croupier.house.declare import Event, decide_permitted
from croupier.house.ids import SECOND, Context, DeviceId, DrawerId, Instant, Number, TerminalId
from croupier.house.settings import Mode
from croupier.protocol.inbound import CashOut, CollectFor, Note, Redeem, TicketIn
from croupier.protocol.outbound import PayoutInstruction, SlipPrinted, SlipsResult, SlipStatus, project
from croupier.protocol.queries import TicketRow
from croupier.protocol.terminal import cited
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import (
    CitedTopic,
    ClauseId,
    Code,
    Refusal,
    Refused,
    refuse,
)
from croupier.rules.rulebook import Rulebook
from croupier.server.connection import ConnectedDevices, Connection
from croupier.server.views.actions import OfferedAction, actions

#: How many wrong ticket numbers a desk may try before lookups are locked, and for how long.
MISSES_MAX: Final = 5
LOCKED_FOR: Final = 60 * SECOND

#: The most slips whose states are sent at once: a page keeps no more.
SLIPS_MAX: Final = 20
#: The amount of one grant of play money.
PRACTICE = Cents(100_000)
#: For how many former players of a demonstration prints are kept.
DEPARTED_MAX = 256


@dataclass(slots=True)
class TicketDesk:
    """Converts messages about notes, tickets and slips to commands, and events to payouts and prints."""

    house: House
    devices: ConnectedDevices
    numbers: ValidationNumbers
    #: Prints a slip or ticket at the printer of its terminal; False when it has none, and its page prints.
    print_slip: Callable[[Ticket], bool]
    #: Prints for a terminal or a console, sent once it is connected and not behind.
    _to_print: dict[str, list[SlipPrinted]] = field(default_factory=dict)
    #: Prints for those who have lost their seat, by device and digest of the key, the oldest first.
    _departed: dict[tuple[str, str], list[SlipPrinted]] = field(default_factory=dict)
    #: When a seat was last given to another person, and the digest of its former key.
    _reassigned: dict[str, tuple[Instant, str]] = field(default_factory=dict)
    #: The payout at the console of the person who has collected for a player.
    _handed: set[Number] = field(default_factory=set)

    def command(self, device: str, message: Note | TicketIn | CashOut | CollectFor | Redeem) -> AnyCommand:
        """Build the house's command for an action at a cashier or a ticket slot."""
        terminal = TerminalId(device)
        match message:
            case Note():
                return self._note(terminal, message)
            case CashOut():
                return Collect(terminal)
            case CollectFor():
                return Collect(TerminalId(message.terminal))
            case TicketIn():
                return InsertTicket(terminal, self._digest(message))
            case Redeem():
                return RedeemTicket(DrawerId(message.drawer), self._digest(message), message.amount_on_paper)
            case _:
                assert_never(message)

    def _digest(self, message: TicketIn | Redeem) -> str:
        """Convert a number that was looked up before into the digest by which the house identifies it."""
        digest = self.numbers.digest(message.number)
        assert digest is not None
        return digest

    def practice(self, device: str) -> AnyCommand:
        """Grant play money, once little is left."""
        terminal = self.house.terminals.get(TerminalId(device))
        if terminal is None or self.house.setup.mode is not Mode.DEMO:
            raise Refused(Code.DEMO_ONLY, None, "Play money is for terminals of a demonstration.")
        if terminal.credit >= PRACTICE:
            message = f"Play money is granted below {amount_text(PRACTICE)} of credit: this terminal has enough."
            raise Refused(Code.ALREADY_THERE, None, message, why="play_money", credit=terminal.credit, below=PRACTICE)
        return GrantPlayMoney(terminal.id, PRACTICE)

    def _note(self, terminal: TerminalId, message: Note) -> AnyCommand:
        """Accept a note that only the page reports: in a demonstration, and never with real money."""
        if self.house.setup.mode is not Mode.DEMO or terminal not in self.house.terminals:
            raise Refused(Code.DEMO_ONLY, None, "Notes are taken by the acceptor of the terminal alone.")
        currency = self.house.rulebook_at(self.house.terminals[terminal]).currency
        return InsertNote(terminal, currency, message.value)

    def on_event(self, event: Event) -> None:
        """Print a slip or ticket at the terminal that issued it, and nowhere else, once that terminal is connected.

        In a demonstration another person may have got the seat since: the print is kept for the former key.
        """
        if not isinstance(event, TicketIssued | TicketReprinted):
            return
        ticket = self.house.tickets.find(event.sequence)
        if event.sequence in self._handed:
            self._handed.discard(event.sequence)
        elif self.print_slip(ticket):
            return
        elif self._is_former(ticket):
            _, digest = self._reassigned[ticket.terminal]
            self._keep(ticket.terminal, digest, [self._slip(ticket)])
        else:
            self._print(ticket.terminal, ticket)

    def _is_former(self, ticket: Ticket) -> bool:
        """Return whether the seat that issued a ticket was given to another person since."""
        given_at, _ = self._reassigned.get(ticket.terminal, (Instant(-1), ""))
        return ticket.issued_at <= given_at

    def hand_out(self, connection: Connection, event: Event) -> PayoutInstruction | None:
        """Return the payout instruction of a console after an event there; a slip is printed there at once."""
        match event:
            case TicketIssued():
                self._hand_over(connection, self.house.tickets.find(event.sequence))
            case TicketReprinted() if self._is_former(ticket := self.house.tickets.find(event.sequence)):
                self._hand_over(connection, ticket)
            case TicketRedeemed():
                ticket = self.house.tickets.find(event.sequence)
                paid = (event.place, ticket.terminal, ticket.amount)
                return self._paid(*paid, self.house.rulebook_of(ticket), sequence=event.sequence)
            case HeldWinPaid():
                paid = (event.drawer, event.terminal, event.amount)
                book = self.house.rulebook_at(self.house.terminals[event.terminal])
                return self._paid(*paid, book, hold=event.hold)
        return None

    def _hand_over(self, connection: Connection, ticket: Ticket) -> None:
        self._handed.add(ticket.sequence)
        self._print(connection.device, ticket)

    def _paid(
        self,
        drawer: str,
        name: TerminalId,
        amount: int,
        rulebook: Rulebook,
        **of: int,
    ) -> PayoutInstruction:
        values = self._notes(name, rulebook.currency)
        notes, coins = broken_down(amount, values)
        return PayoutInstruction(
            amount=amount,
            currency=rulebook.currency,
            drawer=drawer,
            terminal=name,
            sequence=of.get("sequence"),
            hold=of.get("hold"),
            notes=notes,
            coins=coins,
            values=values,
        )

    def _notes(self, name: TerminalId, currency: str) -> tuple[int, ...]:
        """List the notes of a terminal; for a ticket of another venue, those of the first one in its currency."""
        terminals = self.house.terminals
        same = (each for each in terminals.values() if self.house.rulebook_at(each).currency == currency)
        return (terminals.get(name) or next(same)).settings.notes

    def _print(self, device: str, ticket: Ticket) -> None:
        self._to_print.setdefault(device, []).append(self._slip(ticket))
        self.print_at(device)

    def print_at(self, device: str) -> None:
        """Send pending prints to a terminal or console, if it is connected and not behind."""
        connection = self.devices.seats.get(device) or self.devices.consoles.get(DeviceId(device))
        waiting = self._to_print.pop(device, [])
        while waiting and connection is not None and connection.behind_since is None:
            connection.send(waiting.pop(0))
        if waiting:
            self._to_print[device] = waiting

    def reassign(self, device: str, digest: str) -> None:
        """Keep the prints of a seat for its former key: in a demonstration another person gets the seat.

        The state may be ahead of what is committed and printed: a seat is empty before its slip is printed.
        """
        self._reassigned[device] = self.house.now, digest
        if waiting := self._to_print.pop(device, []):
            self._keep(device, digest, waiting)

    def _keep(self, device: str, digest: str, prints: list[SlipPrinted]) -> None:
        self._departed[device, digest] = self._departed.pop((device, digest), []) + prints
        while len(self._departed) > DEPARTED_MAX:
            del self._departed[next(iter(self._departed))]

    def claim(self, device: str, digest: str) -> list[SlipPrinted]:
        """Return the prints that were kept for a former key of a seat, once."""
        return self._departed.pop((device, digest), [])

    def _slip(self, ticket: Ticket) -> SlipPrinted:
        return project(
            SlipPrinted,
            ticket,
            form=ticket.form.value,
            number=self.numbers.number(ticket.sequence),
            currency=self.house.rulebook_of(ticket).currency,
            issued_at_us=ticket.issued_at,
            venue=self.house.setup.venue,
            duplicate=ticket.duplicates,
        )


def broken_down(amount: int, values: Iterable[int]) -> tuple[tuple[tuple[int, int], ...], int]:
    """Break an amount down into notes, the largest first; return also the remainder that no note covers."""
    notes: list[tuple[int, int]] = []
    for value in sorted(values, reverse=True):
        pieces, amount = divmod(amount, value)
        if pieces:
            notes.append((value, pieces))
    return tuple(notes), amount


_LOCKED: Final = refuse(
    Code.TOO_FAST, None, "Too many numbers were wrong: no slip or ticket is looked up, taken or paid here for a minute."
)


@dataclass(slots=True)
class FailedLookups:
    """Consecutive wrong ticket numbers, at one desk or slot."""

    count: int = 0
    locked_until: Instant = Instant(0)


class LookupFailure(NamedTuple):
    """A wrong ticket number, and whether the desk or slot is locked from now on."""

    refusal: Refusal
    locks: bool = False


#: Why no other venue has transferred a ticket whose number counts as a wrong one.
WRONG_NUMBER: Final = frozenset({Code.TICKET_UNKNOWN, Code.VENUE_SILENT})


class TicketClaims(Protocol):
    """Claims tickets from the other venues of the operator."""

    def is_elsewhere(self, number: str) -> bool:
        """Return whether a number may be that of a ticket that another venue has to pay."""
        ...

    async def present(self, number: str, terminal: TerminalId | None = None) -> Refusal | None:
        """Claim a ticket from the other venues: None once it can be paid here, or why it cannot."""
        ...

    def present_then(self, number: str, terminal: TerminalId, then: Callable[[Refusal | None], object]) -> None:
        """Claim a ticket that a terminal was given, and call a function with the result."""
        ...


@dataclass(slots=True)
class TicketLookup:
    """Looks tickets up by number, also to redeem or pay them; too many wrong numbers lock a desk for a while."""

    numbers: ValidationNumbers
    #: The tickets that have left the state.
    closed: TicketIndex | None = None
    #: Claims tickets of other venues; None where they are not paid.
    ticket_exchange: "TicketClaims | None" = None
    _misses: dict[DeviceId, FailedLookups] = field(default_factory=dict)

    def find(
        self, house: House, desk: DeviceId, number: str, now: Instant, claimed: Refusal | None = None
    ) -> TicketRow | LookupFailure:
        """Find a ticket, or return why there is none; a right number resets the count of wrong ones.

        `claimed` is why no other venue has transferred it. While one of them is silent every number may be wrong, and
        counts: otherwise nothing would limit guesses.
        """
        if self.is_locked(desk, now):
            return LookupFailure(_LOCKED)
        misses = self._misses.setdefault(desk, FailedLookups())
        # The check digits of another venue are not known here: its ticket is found by the whole number.
        ticket = self._ticket(house, number)
        if ticket is not None:
            misses.count = 0
            return ticket_row(house, ticket)
        misses.count += 1
        locks = misses.count >= MISSES_MAX
        if locks:
            misses.count, misses.locked_until = 0, Instant(now + LOCKED_FOR)
        if claimed is not None and claimed.code is Code.VENUE_SILENT:
            return LookupFailure(claimed, locks)
        try:
            self.numbers.read(number)
        except Refused as misread:
            return LookupFailure(misread.refusal, locks)
        return LookupFailure(unknown_ticket(_clause(house, desk)), locks)

    def is_locked(self, desk: DeviceId, now: Instant) -> bool:
        """Return whether a desk looks nothing up now, after too many wrong numbers."""
        return desk in self._misses and now < self._misses[desk].locked_until

    def is_elsewhere(self, desk: DeviceId, number: str, now: Instant) -> bool:
        """Return whether another venue may have the ticket with this number, and is to be asked for it."""
        return (
            self.ticket_exchange is not None
            and not self.is_locked(desk, now)
            and self.ticket_exchange.is_elsewhere(number)
        )

    def statuses(self, house: House, numbers: Iterable[str]) -> SlipsResult:
        """Return what became of slips, in a demonstration; with real money only staff look slips up."""
        if house.setup.mode is not Mode.DEMO:
            raise Refused(Code.DEMO_ONLY, None, "Slips are looked up by staff.")
        return SlipsResult(tuple(self._status(house, number) for number in islice(numbers, SLIPS_MAX)))

    def _status(self, house: House, number: str) -> SlipStatus:
        ticket = self._ticket(house, number)
        if ticket is None:
            return SlipStatus(number, "unknown")
        status = "frozen" if ticket.payable and ticket.frozen else ticket.state.value
        return SlipStatus(number, status, last_day(house, ticket), ticket.paid_at)

    def _ticket(self, house: House, number: str) -> Ticket | None:
        """Find a ticket in the state, or among those that have left it."""
        digest = self.numbers.digest(number)
        if digest is None:
            return None
        closed = None if self.closed is None else self.closed.by_digest(digest)
        return find_ticket(house, digest) or closed


def _clause(house: House, desk: DeviceId) -> ClauseId:
    """Return the clause on tickets for a wrong number: the terminal's own clause, if it is a terminal."""
    terminal = house.terminals.get(TerminalId(desk))
    return desk_clause(house) if terminal is None else house.rulebook_at(terminal).cited_clauses[CitedTopic.TICKET]


def ticket_row(house: House, ticket: Ticket) -> TicketRow:
    """Return the house's record of a ticket: never its number."""
    why_not = payment_objection(house, ticket) or undispensed(house, ticket)
    return project(
        TicketRow,
        ticket,
        form=ticket.form.value,
        currency=house.rulebook_of(ticket).currency,
        status="frozen" if ticket.payable and ticket.frozen else ticket.state.value,
        issued_at_us=ticket.issued_at,
        paid_at_us=ticket.paid_at,
        why_not=None if why_not is None else cited(why_not),
        actions=actions(house, _offers(house, ticket)),
    )


def _offers(house: House, ticket: Ticket) -> Iterator[OfferedAction]:
    """Return the actions on a ticket besides paying it, except those already taken."""
    # The result depends neither on the person nor on the time.
    context = Context(house.now, DeviceId(""))
    for label, command in (
        ("report_lost", ReportLost(ticket.sequence, "")),
        ("reprint", ReprintTicket(ticket.sequence, "")),
        ("void", VoidTicket(ticket.sequence, "")),
        ("release", ReleaseTicket(ticket.sequence, "")),
    ):
        again = ticket.reported_lost and isinstance(command, ReportLost)
        if not again and not isinstance(decide_permitted(house, command, context), Refusal):
            yield OfferedAction(label, command, ("words",))
