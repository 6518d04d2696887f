"""The books: double entry in whole cents, where every posting takes from one account what it gives another."""

from dataclasses import dataclass, field
from enum import StrEnum


class Account(StrEnum):
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
class Books:
    """The balance of every account."""

    balances: dict[Account, int] = field(default_factory=lambda: dict.fromkeys(Account, 0))

    def move(self, amount: int, *, source: Account, target: Account) -> None:
        """Post an amount from one account to another; below nothing it goes the other way."""
        balances = self.balances
        balances[source] -= amount
        balances[target] += amount

    def __getitem__(self, account: Account) -> int:
        return self.balances[account]
