"""Takings: what was staked and returned in a time, what the house won of it, and its hold."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Takings:
    """A table's counters over a time, in cents but for the rounds."""

    rounds: int = 0
    voids: int = 0
    no_spins: int = 0
    turnover: int = 0
    returned: int = 0
    refunded: int = 0

    @property
    def won(self) -> int:
        """What the house has won, as the table's meters count it."""
        return self.turnover - self.returned - self.refunded

    @property
    def hold(self) -> Fraction | None:
        """What the house won of what was at risk; stakes that went back were not."""
        risked = self.turnover - self.refunded
        return Fraction(self.won, risked) if risked else None


def together(takings: Iterable[Takings]) -> Takings:
    """Add takings up."""
    each = tuple(takings)
    return Takings(
        rounds=sum(one.rounds for one in each),
        voids=sum(one.voids for one in each),
        no_spins=sum(one.no_spins for one in each),
        turnover=sum(one.turnover for one in each),
        returned=sum(one.returned for one in each),
        refunded=sum(one.refunded for one in each),
    )


def percent(share: Fraction | None) -> str:
    """Write a share in hundredths of a percent; a dash where there is none."""
    if share is None:
        return "-"
    hundredths = round(abs(share) * 10_000)
    return f"{'-' if share < 0 and hundredths else ''}{hundredths // 100}.{hundredths % 100:02} %"
