"""Paytables: what each kind of bet pays, to one, and the clauses that price and place it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from croupier.rules.clause import ClauseId
from croupier.rules.pocket import NUMBERS, Pocket
from croupier.rules.spot import Kind


@dataclass(frozen=True, slots=True)
class Price:
    """One line of the notice: the venue's name for a kind, its odds to one, and the clauses behind it."""

    label: str
    pays: int
    clause: ClauseId
    #: The clause that says where on the layout such a bet stands.
    placement: ClauseId
    #: The clause on such bets with a zero in them, where they have one of their own.
    zero_placement: ClauseId | None = None

    def placed_by(self, numbers: Iterable[Pocket]) -> ClauseId:
        """Name the clause on where a bet on these numbers would stand."""
        with_zero = any(number not in NUMBERS for number in numbers)
        return self.zero_placement if with_zero and self.zero_placement else self.placement

    @property
    def gross(self) -> int:
        """What one unit brings back when it wins: the winnings and the unit itself."""
        return self.pays + 1


@dataclass(frozen=True, slots=True)
class ZeroRule:
    """A clause on what loses when the ball rests in a zero; it may speak of some kinds of bet alone."""

    pocket: Pocket
    clause: ClauseId
    kinds: tuple[Kind, ...] = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Paytable:
    """The notice as a whole. A kind without a line cannot be bet."""

    clause: ClauseId
    prices: Mapping[Kind, Price]
    zeros: tuple[ZeroRule, ...] = ()

    def reason(self, kind: Kind, pocket: Pocket, *, won: bool) -> ClauseId:
        """Name the clause behind a bet's result: its price, or for a loss on a zero the zero's own clause."""
        price = self.prices[kind].clause
        if won:
            return price
        return next((zero.clause for zero in self.zeros if zero.pocket == pocket and kind in zero.kinds), price)
