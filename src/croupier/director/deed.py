"""Deeds: what a simulated player does at a terminal, and how each is put for the wire."""

from dataclasses import dataclass

from croupier.rules.money import Cents
from croupier.web.incoming import Ask, CashOut, Note, TerminalCommand, TicketIn


@dataclass(frozen=True, slots=True)
class PutNote:
    """Put a note into the acceptor."""

    value: Cents


@dataclass(frozen=True, slots=True)
class PutTicket:
    """Put a ticket into the slot."""

    number: str


@dataclass(frozen=True, slots=True)
class Collect:
    """Collect the credits."""


@dataclass(frozen=True, slots=True)
class Practise:
    """Ask for credits that are worth nothing, under no key."""


@dataclass(frozen=True, slots=True)
class LoseLine:
    """Lose the line, and come back after a moment."""


#: What is asked for under a key, and answered.
Wish = TerminalCommand | PutNote | PutTicket | Collect
#: How that goes over the wire.
Asking = Ask | Note | TicketIn | CashOut
Deed = Wish | Practise | LoseLine


def worded(wish: Wish, number: int, epoch: int) -> Asking:
    """Put a wish as the wire has it, under its key."""
    match wish:
        case PutNote(value):
            return Note(number, epoch, value)
        case PutTicket(ticket):
            return TicketIn(number, epoch, ticket)
        case Collect():
            return CashOut(number, epoch)
        case _:
            return Ask(number, epoch, wish)
