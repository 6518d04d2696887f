"""Drills for dealers: pictures of winning bets, made from a seed, with the payout worked out.

The command line and the trainer page use them. `make_drill` gives the same drill for the same rulebook, level and
seed, and takes every figure of its answer from `plan_payout`.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar, assert_never

from croupier.rules.calls import NUMBERS_UNDER_MARKER
from croupier.rules.geometry import Geometry, Pocket, SpotKey
from croupier.rules.limits import Limits
from croupier.rules.money import Cents
from croupier.rules.payouts import ChipId, ChipStakes, Payment, PayoutTerms, plan_payout
from croupier.rules.rulebook import PayoutTable, Rulebook

Item = TypeVar("Item")


class Level(StrEnum):
    """The levels, from the easiest."""

    #: One bet around the number.
    SINGLES = "singles"
    #: Several bets around the number.
    PICTURE = "picture"
    #: The same with marker bets on the block.
    NEIGHBOURS = "neighbours"
    #: A picture, to be cut into stacks.
    STACKS = "stacks"
    #: A picture, to be paid as an amount of money.
    AMOUNT = "amount"


class Question(StrEnum):
    """What a drill asks for."""

    PIECES = "pieces"
    #: Full stacks of twenty, and the rest.
    STACKS = "stacks"
    #: The amount in cents.
    AMOUNT = "amount"


@dataclass(frozen=True, slots=True)
class Drill:
    """One drill: a number, a player's chips that win on it, and the payment."""

    level: Level
    seed: int
    pocket: Pocket
    chip: ChipId
    value: Cents
    #: Pieces by spot, of the layout and of the block.
    pieces: Mapping[SpotKey, int]
    payment: Payment
    question: Question
    #: One figure, or the stacks and the rest.
    answer: tuple[int, ...]


#: The colours of a table, and the values that a player may declare.
COLOURS: Final = tuple(map(ChipId, ("blue", "yellow", "pink", "violet", "orange", "sky", "brown", "lime")))
VALUES: Final = tuple(map(Cents, (1_00, 2_00, 5_00, 10_00, 25_00)))
#: The value chips of the float.
DENOMINATIONS: Final = tuple(map(Cents, (1_00, 5_00, 25_00, 100_00, 500_00, 1_000_00)))
#: The largest seed.
SEED_MAX: Final = 2**31 - 1
#: The most pieces of a single bet, of a bet of a picture, and of a fifth of a marker bet.
_SINGLE, _PICTURE, _FIFTH = 12, 3, 3

_QUESTIONS: Final = {Level.STACKS: Question.STACKS, Level.AMOUNT: Question.AMOUNT}


def levels_of(rulebook: Rulebook) -> tuple[Level, ...]:
    """List the levels that a rulebook has drills for; none if it pays no chips."""
    if rulebook.payout is None:
        return ()
    return tuple(level for level in Level if level is not Level.NEIGHBOURS or rulebook.blocks)


def make_drill(felt: PayoutTable, level: Level, seed: int) -> Drill:
    """Make the drill of a seed; the level must be one of the rulebook's."""
    choice = _Choice(f"{felt.rulebook.id} {level} {seed}")
    pocket = choice.among(felt.rulebook.pockets)
    chip = choice.among(COLOURS)
    value = choice.among(_values(felt.rulebook))
    pieces = dict(_pieces(felt, level, pocket, value, choice))
    terms = PayoutTerms(DENOMINATIONS, {chip: value})
    clause = felt.rulebook.paytable.clause
    stakes = ChipStakes(1, {spot: {chip: count} for spot, count in pieces.items()}, Limits(clause, clause))
    [payment] = plan_payout(felt, pocket, [stakes], terms).payments
    question = _QUESTIONS.get(level, Question.PIECES)
    return Drill(level, seed, pocket, chip, value, pieces, payment, question, _solution(question, payment))


def _solution(question: Question, payment: Payment) -> tuple[int, ...]:
    [due] = payment.pieces
    match question:
        case Question.PIECES:
            return (due.pieces,)
        case Question.STACKS:
            return due.stacks
        case Question.AMOUNT:
            return (payment.due,)
        case _:
            assert_never(question)


def _values(rulebook: Rulebook) -> Sequence[Cents]:
    """List the values at which a bet of a picture stays within the limits that the document fixes."""
    most = None if rulebook.limits is None else rulebook.limits.spot.most
    return [value for value in VALUES if most is None or value * _PICTURE <= most]


def _pieces(
    felt: PayoutTable, level: Level, pocket: Pocket, value: Cents, choice: "_Choice"
) -> Iterator[tuple[SpotKey, int]]:
    """Choose winning bets around the number: straight up first, then others by their kind."""
    inside = [spot for spot in felt.winners[pocket] if felt.spots[spot].at is not Geometry.BOX]
    most = None if felt.rulebook.limits is None else felt.rulebook.limits.spot.most
    if level is Level.SINGLES:
        yield choice.among(inside), choice.count(_SINGLE if most is None else most // value)
        return
    markers = [key for key, block in felt.blocks.items() if pocket in block.numbers]
    few = level is Level.NEIGHBOURS
    chosen = {inside[0], *choice.some(inside[1:], choice.count(2) if few else 1 + choice.count(4))}
    yield from ((spot, choice.count(_PICTURE)) for spot in inside if spot in chosen)
    for key in choice.some(markers, choice.count(2)) if few else ():
        yield key, NUMBERS_UNDER_MARKER * choice.count(_FIFTH)


class _Choice:
    """A stream of choices from a text: each takes the next digest of it."""

    def __init__(self, text: str) -> None:
        self._text, self._taken = text, 0

    def count(self, most: int) -> int:
        """Choose a number from 1 to the most."""
        self._taken += 1
        digest = hashlib.sha256(f"{self._text} {self._taken}".encode()).digest()
        return 1 + int.from_bytes(digest[:8]) % most

    def among(self, items: Sequence[Item]) -> Item:
        return items[self.count(len(items)) - 1]

    def some(self, items: Sequence[Item], number: int) -> list[Item]:
        """Choose different items, as many as wanted or all of them."""
        left = list(items)
        return [left.pop(self.count(len(left)) - 1) for _ in range(min(number, len(left)))]
