"""Call bets and marker bets."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, assert_never

from croupier.rules.geometry import BlockSpot, Geometry, Pocket, Spot, SpotKey, Wheel, in_order
from croupier.rules.money import Cents, amount_text
from croupier.rules.procedure import CitedNumber
from croupier.rules.refusal import ClauseId, Code, Refusal


class CallKind(StrEnum):
    """The ways a call names its bets."""

    #: A fixed list of spots, one piece on each; a spot listed twice gets two.
    PIECES = "pieces"
    #: A number and its neighbours on the wheel, straight up, one piece on each.
    NEIGHBOURS = "neighbours"
    #: As neighbours, but one total under a marker button: a hit settles one fifth as a straight up.
    MARKER = "marker"
    #: Every number that ends in a digit, straight up.
    LAST_DIGIT = "last_digit"
    #: A number straight up with all its splits and corners, and with its zero trios if it has any.
    COMPLETE = "complete"
    #: A list of spots for each number that may be said after the name, such as the finals on splits.
    CHOICES = "choices"


#: Names of calls that exist in the game, whether or not a venue offers them. A name that is neither here nor in the
#: venue's rulebook is not a call.
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
    """How many neighbours on each side a call takes: the minimum, which is also the default, and the maximum."""

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
    #: The clause that defines the numbers of the call, if it is a different one.
    naming: ClauseId | None = None
    #: For a marker bet, its minimum in multiples of the table minimum.
    minimum: CitedNumber | None = None
    #: For choices: what may be said after the name, each with its list of spots.
    choices: Mapping[str, tuple[SpotKey, ...]] = field(default_factory=dict)

    @property
    def takes_number(self) -> bool:
        return self.kind is not CallKind.PIECES


@dataclass(frozen=True, slots=True)
class CallSelection:
    """A call with its number and reach, as spoken: ``neighbours 22 by 2``."""

    name: str
    number: str = ""
    reach: int | None = None

    def __str__(self) -> str:
        by = "" if self.reach is None else f" by {self.reach}"
        return f"{self.name} {self.number}".rstrip() + by


def call_pieces(call: CallBet, number: str, reach: int, wheel: Wheel, spots: Mapping[SpotKey, Spot]) -> Counter[Spot]:
    """List the spots of a call, with the number of pieces on each."""
    match call.kind:
        case CallKind.PIECES:
            keys = list(call.pieces)
        case CallKind.NEIGHBOURS | CallKind.MARKER:
            keys = [SpotKey(near) for near in wheel.neighbours(Pocket(number), each_side=reach)]
        case CallKind.LAST_DIGIT:
            keys = [SpotKey(pocket) for pocket in in_order(wheel.order) if pocket.endswith(number)]
        case CallKind.COMPLETE:
            # 23.d: the straight up, splits and corners; of the streets only those that meet at a zero.
            return Counter(
                spot
                for spot in spots.values()
                if Pocket(number) in spot.covers and spot.at in (Geometry.CELL, Geometry.EDGE, Geometry.POINT)
            )
        case CallKind.CHOICES:
            keys = list(call.choices[number])
        case _:
            assert_never(call.kind)
    return Counter(spots[key] for key in keys)


def arguments(call: CallBet, wheel: Wheel) -> tuple[str, ...]:
    """List what may follow the call's name: nothing, a digit, or a number of the wheel."""
    match call.kind:
        case CallKind.PIECES:
            return ("",)
        case CallKind.LAST_DIGIT:
            return tuple(str(digit) for digit in range(10))
        case CallKind.CHOICES:
            return tuple(call.choices)
        case CallKind.NEIGHBOURS | CallKind.MARKER | CallKind.COMPLETE:
            return in_order(wheel.order)
        case _:
            assert_never(call.kind)


def every_call(call: CallBet, wheel: Wheel) -> Iterator[CallSelection]:
    """List every form of the call; the reach is named only if there is a choice."""
    for argument in arguments(call, wheel):
        if call.reach.least == call.reach.most:
            yield CallSelection(call.name, argument)
        else:
            for reach in range(call.reach.least, call.reach.most + 1):
                yield CallSelection(call.name, argument, reach)


def block_spots(calls: Iterable[CallBet], wheel: Wheel) -> Iterator[BlockSpot]:
    """List the places on the block: one for each number under each marker button of the venue."""
    for call in calls:
        if call.kind is CallKind.MARKER:
            for number in map(Pocket, arguments(call, wheel)):
                key = SpotKey(str(CallSelection(call.name, number)))
                yield BlockSpot(key, number, wheel.neighbours(number, each_side=call.reach.least))


@dataclass(frozen=True, slots=True)
class NeighboursButton:
    """A button that spreads the last straight up over its neighbours, further at each press, and then raises it."""

    #: The number of neighbours on each side after the first press, the second, and so on.
    reach: tuple[int, ...]
    clause: ClauseId

    def spread(self, *, times: int) -> int:
        """Return the number of neighbours on each side with chips after some presses."""
        return self.reach[min(times, len(self.reach)) - 1] if times else 0

    def press(self, wheel: Wheel, pocket: Pocket, *, times: int) -> dict[Pocket, int]:
        """Return the number of chips on each number after some presses, including the first chip."""
        assert times >= 0
        chips = max(1, times - len(self.reach) + 1)
        return dict.fromkeys(wheel.neighbours(pocket, each_side=self.spread(times=times)), chips)


#: A number and two neighbours on either side: the divisor of the total.
NUMBERS_UNDER_MARKER = 5


@dataclass(frozen=True, slots=True)
class MarkerLimits:
    """A table's limits for marker bets, as its settings and its notice state them; None means no bound."""

    table_minimum: Cents
    #: The unit on the notice, instead of the multiple of the table minimum.
    unit: Cents | None = None
    #: The most marker bets on one primary number in a spin, and on all of them together.
    per_number: int | None = None
    per_spin: int | None = None
    #: True if only designated players may use marker buttons.
    designated_only: bool = False


@dataclass(frozen=True, slots=True)
class MarkerUse:
    """The marker bets already on the block in this spin, and whether this player was designated."""

    on_number: int = 0
    in_spin: int = 0
    designated: bool = False


def indivisible(total: Cents, clause: ClauseId) -> Refusal | None:
    """Refuse a total whose fifth is not a whole number of cents: it cannot be paid exactly."""
    if total % NUMBERS_UNDER_MARKER == 0:
        return None
    message = f"A marker bet of {amount_text(total)} has no fifth in whole cents: bet a multiple of 0.05."
    return Refusal(Code.MARKER_TOTAL_INDIVISIBLE, clause, message, {"total": total, "multiple": NUMBERS_UNDER_MARKER})


def marker_objection(call: CallBet, total: Cents, limits: MarkerLimits, use: MarkerUse) -> Refusal | None:
    """Refuse a further marker bet if the call or the table's limits do not permit it."""
    assert call.minimum is not None, call
    least, clause = limits.unit or Cents(call.minimum.value * limits.table_minimum), call.minimum.clause
    fifths = indivisible(total, call.clause)
    if fifths is not None:
        return fifths
    if limits.designated_only and not use.designated:
        message = "Only designated players may use marker buttons at this table."
        return Refusal(Code.MARKER_NOT_DESIGNATED, clause, message)
    if total < least:
        message = f"A marker bet of {amount_text(total)} is under the minimum of {amount_text(least)}."
        return Refusal(Code.MARKER_UNDER_MINIMUM, clause, message, {"total": total, "minimum": least})
    if limits.per_number is not None and use.on_number >= limits.per_number:
        message = f"This number already carries its {limits.per_number} marker bets for this spin."
        facts = {"placed": use.on_number, "maximum": limits.per_number}
        return Refusal(Code.MARKER_BETS_PER_NUMBER, clause, message, facts)
    if limits.per_spin is not None and use.in_spin >= limits.per_spin:
        message = f"The block already carries its {limits.per_spin} marker bets for this spin."
        facts = {"placed": use.in_spin, "maximum": limits.per_spin}
        return Refusal(Code.MARKER_BETS_PER_SPIN, clause, message, facts)
    return None
