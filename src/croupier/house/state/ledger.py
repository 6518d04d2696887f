"""Ledger accounts and meters."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import msgspec


class LedgerAccount(StrEnum):
    """An account of the ledger. An account that money comes from has a negative balance; all balances sum to zero."""

    #: Free credits on all terminals.
    CREDIT = "credit"
    #: Stakes on all layouts.
    STAKES = "stakes"
    #: Stakes that outlived their round: in prison, or of a bet on two spins in a row.
    IMPRISONED = "imprisoned"
    #: The pots of progressive bets, and what is set aside for those that begin next: negative if the house advanced it.
    PROGRESSIVE = "progressive"
    RESERVE = "reserve"
    #: Stakes whose bets are in question.
    SUSPENSE = "suspense"
    #: The win or loss of the games.
    HOUSE = "house"
    #: Wins that await a tax form.
    HELD = "held"
    #: Outstanding slips and tickets.
    TICKETS = "tickets"
    #: What is owed to other venues on balance: for tickets transferred, and for what was added to pots that they keep.
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


class PotReport(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a venue that does not keep a shared pot has added to it and won, in total, and its last win or loss."""

    number: int = 0
    #: To the pot, and to its reserve.
    grown: int = 0
    reserved: int = 0
    paid: int = 0
    #: How often the pot had been won before the round, and what that played for.
    wins: int = 0
    whole: int = 0
    #: How many times the round wins the pot now, less how many times it did before: 1, 0 or -1.
    won: int = 0

    @property
    def net(self) -> int:
        return self.grown + self.reserved - self.paid


class PotStatement(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What the keeper of a shared pot says of it to another venue, and which of its reports it has applied."""

    number: int = 0
    amount: int = 0
    wins: int = 0
    applied: PotReport = PotReport()
    #: The pot must be won at that venue.
    due: bool = False


@dataclass(slots=True)
class PotShare:
    """A pot that venues share: which of them keeps it, and what they have reported to each other."""

    keeper: str
    is_kept: bool
    #: At its keeper: the last report of each venue, how often the pot has changed, and where it must be won: None while
    #: it need not be, and empty for the keeper itself.
    applied: dict[str, PotReport] = field(default_factory=dict)
    changes: int = 0
    due_at: str | None = None
    #: Elsewhere: the last report, those with a win or a loss that the keeper has not applied, and its last statement.
    last: PotReport = field(default_factory=PotReport)
    reports: list[PotReport] = field(default_factory=list)
    stated: PotStatement = field(default_factory=PotStatement)


@dataclass(slots=True)
class Pot:
    """The pot of a progressive bet, what is set aside for the next one, and how often it was won."""

    amount: int
    reserve: int
    wins: int = 0
    #: Only if other venues play for it too.
    share: PotShare | None = None

    @property
    def is_kept(self) -> bool:
        """Whether its money is in the books of this venue."""
        return self.share is None or self.share.is_kept

    @property
    def shared(self) -> PotShare:
        """How it is shared; only for code that no pot of a single venue reaches."""
        assert self.share is not None
        return self.share


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
    notes: dict[int, int] = field(default_factory=dict)
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
    #: Stakes of settled rounds that are carried to the next spin: neither won nor lost yet.
    carried: int = 0
    #: What settled rounds added to the pot of a progressive bet and its reserve, less what these paid.
    contributed: int = 0
    rounds: int = 0
    voids: int = 0
    no_spins: int = 0
    #: Stakes of settled rounds; and, by the number of pockets on the wheel, the sum of their returns over all pockets
    #: and the scaled variance of the returns: `theory` computes with these.
    played: int = 0
    brings: dict[int, int] = field(default_factory=dict)
    spreads: dict[int, int] = field(default_factory=dict)

    @property
    def won(self) -> int:
        """The house's win at this table, including stakes that are sealed and not settled."""
        return self.turnover - self.returned - self.refunded - self.carried
