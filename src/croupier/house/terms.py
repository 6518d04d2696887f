"""Terms: the limits that hold for a game, from the operator's settings, the channel's clauses and the document."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from croupier.house.settings import Bounds, LimitSettings
from croupier.rules.limits import Limits, Range
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import Channel
from croupier.rules.rulebook import Rulebook
from croupier.rules.spot import Kind, SpotKey


@dataclass(frozen=True, slots=True)
class Terms:
    """A game's limits, with each spot's own bounds looked up beforehand."""

    limits: Limits
    ranges: dict[SpotKey, Range]


def terms_for(rulebook: Rulebook, channel: Channel, settings: LimitSettings) -> Terms:
    kinds = {kind: _range(bounds) for kind, bounds in settings.kinds}
    spot, total = _range(settings.spot), _range(settings.total)
    document = rulebook.limits
    if document is not None:
        kinds = {kind: _narrower(kinds.get(kind, spot), document.of(kind)) for kind in Kind}
        spot = _narrower(spot, document.spot)
        total = _narrower(total, document.total)
    limits = Limits(
        under_clause=channel.under_minimum.clause,
        over_clause=channel.over_maximum.clause,
        spot=spot,
        kinds=kinds,
        total=total,
        total_under_clause=channel.total_minimum,
        total_over_clause=channel.total_maximum,
    )
    return Terms(limits, {key: limits.of(each.kind) for key, each in rulebook.spots.items()})


#: A thousand million: what a full table then wins is still counted exactly wherever it is shown (2^53).
AMOUNT_MOST: Final = 100_000_000_000


class Misfit(NamedTuple):
    """A limit that cannot be kept: what it is a limit on, which of its bounds is wrong, and why."""

    on: str
    bound: Literal["least", "most"]
    words: str


def misfits(settings: LimitSettings) -> Iterator[Misfit]:
    """Say what is wrong with limits that cannot be kept."""
    named = {"spot": settings.spot, "total": settings.total}
    named |= {kind.value: bounds for kind, bounds in settings.kinds}
    for name, bounds in named.items():
        least, most = bounds.least or 0, bounds.most
        if least < 0 or (most is not None and most < max(least, 1)):
            words = f"The limits on {name} run from {least} to {most} cents, which nothing can keep."
            yield Misfit(name, "least" if least < 0 else "most", words)
        elif max(least, most or 0) > AMOUNT_MOST:
            words = f"The limits on {name} go beyond {amount_text(AMOUNT_MOST)}, which is more than is ever staked."
            yield Misfit(name, "least" if least > AMOUNT_MOST else "most", words)


def _range(bounds: Bounds) -> Range:
    return Range(bounds.least, bounds.most)


def _narrower(one: Range, other: Range) -> Range:
    leasts = [each.least for each in (one, other) if each.least is not None]
    mosts = [each.most for each in (one, other) if each.most is not None]
    return Range(Cents(max(leasts)) if leasts else None, Cents(min(mosts)) if mosts else None)
