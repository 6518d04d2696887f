"""Stake limits and the risk check."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.rules.geometry import SpotKey, SpotKind
from croupier.rules.money import Cents, amount_text
from croupier.rules.pricing import Bet, Exposure, stacks, staked
from croupier.rules.refusal import ClauseId, Code, Refusal


class UnderMinimum(StrEnum):
    """The treatment of a bet below the minimum."""

    REFUSE = "refuse"
    #: Shown in red while betting is open and returned at the close.
    RETURN_AT_CLOSE = "return_at_close"
    #: Settled once, and its owner advised; later such bets are returned whatever the result.
    HONOUR_ONCE = "honour_once"


class OverMaximum(StrEnum):
    """The treatment of a bet above the maximum."""

    REFUSE = "refuse"
    #: Paid or collected up to the maximum; the rest is returned.
    CAP = "cap"


@dataclass(frozen=True, slots=True)
class Range:
    """The minimum and maximum stake; None means no bound."""

    least: Cents | None = None
    most: Cents | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on each spot, which a kind may override, and on all bets of a player together."""

    under_clause: ClauseId
    over_clause: ClauseId
    spot: Range = Range()
    kinds: Mapping[SpotKind, Range] = field(default_factory=dict)
    total: Range = Range()
    #: The clauses on the total, if they are different.
    total_under_clause: ClauseId | None = None
    total_over_clause: ClauseId | None = None

    def of(self, kind: SpotKind) -> Range:
        return self.kinds.get(kind, self.spot)

    @property
    def headline(self) -> Range:
        """The range that is shown first: the general one, and for a bound that it lacks the widest of the kinds."""
        least, most = ([getattr(each, name) for each in self.kinds.values()] for name in ("least", "most"))
        return Range(
            min(filter(None, least), default=None) if self.spot.least is None else self.spot.least,
            max(filter(None, most), default=None) if self.spot.most is None else self.spot.most,
        )


def limit_objections(bets: Iterable[Bet], limits: Limits) -> Iterator[Refusal]:
    """List every breach of the limits by these bets; all stakes on one spot count as one bet."""
    bets = tuple(bets)
    for spot, stake in stacks(bet for bet in bets if not bet.under_marker).items():
        least = limits.of(spot.kind).least
        if least is not None and stake < least:
            yield under_minimum(spot.key, stake, least, limits)
    for spot, stake in stacks(bets).items():
        most = limits.of(spot.kind).most
        if most is not None and stake > most:
            yield over_maximum(spot.key, stake, most, limits)
    total, least, most = staked(bets), limits.total.least, limits.total.most
    if least is not None and total < least:
        yield total_under_minimum(total, least, limits)
    if most is not None and total > most:
        yield total_over_maximum(total, most, limits)


def under_minimum(spot: SpotKey, stake: int, least: Cents, limits: Limits) -> Refusal:
    message = f"{amount_text(stake)} on {spot} is under the minimum of {amount_text(least)}."
    facts = {"spot": spot, "stake": stake, "minimum": least}
    return Refusal(Code.STAKE_UNDER_MINIMUM, limits.under_clause, message, facts)


def over_maximum(spot: SpotKey, stake: int, most: Cents, limits: Limits) -> Refusal:
    message = f"{amount_text(stake)} on {spot} is over the maximum of {amount_text(most)}."
    facts = {"spot": spot, "stake": stake, "maximum": most}
    return Refusal(Code.STAKE_OVER_MAXIMUM, limits.over_clause, message, facts)


def total_under_minimum(total: int, least: Cents, limits: Limits) -> Refusal:
    message = f"{amount_text(total)} in all is under the minimum total of {amount_text(least)}."
    clause = limits.total_under_clause or limits.under_clause
    return Refusal(Code.TOTAL_UNDER_MINIMUM, clause, message, {"total": total, "minimum": least})


def total_over_maximum(total: int, most: Cents, limits: Limits) -> Refusal:
    message = f"{amount_text(total)} in all is over the maximum total of {amount_text(most)}."
    clause = limits.total_over_clause or limits.over_clause
    return Refusal(Code.TOTAL_OVER_MAXIMUM, clause, message, {"total": total, "maximum": most})


PERCENT = 100


@dataclass(frozen=True, slots=True)
class RiskCheck:
    """The margin of the best outcome above the total bet: a percentage of it, and at least one credit."""

    percent: int
    clause: ClauseId
    message: str
    #: The warning about bets already on the layout, which must be changed or removed before the close.
    warning: str
    warning_clause: ClauseId

    def threshold(self, total: int, *, credit: int) -> int:
        """Compute the minimum margin, in whole credits and rounded up: max(1 credit, percent of the total)."""
        credits_needed = -(-total * self.percent // (PERCENT * credit))
        return credits_needed * credit if credits_needed > 1 else credit

    def objection(self, exposure: Exposure, *, credit: Cents) -> Refusal | None:
        margin = exposure.best - exposure.staked
        threshold = self.threshold(exposure.staked, credit=credit)
        if exposure.staked == 0 or margin >= threshold:
            return None
        message = (
            f"{self.message}: the best outcome is {amount_text(margin)} above the total bet of "
            f"{amount_text(exposure.staked)}, and {amount_text(threshold)} is needed."
        )
        facts = {"margin": margin, "threshold": threshold, "staked": exposure.staked, "message": self.message}
        return Refusal(Code.TOO_LITTLE_RISK, self.clause, message, facts)
