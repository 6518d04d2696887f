"""The counter: notes, tickets and slips, put into the house's words; numbers are turned into digests here."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from croupier.devices.validation import Numbers
from croupier.house.answer import refuse
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Collect, GrantPlayMoney, InsertNote, InsertTicket, RedeemTicket
from croupier.house.desk import Ticket
from croupier.house.event.base import Event
from croupier.house.event.credit import HoldPaid, TicketIssued, TicketRedeemed, TicketReprinted
from croupier.house.name import DeviceId, DrawerId, Number, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import Code, Refusal
from croupier.web.door import Door
from croupier.web.hub import Hub
from croupier.web.incoming import CashOut, CollectFor, Note, Redeem, TicketIn
from croupier.web.outgoing import Paid, Slip

#: What is handed out to practise with at a time.
PRACTICE = Cents(100_000)


@dataclass(slots=True)
class Counter:
    """Where money is put into words."""

    hub: Hub
    numbers: Numbers
    #: What a terminal or a console prints once it is there, and has read what it was sent before.
    _to_print: dict[str, list[Slip]] = field(default_factory=dict)
    #: What came out at the console of whoever has collected for a player.
    _handed: set[Number] = field(default_factory=set)

    @property
    def house(self) -> House:
        return self.hub.run.house

    def command(self, device: str, message: Note | TicketIn | CashOut | CollectFor | Redeem) -> AnyCommand | Refusal:
        """Put what was done at a counter or a slot as the house has it."""
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
        """Turn a number that was looked up before into what the house knows it by."""
        digest = self.numbers.read(message.number)
        assert not isinstance(digest, Refusal)
        return digest

    def practice(self, device: str) -> AnyCommand | Refusal:
        """Hand out something to practise with, once there is little left."""
        terminal = self.house.terminals.get(TerminalId(device))
        if terminal is None or self.house.mode is not Mode.DEMO:
            return refuse(Code.DEMO_ONLY, None, "Play money is for terminals of a demonstration.")
        if terminal.credit >= PRACTICE:
            says = f"Play money is granted below {amount_text(PRACTICE)} of credit: this terminal has enough."
            return refuse(Code.ALREADY_THERE, None, says, credit=terminal.credit, below=PRACTICE)
        return GrantPlayMoney(terminal.id, PRACTICE)

    def _note(self, terminal: TerminalId, message: Note) -> AnyCommand | Refusal:
        """Take a note that a page only says is there: in a demonstration, and never where money is real."""
        if self.house.mode is not Mode.DEMO or terminal not in self.house.terminals:
            return refuse(Code.DEMO_ONLY, None, "Notes are taken by the acceptor of the terminal alone.")
        currency = self.house.rulebook_at(self.house.terminals[terminal]).currency
        return InsertNote(terminal, currency, message.value)

    def heed(self, event: Event) -> None:
        """Have a slip or ticket printed where it was issued, and nowhere else; once that terminal is there.

        In a demonstration a seat may be somebody else's by then: it is not printed there, nor is what waits there.
        """
        if isinstance(event, TicketIssued) and event.sequence in self._handed:
            self._handed.discard(event.sequence)
        elif isinstance(event, TicketIssued | TicketReprinted):
            ticket = self.house.ticket(event.sequence)
            if ticket.terminal in self.hub.seats or self.house.mode is Mode.REAL:
                self._print(ticket.terminal, ticket)

    def hand_out(self, door: Door, event: Event) -> Paid | None:
        """Say what is to be handed out at a console after what was done there; a slip is printed there at once."""
        match event:
            case TicketIssued():
                self._handed.add(event.sequence)
                self._print(door.device, self.house.ticket(event.sequence))
            case TicketRedeemed():
                ticket = self.house.ticket(event.sequence)
                return self._paid(event.place, ticket.terminal, ticket.amount, sequence=event.sequence)
            case HoldPaid(amount=int(amount)):
                return self._paid(event.drawer, event.terminal, amount, hold=event.hold)
        return None

    def _paid(
        self, drawer: str, name: TerminalId, amount: int, *, sequence: int | None = None, hold: int | None = None
    ) -> Paid:
        terminal = self.house.terminals[name]
        notes, coins = broken_down(amount, terminal.settings.notes)
        return Paid(
            amount=amount,
            currency=self.house.rulebook_at(terminal).currency,
            drawer=drawer,
            terminal=name,
            sequence=sequence,
            hold=hold,
            notes=notes,
            coins=coins,
        )

    def _print(self, device: str, ticket: Ticket) -> None:
        self._to_print.setdefault(device, []).append(self._slip(ticket))
        self.print_at(device)

    def print_at(self, device: str) -> None:
        """Print what waits for a terminal or console, where it is there; one that is behind would never hear of it."""
        door = self.hub.seats.get(device) or self.hub.consoles.get(DeviceId(device))
        waiting = self._to_print.pop(device, [])
        while waiting and door is not None and door.behind_since is None:
            door.send(waiting.pop(0))
        if waiting:
            self._to_print[device] = waiting

    def left(self, device: str) -> None:
        """Let go of what waits for a device that is not there any more, in a demonstration."""
        if self.house.mode is Mode.DEMO:
            self._to_print.pop(device, None)

    def _slip(self, ticket: Ticket) -> Slip:
        return Slip(
            sequence=ticket.sequence,
            form=ticket.form.value,
            number=self.numbers.number(ticket.sequence),
            amount=ticket.amount,
            currency=self.house.rulebook_at(self.house.terminals[ticket.terminal]).currency,
            issued_at_us=ticket.issued_at,
            venue=self.house.venue,
            terminal=ticket.terminal,
            duplicate=ticket.duplicates,
        )


def broken_down(amount: int, values: Iterable[int]) -> tuple[tuple[tuple[int, int], ...], int]:
    """Break an amount down into notes, the largest first; and tell what is left that no note makes up."""
    notes: list[tuple[int, int]] = []
    for value in sorted(values, reverse=True):
        pieces, amount = divmod(amount, value)
        if pieces:
            notes.append((value, pieces))
    return tuple(notes), amount
