"""Ledger accounts, meters, tickets and drawers."""

from collections import Counter, deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, TerminalId
from croupier.rules.procedure import CreditOut


class LedgerAccount(StrEnum):
    """An account of the ledger. An account that money comes from has a negative balance; all balances sum to zero."""

    #: Free credits on all terminals.
    CREDIT = "credit"
    #: Stakes on all layouts.
    STAKES = "stakes"
    #: Stakes whose bets are in question.
    SUSPENSE = "suspense"
    #: The win or loss of the games.
    HOUSE = "house"
    #: Wins that await a tax form.
    HELD = "held"
    #: Outstanding slips and tickets.
    TICKETS = "tickets"
    #: Tickets transferred to other venues, less those received from them: what is owed to them on balance.
    INTER_VENUE = "inter_venue"
    #: Slips and tickets that expired unredeemed.
    UNCLAIMED = "unclaimed"
    #: Notes in the terminals' boxes.
    NOTES = "notes"
    #: Cash in drawers, and its source and destination.
    DRAWERS = "drawers"
    VAULT = "vault"
    #: Shortages and surpluses of blind counts.
    DIFFERENCES = "differences"
    #: Currency paid out by the terminals themselves.
    DISPENSED = "dispensed"
    #: Debts of players after a correction that their credits did not cover.
    RECEIVABLES = "receivables"
    #: Amounts due to players of ended sessions after corrections, until the cashier pays them.
    PAYABLES = "payables"
    #: Value chips in the floats of tables, and all value chips outside the chip bank.
    FLOATS = "floats"
    VALUE_CHIPS = "value_chips"
    #: The value of chips without a marked value in players' hands.
    COLOUR_CHIPS = "colour_chips"
    #: Cash in the drop boxes of tables.
    DROP = "drop"
    #: What settled rounds owe to players with chips, until the dealer pays it.
    CHIPS_PAYABLE = "chips_payable"
    ADJUSTMENTS = "adjustments"
    PLAY_MONEY = "play_money"


@dataclass(slots=True)
class Ledger:
    """The balance of every account."""

    balances: dict[LedgerAccount, int] = field(default_factory=lambda: dict.fromkeys(LedgerAccount, 0))

    def post(self, amount: int, *, source: LedgerAccount, target: LedgerAccount) -> None:
        """Post an amount from one account to another; a negative amount goes the other way."""
        balances = self.balances
        balances[source] -= amount
        balances[target] += amount

    def __getitem__(self, account: LedgerAccount) -> int:
        return self.balances[account]


class TicketState(StrEnum):
    """The state of a slip or ticket."""

    ISSUED = "issued"
    PRINTED = "printed"
    REDEEMED = "redeemed"
    VOID = "void"
    EXPIRED = "expired"
    #: It is another venue's to pay.
    TRANSFERRED = "transferred"


@dataclass(slots=True)
class Ticket:
    """A slip or ticket; only the digest and the last four digits of its number are stored."""

    sequence: Number
    #: Empty when another venue issued it.
    terminal: TerminalId
    form: CreditOut
    amount: int
    digest: str
    last_four: str
    issued_at: Instant
    day: Day
    #: The member of staff who collected for the player, if the terminal could not: no terminal printed the slip.
    collected_by: PersonId = PersonId("")
    state: TicketState = TicketState.ISSUED
    duplicates: int = 0
    reported_lost: bool = False
    #: It may have been paid in a part of the journal that is lost.
    frozen: bool = False
    #: When, where and by whom it was paid.
    paid_at: Instant | None = None
    paid_place: str = ""
    paid_by: PersonId = PersonId("")
    #: The venue that issued it and its currency, when that is another venue; both empty otherwise.
    venue: str = ""
    currency: str = ""
    #: Its number, encrypted with the key that the venues share, once it was transferred.
    token: str = ""

    @property
    def payable(self) -> bool:
        return self.state in (TicketState.ISSUED, TicketState.PRINTED)


@dataclass(frozen=True, slots=True)
class SentTransfer:
    """The number of a transfer to a venue, the number of the one before, and the ticket's sequence."""

    number: int
    previous: int
    sequence: Number


#: How many of the last transfers to a venue stay listed: those that may not be in the database yet.
SENT_KEPT: Final = 256


@dataclass(slots=True)
class VenueAccount:
    """The tickets transferred to another venue and received from it: their totals and their last numbers."""

    sent: int = 0
    received: int = 0
    sent_count: int = 0
    last_sent: int = 0
    last_received: int = 0
    #: Its public key in hexadecimal digits, once it was pinned.
    key: str = ""
    #: The last transfers to it, the oldest first.
    recent: deque[SentTransfer] = field(default_factory=deque)

    @property
    def owed(self) -> int:
        """What this venue owes to it; negative when it owes."""
        return self.sent - self.received


@dataclass(slots=True)
class Drawer:
    """A cashier's drawer: its float, and the cash in and out."""

    id: DrawerId
    cashier: PersonId
    float_: int
    opened_at: Instant
    cash: int
    paid_out: int = 0
    taken_in: int = 0
    #: Cash from the vault and to it during the shift.
    filled: int = 0
    dropped: int = 0
    #: The currency of its cash, set by the first movement: a demonstration may have several, a drawer only one.
    currency: str = ""
    #: The last blind count, and the expected amount.
    counted: int | None = None
    expected: int | None = None
    closed: bool = False


@dataclass(slots=True)
class TerminalMeters:
    """A terminal's counters, in cents except for the numbers of games."""

    #: Stakes that were sealed, and their returns, stakes included.
    turnover: int = 0
    returned: int = 0
    #: Sealed stakes that were returned because a round or its bets were void.
    refunded: int = 0
    games: int = 0
    #: Games with a winning bet when they were settled; corrections do not change it.
    games_won: int = 0
    #: How many notes of each value.
    notes: Counter[int] = field(default_factory=Counter)
    #: Cash taken at the cashier's desk.
    bought_in: int = 0
    tickets_in: int = 0
    tickets_out: int = 0
    #: Credits restored by voided tickets.
    tickets_back: int = 0
    hand_pays: int = 0
    #: Payments by the cashier to players of ended sessions after corrections.
    payables_paid: int = 0
    adjusted_in: int = 0
    adjusted_out: int = 0
    granted: int = 0

    @property
    def put_in(self) -> int:
        """The total added other than by play."""
        notes = sum(value * count for value, count in self.notes.items())
        return notes + self.bought_in + self.tickets_in + self.tickets_back + self.adjusted_in + self.granted

    @property
    def taken_out(self) -> int:
        """The total removed other than by play."""
        return self.tickets_out + self.hand_pays + self.payables_paid + self.adjusted_out

    def balance(self) -> int:
        """Compute the expected amount on the terminal from the meters: credits, stakes not yet sealed, and holds."""
        return self.put_in + self.returned + self.refunded - self.turnover - self.taken_out


@dataclass(slots=True)
class TableMeters:
    """A table's counters."""

    turnover: int = 0
    returned: int = 0
    #: Sealed stakes that were returned because a round, a spin or bets were void.
    refunded: int = 0
    rounds: int = 0
    voids: int = 0
    no_spins: int = 0
    #: Stakes of settled rounds; and, by the number of pockets on the wheel, the sum of their returns over all pockets
    #: and the scaled variance of the returns: `theory` computes with these.
    played: int = 0
    brings: Counter[int] = field(default_factory=Counter)
    spreads: Counter[int] = field(default_factory=Counter)

    @property
    def won(self) -> int:
        """The house's win at this table, including stakes that are sealed and not settled."""
        return self.turnover - self.returned - self.refunded
