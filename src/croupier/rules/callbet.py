"""Call bets: one name for several bets, placed whole or not at all."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from croupier.rules.clause import ClauseId
from croupier.rules.pocket import POCKETS, Pocket
from croupier.rules.spot import Kind, Spot, SpotKey
from croupier.rules.wheel import Wheel


class CallKind(StrEnum):
    """The ways a call names its bets."""

    #: A fixed list of spots, one piece on each; a spot listed twice gets two.
    PIECES = "pieces"
    #: A number and those beside it on the wheel, straight up, one piece on each.
    NEIGHBOURS = "neighbours"
    #: As neighbours, but one total under a marker button: a fifth is settled as a straight up on a hit.
    MARKER = "marker"
    #: Every number that ends in a digit, straight up.
    LAST_DIGIT = "last_digit"
    #: A number straight up with every split and corner of it, and with the zero trios where it has any.
    COMPLETE = "complete"


#: Names of calls that are known in the game, whether a venue offers them or not. A name that is neither here nor in the
#: venue's rulebook is no call at all.
GAME_CALLS: Final = frozenset(
    [
        "big-series",
        "black-splits",
        "complete",
        "final",
        "finale",
        "finales",
        "finals",
        "grand-series",
        "neighbors",
        "neighbours",
        "orphans",
        "orphelins",
        "red-snake",
        "red-splits",
        "small-series",
        "snake",
        "tiers",
        "voisins",
        "voisins-du-zero",
        "zero-spiel",
        "0-spiel",
    ]
)


@dataclass(frozen=True, slots=True)
class Reach:
    """How many neighbours on each side a call takes: the least, which is also the usual, and the most."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class CallBet:
    """A call that a venue offers: its name in the notation, the venue's own label, and how it names its bets."""

    name: str
    label: str
    kind: CallKind
    clause: ClauseId
    aliases: tuple[str, ...] = ()
    pieces: tuple[SpotKey, ...] = ()
    reach: Reach = Reach(0, 0)
    #: The clause on which numbers the call names, where it is another.
    naming: ClauseId | None = None

    @property
    def takes_number(self) -> bool:
        return self.kind is not CallKind.PIECES


@dataclass(frozen=True, slots=True)
class Called:
    """A call with its number and reach filled in, as somebody says it: ``neighbours 22 by 2``."""

    name: str
    number: str = ""
    reach: int | None = None

    def __str__(self) -> str:
        by = "" if self.reach is None else f" by {self.reach}"
        return f"{self.name} {self.number}".rstrip() + by


def pieces_of(call: CallBet, number: str, reach: int, wheel: Wheel, spots: Mapping[SpotKey, Spot]) -> Counter[Spot]:
    """Name the spots of a call, with how many pieces go on each."""
    match call.kind:
        case CallKind.PIECES:
            keys = list(call.pieces)
        case CallKind.NEIGHBOURS | CallKind.MARKER:
            keys = [SpotKey(near) for near in wheel.neighbours(Pocket(number), each_side=reach)]
        case CallKind.LAST_DIGIT:
            keys = [SpotKey(pocket) for pocket in POCKETS if pocket in wheel.order and pocket.endswith(number)]
        case CallKind.COMPLETE:
            return Counter(spot for spot in spots.values() if _in_complete(spot, Pocket(number)))
        case _:
            assert_never(call.kind)
    return Counter(spots[key] for key in keys)


def _in_complete(spot: Spot, number: Pocket) -> bool:
    """23.d: straight, splits and corners; of the streets only the exceptions, which are those with a zero in them."""
    if number not in spot.covers:
        return False
    if spot.kind is Kind.STREET:
        return not spot.covers.isdisjoint(POCKETS[:2])
    return spot.kind in (Kind.STRAIGHT, Kind.SPLIT, Kind.CORNER)


def arguments(call: CallBet, wheel: Wheel) -> tuple[str, ...]:
    """List what may follow the call's name: nothing, a digit, or a number of the wheel."""
    match call.kind:
        case CallKind.PIECES:
            return ("",)
        case CallKind.LAST_DIGIT:
            return tuple(str(digit) for digit in range(10))
        case CallKind.NEIGHBOURS | CallKind.MARKER | CallKind.COMPLETE:
            return tuple(pocket for pocket in POCKETS if pocket in wheel.order)
        case _:
            assert_never(call.kind)


def every_call(call: CallBet, wheel: Wheel) -> Iterator[Called]:
    """Say the call in every way it can be said; the reach is named only where there is a choice of it."""
    for argument in arguments(call, wheel):
        if call.reach.least == call.reach.most:
            yield Called(call.name, argument)
        else:
            for reach in range(call.reach.least, call.reach.most + 1):
                yield Called(call.name, argument, reach)


@dataclass(frozen=True, slots=True)
class NeighboursButton:
    """A button that spreads the last straight up over its neighbours, further at each press, and then raises it."""

    #: How many neighbours each side after the first press, the second, and so on.
    reach: tuple[int, ...]
    clause: ClauseId

    def spread(self, *, times: int) -> int:
        """Tell how many neighbours on each side have chips after so many presses."""
        return self.reach[min(times, len(self.reach)) - 1] if times else 0

    def press(self, wheel: Wheel, pocket: Pocket, *, times: int) -> dict[Pocket, int]:
        """Tell how many chips lie on each number after so many presses, the first chip counted."""
        assert times >= 0
        chips = max(1, times - len(self.reach) + 1)
        return dict.fromkeys(wheel.neighbours(pocket, each_side=self.spread(times=times)), chips)
