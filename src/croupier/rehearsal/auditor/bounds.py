"""Bounds: the least and the most on every spot and in all, from the operator's settings and the document."""

from dataclasses import dataclass

from croupier.house.settings import LimitSettings
from croupier.rehearsal.auditor.felt import Felt
from croupier.rules.spot import SpotKey


@dataclass(frozen=True, slots=True)
class Bounds:
    """What may lie on each spot and on all together; nothing and no end where there is no bound."""

    spots: dict[SpotKey, tuple[int, int]]
    total: tuple[int, int]


#: More than any stake.
NO_END = 10**18


def bounds_of(felt: Felt, settings: LimitSettings) -> Bounds:
    """Work out a game's bounds: of the operator's and the document's, the narrower."""
    document, kinds = felt.rulebook.limits, dict(settings.kinds)
    spots = {}
    for spot, kind in felt.kinds.items():
        own = kinds.get(kind, settings.spot)
        fixed = None if document is None else document.kinds.get(kind, document.spot)
        spots[spot] = _narrower(own, fixed)
    return Bounds(spots, _narrower(settings.total, None if document is None else document.total))


def _narrower(*ranges: object) -> tuple[int, int]:
    """Take the highest least and the lowest most of what is given; each may be missing."""
    leasts = [getattr(each, "least", None) or 0 for each in ranges]
    mosts = [most for each in ranges if (most := getattr(each, "most", None)) is not None]
    return max(leasts), min(mosts, default=NO_END)
