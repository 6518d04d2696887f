"""Ledger accounts, meters, tickets and drawers."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.house.ids import Day, DrawerId, Instant, Number, PersonId, TerminalId
from croupier.rules.procedure import CreditOut


class LedgerAccount(StrEnum):
    """What money stands under. An account that money comes from stands below nothing, and all together are nil."""

    #: Free credits on all terminals.
    CREDIT = "credit"
    #: Stakes on all layouts.
    STAKES = "stakes"
    #: Stakes whose bets are in question.
    SUSPENSE = "suspense"
    #: What the games have won or lost.
    HOUSE = "house"
    #: Wins that await a tax form.
    HELD = "held"
    #: Slips and tickets that are out.
    TICKETS = "tickets"
    #: Slips and tickets that nobody redeemed in time.
    UNCLAIMED = "unclaimed"
    #: Notes in the terminals' boxes.
    NOTES = "notes"
    #: Cash in drawers, and where it comes from and goes to.
    DRAWERS = "drawers"
    VAULT = "vault"
    #: What blind counts found missing or too much.
    DIFFERENCES = "differences"
    #: Currency paid out by the terminals themselves.
    DISPENSED = "dispensed"
    #: What players owe after a correction that their credits did not cover.
    RECEIVABLES = "receivables"
    #: What corrections brought players whose sessions had ended, until the cashier pays it.
    PAYABLES = "payables"
    ADJUSTMENTS = "adjustments"
    PLAY_MONEY = "play_money"


@dataclass(slots=True)
class Ledger:
    """The balance of every account."""

    balances: dict[LedgerAccount, int] = field(default_factory=lambda: dict.fromkeys(LedgerAccount, 0))

    def post(self, amount: int, *, source: LedgerAccount, target: LedgerAccount) -> None:
        """Post an amount from one account to another; below nothing it goes the other way."""
        balances = self.balances
        balances[source] -= amount
        balances[target] += amount

    def __getitem__(self, account: LedgerAccount) -> int:
        return self.balances[account]


class TicketState(StrEnum):
    """Where a slip or ticket stands."""

    ISSUED = "issued"
    PRINTED = "printed"
    REDEEMED = "redeemed"
    VOID = "void"
    EXPIRED = "expired"


@dataclass(slots=True)
class Ticket:
    """A slip or ticket; its number is known by digest and last four digits alone."""

    sequence: Number
    terminal: TerminalId
    form: CreditOut
    amount: int
    digest: str
    last_four: str
    issued_at: Instant
    day: Day
    #: Who collected it for the player, where the terminal could not: staff handed it over, and no terminal printed it.
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

    @property
    def payable(self) -> bool:
        return self.state in (TicketState.ISSUED, TicketState.PRINTED)


@dataclass(slots=True)
class Drawer:
    """A cashier's drawer: what it began with, and what went in and out."""

    id: DrawerId
    cashier: PersonId
    float_: int
    opened_at: Instant
    cash: int
    paid_out: int = 0
    taken_in: int = 0
    #: What is in it, since it first moved: where a demonstration has several currencies, no drawer has two.
    currency: str = ""
    #: The last blind count, and what should have been there.
    counted: int | None = None
    expected: int | None = None
    closed: bool = False


@dataclass(slots=True)
class TerminalMeters:
    """A terminal's counters, in cents but for the games."""

    #: Stakes that were sealed, and what came back for them, stakes included.
    turnover: int = 0
    returned: int = 0
    #: Sealed stakes that went back because a round or its bets were void.
    refunded: int = 0
    games: int = 0
    #: How many notes of each value.
    notes: Counter[int] = field(default_factory=Counter)
    #: Cash that was taken at the cashier's.
    bought_in: int = 0
    tickets_in: int = 0
    tickets_out: int = 0
    #: What tickets that were voided gave back.
    tickets_back: int = 0
    hand_pays: int = 0
    #: What the cashier paid to players of ended sessions after corrections.
    payables_paid: int = 0
    adjusted_in: int = 0
    adjusted_out: int = 0
    granted: int = 0

    @property
    def put_in(self) -> int:
        """What has come in otherwise than by play."""
        notes = sum(value * count for value, count in self.notes.items())
        return notes + self.bought_in + self.tickets_in + self.tickets_back + self.adjusted_in + self.granted

    @property
    def taken_out(self) -> int:
        """What has gone out otherwise than by play."""
        return self.tickets_out + self.hand_pays + self.payables_paid + self.adjusted_out

    def balance(self) -> int:
        """Tell what the meters say must be on the terminal: credits, stakes not yet sealed, and holds."""
        return self.put_in + self.returned + self.refunded - self.turnover - self.taken_out


@dataclass(slots=True)
class TableMeters:
    """A table's counters."""

    turnover: int = 0
    returned: int = 0
    #: Sealed stakes that went back because a round, a spin or bets were void.
    refunded: int = 0
    rounds: int = 0
    voids: int = 0
    no_spins: int = 0
    #: Stakes of settled rounds; and, by the number of pockets on the wheel, what they would bring back on all pockets
    #: together and how far that lies apart: `theory` reckons with these.
    played: int = 0
    brings: Counter[int] = field(default_factory=Counter)
    spreads: Counter[int] = field(default_factory=Counter)

    @property
    def won(self) -> int:
        """What the house has won here, stakes that are sealed and not settled counted in."""
        return self.turnover - self.returned - self.refunded
