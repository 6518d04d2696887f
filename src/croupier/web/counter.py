"""The counter: notes, tickets and slips, put into the house's words; numbers are turned into digests here."""

from dataclasses import dataclass, field
from typing import assert_never

from croupier.devices.validation import Numbers
from croupier.house.answer import refuse
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Collect, GrantPlayMoney, InsertNote, InsertTicket, RedeemTicket
from croupier.house.desk import Ticket
from croupier.house.event.base import Event
from croupier.house.event.credit import TicketIssued, TicketReprinted
from croupier.house.name import DrawerId, TerminalId
from croupier.house.settings import Mode
from croupier.house.state import House
from croupier.rules.money import Cents
from croupier.rules.refusal import Code, Refusal
from croupier.web.hub import Hub
from croupier.web.incoming import CashOut, Note, Redeem, TicketIn
from croupier.web.outgoing import Slip

#: What is handed out to practise with at a time.
PRACTICE = Cents(100_000)


@dataclass(slots=True)
class Counter:
    """Where money is put into words."""

    hub: Hub
    numbers: Numbers
    #: What a terminal prints once it is there.
    _to_print: dict[TerminalId, list[Slip]] = field(default_factory=dict)

    @property
    def house(self) -> House:
        return self.hub.run.house

    def command(self, device: str, message: Note | TicketIn | CashOut | Redeem) -> AnyCommand | Refusal:
        """Put what was done at a counter or a slot as the house has it."""
        terminal = TerminalId(device)
        match message:
            case Note():
                return self._note(terminal, message)
            case CashOut():
                return Collect(terminal)
            case TicketIn():
                digest = self.numbers.read(message.number)
                return digest if isinstance(digest, Refusal) else InsertTicket(terminal, digest)
            case Redeem():
                digest = self.numbers.read(message.number)
                drawer, amount = DrawerId(message.drawer), message.amount_on_paper
                return digest if isinstance(digest, Refusal) else RedeemTicket(drawer, digest, amount)
            case _:
                assert_never(message)

    def practice(self, device: str) -> AnyCommand | Refusal:
        """Hand out something to practise with, once there is little left."""
        terminal = self.house.terminals.get(TerminalId(device))
        if terminal is None or self.house.mode is not Mode.DEMO or terminal.credit >= PRACTICE:
            return refuse(Code.DEMO_ONLY, None, "Play money is for demonstrations, and for whoever has little left.")
        return GrantPlayMoney(terminal.id, PRACTICE)

    def _note(self, terminal: TerminalId, message: Note) -> AnyCommand | Refusal:
        """Take a note that a page only says is there: in a demonstration, and never where money is real."""
        if self.house.mode is not Mode.DEMO or terminal not in self.house.terminals:
            return refuse(Code.DEMO_ONLY, None, "Notes are taken by the acceptor of the terminal alone.")
        currency = self.house.rulebook_at(self.house.terminals[terminal]).currency
        return InsertNote(terminal, currency, message.value)

    def heed(self, event: Event) -> None:
        """Have a slip or ticket printed where it was issued, and nowhere else; once that terminal is there.

        In a demonstration a seat may be somebody else's by then: it is not printed there.
        """
        if isinstance(event, TicketIssued | TicketReprinted):
            ticket = self.house.tickets[event.sequence]
            if ticket.terminal in self.hub.seats or self.house.mode is Mode.REAL:
                self._to_print.setdefault(ticket.terminal, []).append(self._slip(ticket))
                self.print_at(ticket.terminal)

    def print_at(self, terminal: TerminalId) -> None:
        """Print what waits for a terminal, where it is there."""
        door = self.hub.seats.get(terminal)
        if door is not None:
            for slip in self._to_print.pop(terminal, ()):
                door.send(slip)

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
