"""Events of money outside the games: notes, tickets, sessions, drawers, held wins and adjustments."""

from enum import StrEnum

from croupier.house.base import Event, EventTopic, TerminalEvent, event
from croupier.house.ids import Day, DrawerId, Instant, Number, RoundNumber, TableId
from croupier.rules.money import Cents
from croupier.rules.procedure import CreditOut, TaxBasis
from croupier.rules.refusal import ClauseId


@event("A note of {value} was taken in.", EventTopic.MONEY)
class NoteStacked(TerminalEvent, frozen=True):
    """A note became credit."""

    value: Cents


@event("A note of {value} is in escrow.", EventTopic.MONEY)
class NoteEscrowed(TerminalEvent, frozen=True):
    """The acceptor may stack the note that it holds; it is no credit yet."""

    value: Cents


@event("A note of {value} was returned.", EventTopic.MONEY)
class NoteReturned(TerminalEvent, frozen=True):
    """The note in escrow was returned, and became no credit."""

    value: Cents


@event("Play money was granted: {amount}.", EventTopic.MONEY)
class PlayMoneyGranted(TerminalEvent, frozen=True):
    """Play money was credited, in a demonstration."""

    amount: Cents


@event("{amount} were bought in at drawer {drawer}.", EventTopic.MONEY)
class BoughtIn(TerminalEvent, frozen=True):
    """Cash paid into a drawer became credit."""

    drawer: DrawerId
    amount: Cents


@event("{amount} were collected as {form} {sequence}.", EventTopic.MONEY)
class TicketIssued(TerminalEvent, frozen=True):
    """All free credits became a slip, a ticket or currency."""

    sequence: Number
    form: CreditOut
    amount: Cents
    digest: str
    last_four: str
    day: Day
    #: Whether the session ends: no stakes are in play.
    ends_session: bool


class SessionEnd(StrEnum):
    """Why a session ended without credits."""

    STAFF = "staff"
    IDLE = "idle"
    #: Money was added after the terminal had none, perhaps by another player. Only the account of corrections is new.
    NEW_MONEY = "new_money"


@event("Session {session} ended with nothing left: {reason}.", EventTopic.MONEY)
class SessionEnded(TerminalEvent, frozen=True):
    """A session ended without credits; the next money begins another session."""

    session: int
    reason: SessionEnd


@event("Paper {sequence} was printed.", EventTopic.MONEY)
class TicketPrinted(TerminalEvent, frozen=True):
    """A slip or ticket was printed."""

    sequence: Number


@event("Paper {sequence} was printed again as a duplicate. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketReprinted(Event, frozen=True):
    """A duplicate was printed."""

    sequence: Number
    words: str


@event("Paper {sequence} is void: its value went back. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketVoided(Event, frozen=True):
    """A ticket was voided: its value went back to its terminal."""

    sequence: Number
    words: str


@event("Paper {sequence} can be paid again. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketReleased(Event, frozen=True):
    """A frozen ticket can be paid again."""

    sequence: Number
    words: str


@event("Paper {sequence} was reported lost. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TicketReportedLost(Event, frozen=True):
    """A ticket was reported lost; no replacement is issued."""

    sequence: Number
    clause: ClauseId
    words: str


@event("Paper {sequence} was paid at {place}.", EventTopic.MONEY)
class TicketRedeemed(Event, frozen=True):
    """A ticket was paid: from a drawer, or as credit at a terminal."""

    sequence: Number
    place: str
    at_terminal: bool


@event("Paper {sequence} was transferred to {venue} as transfer {transfer}.", EventTopic.MONEY)
class TicketTransferred(Event, frozen=True):
    """A ticket is another venue's to pay: what was owed to its bearer is owed to that venue."""

    sequence: Number
    venue: str
    transfer: int
    token: str


@event("Paper {sequence} of {amount} was received from {venue} as transfer {transfer}.", EventTopic.MONEY)
class TicketReceived(Event, frozen=True):
    """A ticket of another venue can be paid here: that venue owes its amount, and this one owes it to the bearer."""

    sequence: Number
    venue: str
    transfer: int
    digest: str
    last_four: str
    form: CreditOut
    amount: Cents
    currency: str
    issued_at: Instant
    #: Whether it may have been received and paid in a lost part of the journal.
    frozen: bool
    #: The transfer as the other venue has written it, and its signature, by which an audit verifies it.
    body: str = ""
    signature: str = ""


@event("Tickets of {venue} are received with its key {key}.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class VenuePinned(Event, frozen=True):
    """The key of another venue was pinned: transfers from it must be signed with it."""

    venue: str
    key: str


@event("Papers lapsed: {sequences}.", EventTopic.MONEY)
class TicketsExpired(Event, frozen=True):
    """Tickets expired with the gaming day."""

    sequences: tuple[Number, ...]


@event("Drawer {drawer} was taken out.", EventTopic.MONEY)
class DrawerOpened(Event, frozen=True):
    """A cashier opened a drawer with a float."""

    drawer: DrawerId
    float_: Cents


@event("Drawer {drawer} was filled with {amount}.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class DrawerFilled(Event, frozen=True):
    """Cash was brought from the vault to a drawer."""

    drawer: DrawerId
    amount: Cents


@event("{amount} were dropped from drawer {drawer} to the vault.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class DrawerDropped(Event, frozen=True):
    """Cash was taken from a drawer to the vault."""

    drawer: DrawerId
    amount: Cents


@event("Drawer {drawer} was counted.", EventTopic.MONEY)
class DrawerCounted(Event, frozen=True):
    """A drawer was counted blind; with the expected amount."""

    drawer: DrawerId
    counted: Cents
    expected: Cents


@event("Drawer {drawer} was handed in.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class DrawerClosed(Event, frozen=True):
    """A drawer was handed in, and its over or short was booked."""

    drawer: DrawerId


class HoldCause(StrEnum):
    """What credited a win that is held."""

    SETTLEMENT = "settlement"
    CORRECTION = "correction"
    #: Bets that were in question were confirmed.
    CONFIRMATION = "confirmation"


#: The amount of a win by each basis.
WinBases = tuple[tuple[TaxBasis, int], ...]


@event(
    "A win of {amount} in round {round} is held until its tax form is recorded: held win {hold}.",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
)
class WinHeld(TerminalEvent, frozen=True):
    """A credited win is held until its tax form is recorded."""

    hold: Number
    table: TableId
    round: RoundNumber
    cause: HoldCause
    amount: Cents
    #: The basis that the venue uses, on which the win reaches the threshold.
    basis: TaxBasis
    bases: WinBases
    #: The rulebook that the round was played by, and its clause on the form.
    rulebook: str
    clause: ClauseId


@event(
    "Held win {hold} was corrected: {amount} are left of it; still held: {held}.",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
)
class HeldWinRevised(TerminalEvent, frozen=True):
    """A correction reduced a held win: the remaining amount, and whether it still needs its form."""

    hold: Number
    amount: Cents
    bases: WinBases
    #: The amount that is still held; the rest became credit.
    held: bool


@event("The form of held win {hold} was recorded.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class TaxFormRecorded(TerminalEvent, frozen=True):
    """The tax form of a held win was recorded."""

    hold: Number
    patron: str
    form_number: str


@event("Held win {hold} of {amount} became credit.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class HeldWinReleased(TerminalEvent, frozen=True):
    """A held win became credit."""

    hold: Number
    amount: Cents


@event("Held win {hold} of {amount} was paid by hand from drawer {drawer}.", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class HeldWinPaid(TerminalEvent, frozen=True):
    """A held win was paid by hand."""

    hold: Number
    drawer: DrawerId
    amount: Cents


@event("The credit meter was adjusted by {amount}. {words}", EventTopic.MONEY, EventTopic.SIGNIFICANT)
class CreditAdjusted(TerminalEvent, frozen=True):
    """A credit meter was adjusted."""

    amount: int
    clause: ClauseId
    words: str


@event(
    "{amount} were paid from drawer {drawer} to the player of session {session} by slip {slip}.",
    EventTopic.MONEY,
    EventTopic.SIGNIFICANT,
)
class PayablePaid(TerminalEvent, frozen=True):
    """A payable, which a correction left after the end of a session, was paid against a slip."""

    session: int
    slip: Number
    drawer: DrawerId
    amount: Cents
    clause: ClauseId
    patron: str
    #: The number of the tax form, if the amount requires one.
    form_number: str = ""
