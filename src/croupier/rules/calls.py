"""Call bets and marker bets."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from croupier.rules.geometry import POCKETS, Pocket, Spot, SpotKey, SpotKind, Wheel
from croupier.rules.money import Cents, amount_text
from croupier.rules.refusal import ClauseId, Code, Refusal


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
class CallSelection:
    """A call with its number and reach filled in, as somebody says it: ``neighbours 22 by 2``."""

    name: str
    number: str = ""
    reach: int | None = None

    def __str__(self) -> str:
        by = "" if self.reach is None else f" by {self.reach}"
        return f"{self.name} {self.number}".rstrip() + by


def call_pieces(call: CallBet, number: str, reach: int, wheel: Wheel, spots: Mapping[SpotKey, Spot]) -> Counter[Spot]:
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
    if spot.kind is SpotKind.STREET:
        return not spot.covers.isdisjoint(POCKETS[:2])
    return spot.kind in (SpotKind.STRAIGHT, SpotKind.SPLIT, SpotKind.CORNER)


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


def every_call(call: CallBet, wheel: Wheel) -> Iterator[CallSelection]:
    """Say the call in every way it can be said; the reach is named only where there is a choice of it."""
    for argument in arguments(call, wheel):
        if call.reach.least == call.reach.most:
            yield CallSelection(call.name, argument)
        else:
            for reach in range(call.reach.least, call.reach.most + 1):
                yield CallSelection(call.name, argument, reach)


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


#: A number and two on either side: the total is divided by as many.
NUMBERS_UNDER_MARKER = 5


@dataclass(frozen=True, slots=True)
class MarkerTerms:
    """A table's terms for marker bets: how many on one number in a spin, and the unit the notice names, if it does."""

    clause: ClauseId
    #: The clause on how a marker bet is settled, by fifths.
    settled_by: ClauseId
    table_minimum: Cents
    notice_minimum: Cents | None = None
    per_number_most: int | None = None

    @property
    def least(self) -> Cents:
        """12(a): five times the table minimum, or the unit that the notice names instead."""
        return self.notice_minimum or Cents(NUMBERS_UNDER_MARKER * self.table_minimum)


def indivisible(total: Cents, clause: ClauseId) -> Refusal | None:
    """Refuse a total whose fifth is not a whole number of cents: it could not be paid exactly."""
    if total % NUMBERS_UNDER_MARKER == 0:
        return None
    message = f"A marker bet of {amount_text(total)} has no fifth in whole cents: bet a multiple of 0.05."
    return Refusal(Code.MARKER_TOTAL_INDIVISIBLE, clause, message, {"total": total, "multiple": NUMBERS_UNDER_MARKER})


def marker_objection(total: Cents, *, already_on_number: int, terms: MarkerTerms) -> Refusal | None:
    """Say what a table's terms have against one more marker bet on a number that carries some already this spin."""
    fifths = indivisible(total, terms.settled_by)
    if fifths is not None:
        return fifths
    if total < terms.least:
        message = f"A marker bet of {amount_text(total)} is under the minimum of {amount_text(terms.least)}."
        return Refusal(Code.MARKER_UNDER_MINIMUM, terms.clause, message, {"total": total, "minimum": terms.least})
    if terms.per_number_most is not None and already_on_number >= terms.per_number_most:
        message = f"This number already carries its {terms.per_number_most} marker bets for this spin."
        facts = {"placed": already_on_number, "maximum": terms.per_number_most}
        return Refusal(Code.MARKER_BETS_PER_NUMBER, terms.clause, message, facts)
    return None
