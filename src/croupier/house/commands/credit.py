"""Commands that move money: notes, tickets, collecting, drawers, hand pays and tax forms."""

from typing import Annotated

import msgspec

from croupier.house.base import WRITABLE, Command, MachineRole, TerminalCommand, TicketCommand, command
from croupier.house.ids import DrawerId, Instant, Number
from croupier.house.settings import Mode
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, Duty


@command(MachineRole.TERMINAL, messages=("note",))
class InsertNote(TerminalCommand, frozen=True):
    """A note was inserted into a terminal of a demonstration, which has no acceptor."""

    currency: str
    value: Cents


@command(MachineRole.TERMINAL, by_driver=True)
class EscrowNote(TerminalCommand, frozen=True):
    """The acceptor holds a note in escrow and asks whether to stack it."""

    currency: str
    value: Cents


@command(MachineRole.TERMINAL, by_driver=True)
class StackNote(TerminalCommand, frozen=True):
    """The note in escrow was stacked and cannot be pulled out: it becomes credit, once."""


@command(MachineRole.TERMINAL, by_driver=True)
class ReturnNote(TerminalCommand, frozen=True):
    """The note in escrow was returned to the player."""

    #: Whether the acceptor reported the return; False when it only has no note any more.
    seen: bool


@command(MachineRole.TERMINAL, messages=("ticket_in",))
class InsertTicket(TerminalCommand, frozen=True):
    """A ticket was inserted into a terminal; the house sees only the digest of its number."""

    digest: str


@command(MachineRole.SYSTEM)
class TransferTicket(Command, frozen=True):
    """Another venue of the operator asks for a ticket that was presented there."""

    digest: str
    venue: str
    #: The number, encrypted with the key that the venues share.
    token: str
    #: The mode of the other venue, the currencies in which it can pay, and whether a terminal took the ticket.
    mode: Mode
    currencies: tuple[str, ...]
    at_terminal: bool


@command(MachineRole.SYSTEM)
class ReceiveTicket(Command, frozen=True):
    """Another venue of the operator has transferred a ticket to this one."""

    venue: str
    #: The number of the transfer, and of the one before it from the same venue.
    transfer: int
    previous: int
    digest: str
    last_four: str
    form: CreditOut
    amount: Cents
    currency: str
    issued_at: Instant
    #: When the other venue transferred it.
    at: Instant
    #: The transfer as the other venue has written it, and its signature in hexadecimal digits.
    body: str
    signature: str


@command(MachineRole.SYSTEM)
class PinVenue(Command, frozen=True):
    """Accept tickets of another venue of the operator that are signed with this key, from now on."""

    venue: str
    #: Its public key, in 64 hexadecimal digits.
    key: str


@command(MachineRole.SYSTEM, messages=("practice",))
class GrantPlayMoney(TerminalCommand, frozen=True):
    """Give a terminal credits that are worth nothing, in a demonstration."""

    amount: Cents


class Validation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the house may hold of a validation number, which is derived outside it from the sequence number."""

    sequence: Number
    digest: str
    last_four: str


@command(MachineRole.TERMINAL, Duty.INSPECT, messages=("cash_out", "collect_for"))
class Collect(TerminalCommand, frozen=True):
    """Cash out all credits that are not in play."""

    #: Left out by the sender: the engine fills in the validation of the next sequence number before it is decided.
    validation: Validation | None = None
    form: CreditOut | None = None


@command(Duty.INSPECT)
class EndSession(TerminalCommand, frozen=True):
    """End the session of a player who has left with nothing on the terminal."""


@command(MachineRole.TERMINAL)
class ConfirmPrint(TerminalCommand, frozen=True):
    """The printer reports that a slip or ticket has been printed and taken."""

    sequence: Annotated[Number, WRITABLE]


@command(Duty.INSPECT, signatures=2)
class ReprintTicket(TicketCommand, frozen=True):
    """Print a slip or ticket again, marked as a duplicate."""

    words: str


@command(Duty.INSPECT, signatures=2)
class VoidTicket(TicketCommand, frozen=True):
    """Void a slip or ticket that was not handed out: its value goes back to its terminal."""

    words: str


@command(Duty.INSPECT, signatures=2)
class ReleaseTicket(TicketCommand, frozen=True):
    """Make a frozen slip or ticket payable again, after a check that it was not paid."""

    words: str


@command(Duty.CASH, Duty.INSPECT)
class ReportLost(TicketCommand, frozen=True):
    """A patron reports a lost ticket: it is recorded, and no other is issued."""

    words: str


@command(Duty.CASH)
class OpenDrawer(Command, frozen=True):
    """A cashier takes a drawer with a float."""

    drawer: DrawerId
    float_: Cents


@command(Duty.CASH)
class BuyIn(TerminalCommand, frozen=True):
    """Take cash into a drawer, for credits on a terminal."""

    drawer: DrawerId
    amount: Cents


@command(Duty.CASH, messages=("redeem",))
class RedeemTicket(Command, frozen=True):
    """Pay a slip or ticket from a drawer; the amount printed on it is given for comparison."""

    drawer: DrawerId
    digest: str
    amount_on_paper: Cents | None = None


# As with a payable: the cashier of the drawer signs first, and another person second.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class FillDrawer(Command, frozen=True):
    """Bring cash from the vault to a drawer. The cashier of the drawer signs first."""

    drawer: DrawerId
    amount: Cents


@command(Duty.CASH, Duty.INSPECT, signatures=2)
class DropDrawer(Command, frozen=True):
    """Take cash from a drawer to the vault. The cashier of the drawer signs first."""

    drawer: DrawerId
    amount: Cents


@command(Duty.CASH)
class CountDrawer(Command, frozen=True):
    """Count a drawer blind: the expected amount is not shown."""

    drawer: DrawerId
    counted: Cents


@command(Duty.CASH)
class CloseDrawer(Command, frozen=True):
    """Hand a counted drawer in."""

    drawer: DrawerId


@command(Duty.CASH, Duty.INSPECT)
class RecordTaxForm(TerminalCommand, frozen=True):
    """Record the form that a held win needs."""

    hold: Number
    patron: str
    form_number: str


@command(Duty.CASH, Duty.INSPECT)
class ReleaseHeldWin(TerminalCommand, frozen=True):
    """Pay a held win to the credit meter, once its form is recorded."""

    hold: Number


@command(Duty.CASH)
class PayHeldWin(TerminalCommand, frozen=True):
    """Pay a held win by hand from a drawer, once its form is recorded."""

    hold: Number
    drawer: DrawerId


@command(Duty.CORRECT, signatures=2)
class AdjustCredit(TerminalCommand, frozen=True):
    """Adjust a credit meter, up or down."""

    amount: int
    words: str


# The cashier signs first, and a person with the duty to inspect second.
@command(Duty.CASH, Duty.INSPECT, signatures=2)
class PayPayable(TerminalCommand, frozen=True):
    """Pay what a correction owes a player whose session has ended, by a slip, from a drawer."""

    session: int
    drawer: DrawerId
    #: What both sign for: another correction may have changed it by the second signature.
    amount: Cents
    #: The person who is paid.
    patron: str
    #: The number of the tax form, where the amount takes one.
    form_number: str = ""
