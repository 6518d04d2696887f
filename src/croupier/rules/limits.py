"""Limits: the least and most on a spot and in all, and what is said to a bet outside them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.rules.bet import Bet, stacks, staked
from croupier.rules.clause import ClauseId
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import Code, Refusal
from croupier.rules.spot import Kind, SpotKey


class UnderMinimum(StrEnum):
    """What becomes of a bet under the minimum."""

    REFUSE = "refuse"
    #: Shown in red while betting is open and given back at the close.
    RETURN_AT_CLOSE = "return_at_close"
    #: Settled once, its owner advised; from then on given back whatever the result.
    HONOUR_ONCE = "honour_once"


class OverMaximum(StrEnum):
    """What becomes of a bet over the maximum."""

    REFUSE = "refuse"
    #: Paid or collected up to the maximum, the rest given back.
    CAP = "cap"


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the most that may be staked; None where there is no bound."""

    least: Cents | None = None
    most: Cents | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on each spot, which a kind may have of its own, and on all the bets of a player together."""

    under_clause: ClauseId
    over_clause: ClauseId
    spot: Range = Range()
    kinds: Mapping[Kind, Range] = field(default_factory=dict)
    total: Range = Range()
    #: The clauses on the total, where they are others.
    total_under_clause: ClauseId | None = None
    total_over_clause: ClauseId | None = None

    def of(self, kind: Kind) -> Range:
        return self.kinds.get(kind, self.spot)


def limit_objections(bets: Iterable[Bet], limits: Limits) -> Iterator[Refusal]:
    """Say everything about these bets that the limits do not allow; what lies on one spot counts as one bet."""
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
    says = f"{amount_text(stake)} on {spot} is under the minimum of {amount_text(least)}."
    facts = {"spot": spot, "stake": stake, "minimum": least}
    return Refusal(Code.STAKE_UNDER_MINIMUM, limits.under_clause, says, facts)


def over_maximum(spot: SpotKey, stake: int, most: Cents, limits: Limits) -> Refusal:
    says = f"{amount_text(stake)} on {spot} is over the maximum of {amount_text(most)}."
    facts = {"spot": spot, "stake": stake, "maximum": most}
    return Refusal(Code.STAKE_OVER_MAXIMUM, limits.over_clause, says, facts)


def total_under_minimum(total: int, least: Cents, limits: Limits) -> Refusal:
    says = f"{amount_text(total)} in all is under the minimum total of {amount_text(least)}."
    clause = limits.total_under_clause or limits.under_clause
    return Refusal(Code.TOTAL_UNDER_MINIMUM, clause, says, {"total": total, "minimum": least})


def total_over_maximum(total: int, most: Cents, limits: Limits) -> Refusal:
    says = f"{amount_text(total)} in all is over the maximum total of {amount_text(most)}."
    clause = limits.total_over_clause or limits.over_clause
    return Refusal(Code.TOTAL_OVER_MAXIMUM, clause, says, {"total": total, "maximum": most})
