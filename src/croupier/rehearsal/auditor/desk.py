"""The cash desk: tickets that are out, drawers, and plain tallies of the money that came and went."""

from collections import Counter
from dataclasses import dataclass, field

from croupier.house.name import Day, DrawerId, Number, PersonId, TerminalId
from croupier.rules.procedure import CreditOut


@dataclass(slots=True)
class Ticket:
    """One slip or ticket; its state in the house's words."""

    seat: TerminalId
    form: CreditOut
    amount: int
    digest: str
    day: Day
    by_staff: bool = False
    state: str = "issued"
    lost: bool = False
    #: It may have been paid in a part of the journal that is lost.
    frozen: bool = False

    @property
    def payable(self) -> bool:
        return self.state in ("issued", "printed")


@dataclass(slots=True)
class Drawer:
    """One drawer: who has it, what it began with, what was paid from it and what was taken into it."""

    cashier: PersonId
    float_: int
    paid_out: int = 0
    taken_in: int = 0
    counted: int | None = None
    out: bool = True

    @property
    def cash(self) -> int:
        """I6: the float less what was paid, and what was taken; nothing once it was handed in."""
        return self.float_ - self.paid_out + self.taken_in if self.out else 0


@dataclass(slots=True)
class Desk:
    """All paper and cash."""

    tickets: dict[Number, Ticket] = field(default_factory=dict)
    numbers: dict[str, Number] = field(default_factory=dict)
    #: Numbers that may be on paper although the journal does not have them.
    skipped: int = 0
    drawers: dict[DrawerId, Drawer] = field(default_factory=dict)
    #: Money by the house's names of accounts: vault, differences, dispensed, adjustments, play money and notes.
    tally: Counter[str] = field(default_factory=Counter)

    def find(self, digest: str) -> Ticket | None:
        number = self.numbers.get(digest)
        return None if number is None else self.tickets[number]

    def worth(self, *states: str) -> int:
        return sum(ticket.amount for ticket in self.tickets.values() if ticket.state in states)

    def hand_out(self, name: DrawerId, cashier: PersonId, float_: int) -> None:
        self.drawers[name] = Drawer(cashier, float_)
        self.tally["vault"] += float_

    def pay(self, name: DrawerId, amount: int) -> None:
        """Pay from a drawer, whose last count is then out of date."""
        drawer = self.drawers[name]
        drawer.paid_out += amount
        drawer.counted = None

    def take(self, name: DrawerId, amount: int) -> None:
        """Take into a drawer, whose last count is then out of date."""
        drawer = self.drawers[name]
        drawer.taken_in += amount
        drawer.counted = None

    def hand_in(self, name: DrawerId) -> None:
        """Put what was counted into the vault, and note what was missing or too much."""
        drawer = self.drawers[name]
        assert drawer.counted is not None
        self.tally["vault"] -= drawer.counted
        self.tally["differences"] += drawer.counted - drawer.cash
        drawer.out = False
