"""The auditor's spots, payouts and limits, computed by trying chips on every point and counting pockets."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from typing import Final

from croupier.house.settings import LimitSettings
from croupier.rules.calls import CallBet, CallKind
from croupier.rules.geometry import POCKETS, Cell, Pocket, SegmentGroup, SpotKey, SpotKind, is_zero
from croupier.rules.rulebook import Rulebook

#: The stake on each spot, in cents.
Stakes = dict[SpotKey, int]

#: The kinds that make up a complete bet; of the streets only those with a zero in them (23.d at Clearwater).
_COMPLETE = ("straight", "split", "corner")


class ModelPayouts:
    """One rulebook's spots: the pockets that each covers and the return of one cent on it."""

    def __init__(self, rulebook: Rulebook) -> None:
        prices = rulebook.paytable.prices
        self.rulebook = rulebook
        places = {kind.id: place for place, kind in enumerate(rulebook.kinds)}
        found = dict(sorted(_spots(rulebook), key=lambda each: (places[each[1][0]], _printed(each[1][1]))))
        self.kinds: dict[SpotKey, SpotKind] = {key: kind for key, (kind, _) in found.items()}
        self.covers = {key: covers for key, (_, covers) in found.items()}
        self.prices = {key: prices[kind] for key, kind in self.kinds.items()}
        groups = {kind.id: kind.segment for kind in rulebook.kinds}
        self.segments: dict[SpotKey, SegmentGroup] = {key: groups[kind] for key, kind in self.kinds.items()}
        #: The multiples that were drawn for a round.
        self.multiples: Mapping[Pocket, int] = {}
        #: The pot that a round plays for, and all that was staked on it.
        self.pot: tuple[int, int] | None = None
        #: The payouts of a round for which nothing is drawn yet, and no pot is known.
        self.before_seal = self

    @property
    def pot_spot(self) -> SpotKey | None:
        """The bet that wins the pot, where there is one."""
        rules = self.rulebook.paytable.progressive
        return next((spot for spot, kind in self.kinds.items() if rules is not None and kind == rules.kind), None)

    def playing_for(self, pot: tuple[int, int], *, on_all: bool) -> "ModelPayouts":
        """Return the payouts of a round that plays for a pot; where it must be won, its bet wins on all numbers."""
        copied = copy(self)
        copied.pot = pot
        if on_all and self.pot_spot is not None:
            copied.covers = {**self.covers, self.pot_spot: frozenset(self.rulebook.wheel.order)}
        return copied

    def drawn(self, multiples: Mapping[Pocket, int]) -> "ModelPayouts":
        """Return the payouts of a round with drawn multiples."""
        copied = copy(self)
        copied.multiples = multiples
        return copied

    def brings(self, stakes: Stakes, pocket: Pocket) -> int:
        """Compute the return of stakes on a pocket, spot by spot and cent by cent where odds have steps.

        A win of the first of two spins counts as if the second was won too.
        """
        return sum(self._brings(spot, stake, pocket) for spot, stake in stakes.items())

    def _brings(self, spot: SpotKey, stake: int, pocket: Pocket) -> int:
        if pocket in self.covers[spot]:
            return stake + self.wins(spot, stake)
        return stake // 2 if self.halves(spot, pocket) else 0

    def zero(self, spot: SpotKey, pocket: Pocket) -> str:
        """Name what the first rule on this zero that is about the bet does with it; empty if the bet wins."""
        kind, zeros = self.kinds[spot], self.rulebook.paytable.zeros
        about = [zero.does.value for zero in zeros if zero.pocket == pocket and kind in (zero.kinds or (kind,))]
        return about[0] if about and pocket not in self.covers[spot] else ""

    def settles(self, stakes: Stakes, carried: Stakes, pocket: Pocket) -> tuple[int, Stakes]:
        """Compute what a spin returns of bets and of stakes that were carried to it, and what it carries on."""
        returned, after = 0, Counter[SpotKey]()
        for spot, stake in stakes.items():
            wins = pocket in self.covers[spot]
            if (self.prices[spot].twice and wins) or self.zero(spot, pocket).startswith("en_prison"):
                after[spot] += stake
            else:
                returned += self._brings(spot, stake, pocket)
        for spot, stake in carried.items():
            if pocket in self.covers[spot]:
                returned += stake + (self.wins(spot, stake) if self.prices[spot].twice else 0)
                continue
            match self.zero(spot, pocket):
                case "en_prison_repeated":
                    after[spot] += stake
                case "en_prison_half" | "la_partage" | "surrender":
                    returned += stake // 2
                case "en_prison_free":
                    returned += stake
        return returned, dict(after)

    def frees(self, carried: Stakes) -> int:
        """Compute what comes back of stakes that cannot wait for their spin."""
        rules = self.rulebook.paytable.carried
        half = rules is not None and rules.release.choice == "half"
        return sum(stake // 2 if half else stake for stake in carried.values())

    @property
    def carries(self) -> bool:
        return self.rulebook.paytable.carried is not None

    def halves(self, spot: SpotKey, pocket: Pocket) -> bool:
        """Whether the first rule on this zero that is about the bet returns half of it."""
        return self.zero(spot, pocket) in ("la_partage", "surrender")

    def given_back(self, stakes: Stakes, pocket: Pocket, carried: Stakes | None = None) -> int:
        """Compute what comes back of stakes without winnings: halves, freed stakes, and stakes of second wins."""
        free, _ = self.settles({}, carried or {}, pocket)
        won = sum(
            self.wins(spot, stake)
            for spot, stake in (carried or {}).items()
            if self.prices[spot].twice and pocket in self.covers[spot]
        )
        return free - won + sum(stake // 2 for spot, stake in stakes.items() if self.halves(spot, pocket))

    def wins(self, spot: SpotKey, stake: int) -> int:
        """Compute the winnings of a stake: each part of it at the odds of its step, whole cents, up to the cap."""
        if self.kinds[spot] == "straight" and (multiple := self.multiples.get(Pocket(spot))) is not None:
            return stake * multiple
        if spot == self.pot_spot:
            return 0 if self.pot is None else stake * self.pot[0] // self.pot[1]
        price = self.prices[spot]
        bounds = [0, *(step.over for step in price.steps), stake]
        odds = [Fraction(price.pays), *(Fraction(step.pays) for step in price.steps)]
        parts = (max(0, min(end, stake) - start) for start, end in pairwise(bounds))
        total = int(sum((part * pays for part, pays in zip(parts, odds, strict=True)), Fraction(0)))
        return total if price.win_most is None else min(total, price.win_most)

    def winners(self, stakes: Stakes, pocket: Pocket) -> Stakes:
        return {
            spot: stake for spot, stake in stakes.items() if pocket in self.covers[spot] and not self.prices[spot].twice
        }

    def risky(self, stakes: Stakes, unit: int) -> bool:
        """Return whether even the best pocket returns too little above the total bet (13 at Clearwater)."""
        check, total = self.rulebook.risk, sum(stakes.values())
        if check is None or total == 0:
            return False
        best = max(self.brings(stakes, pocket) for pocket in self.rulebook.wheel.order)
        share = -(-total * check.percent // (100 * unit))
        return best - total < max(1, share) * unit

    def pieces(self, text: str, offered: Collection[str] | None) -> Counter[SpotKey] | None:
        """Resolve a bet to its spots: a spot, an alias of one, or a call; None when this venue has no such bet."""
        spot = self._spot(text)
        if spot is not None:
            return Counter([spot])
        words, _, reach = text.lower().partition(" by ")
        *name, last = words.split() or [""]
        number = last if last in POCKETS else ""
        name = name if number else [*name, last]
        call = self._call("-".join(name), offered)
        return None if call is None else self._called(call, number, reach)

    def _spot(self, text: str) -> SpotKey | None:
        if SpotKey(text) in self.kinds:
            return SpotKey(text)
        for alias in self.rulebook.aliases:
            if alias.name == text:
                return alias.spot
        printed = sorted(text.split("/"), key=lambda each: POCKETS.index(Pocket(each)) if each in POCKETS else -1)
        ordered = SpotKey("/".join(printed))
        return ordered if ordered in self.kinds else None

    def _call(self, name: str, offered: Collection[str] | None) -> CallBet | None:
        for call in self.rulebook.calls:
            if name in (call.name, *call.aliases):
                return call if offered is None or call.name in offered else None
        return None

    def _called(self, call: CallBet, number: str, reach: str) -> Counter[SpotKey] | None:
        order = self.rulebook.wheel.order
        if call.kind is CallKind.PIECES:
            return None if number or reach else Counter(call.pieces)
        if call.kind is CallKind.LAST_DIGIT:
            ends = [pocket for pocket in order if pocket.endswith(number)]
            return Counter(map(SpotKey, ends)) if len(number) == 1 and not reach else None
        if call.kind is CallKind.MARKER or number not in order:
            return None
        if call.kind is CallKind.COMPLETE:
            return None if reach else Counter(spot for spot in self.kinds if self._completes(spot, Pocket(number)))
        reach = reach or str(call.reach.least)
        if not reach.isdigit() or not call.reach.least <= int(reach) <= call.reach.most:
            return None
        sides = int(reach)
        here = order.index(Pocket(number))
        return Counter(SpotKey(order[(here + step) % len(order)]) for step in range(-sides, sides + 1))

    def _completes(self, spot: SpotKey, number: Pocket) -> bool:
        kind, covers = self.kinds[spot], self.covers[spot]
        return number in covers and (kind in _COMPLETE or (kind == "street" and any(map(is_zero, covers))))


def _printed(numbers: Collection[Pocket]) -> list[int]:
    """Return the places of numbers in the printed order, as a sort key."""
    return sorted(map(POCKETS.index, numbers))


def _spots(rulebook: Rulebook) -> Iterator[tuple[SpotKey, tuple[SpotKind, frozenset[Pocket]]]]:
    """List the spots that have a price, with the kind and the pockets of each: by trying every place for a chip."""
    places = _inside(rulebook.layout.cells)
    taken = set[frozenset[Pocket]]()
    # A place that would be of several kinds is of the last.
    for kind in reversed([kind for kind in rulebook.kinds if kind.id in rulebook.paytable.prices]):
        for at, numbers in places:
            like = (at, len(numbers), any(map(is_zero, numbers)))
            fits = any(
                (shape.at, shape.numbers, like[2] if shape.zero is None else shape.zero) == like
                for shape in kind.shapes
            )
            if fits and numbers not in taken:
                taken.add(numbers)
                yield SpotKey("/".join(POCKETS[place] for place in _printed(numbers))), (kind.id, numbers)
        for box in (each.bet for each in rulebook.layout.boxes if each.bet in kind.boxes):
            yield box, (kind.id, _boxed(rulebook, box) or frozenset(kind.boxes[box]))


def _inside(cells: Sequence[Cell]) -> set[tuple[str, frozenset[Pocket]]]:
    """Put a chip on every point of the numbers, and list the numbers that it touches, with how it lies there."""
    found = {("cell", frozenset({cell.pocket})) for cell in cells}
    lines: Counter[frozenset[Pocket]] = Counter()
    for along, across in product(
        _points(each.area.along for each in cells), _points(each.area.across for each in cells)
    ):
        touched = [cell for cell in cells if _within(along, cell.area.along) and _within(across, cell.area.across)]
        if len(touched) >= _POINT:
            found.add(("point", frozenset(cell.pocket for cell in touched)))
        lines.update(frozenset({one.pocket, other.pocket}) for one, other in combinations(touched, 2))
        if across == 0:
            # On the outside line a chip is for whole rows: the one beside it, or the two that meet there.
            rows = {cell.area.along for cell in cells if _within(along, cell.area.along)}
            numbers = {row: [cell.pocket for cell in cells if cell.area.along == row] for row in rows}
            if max(map(len, numbers.values())) >= _ROW:
                found.add(("row" if len(rows) == 1 else "rows", frozenset(chain(*numbers.values()))))
    # Two cells that touch at one point only share no line.
    return found | {("edge", two) for two, points in lines.items() if points > 1}


#: From how many numbers on the cells meet at a point, and a row has bets on the outside line.
_POINT: Final = 3
_ROW: Final = 3


def _points(sides: Iterable[tuple[int, int]]) -> range:
    starts, ends = zip(*sides, strict=True)
    return range(min(starts), max(ends) + 1)


def _within(point: int, side: tuple[int, int]) -> bool:
    return side[0] <= point <= side[1]


def _boxed(rulebook: Rulebook, box: SpotKey) -> frozenset[Pocket]:
    """Count out one of the usual boxes, number by number; nothing for another box or another felt than that of 36."""
    if [number for row in rulebook.layout.rows for number in row] != [str(number) for number in range(1, 37)]:
        return frozenset()
    return frozenset(Pocket(str(number)) for number in range(1, 37) if box in _boxes_of(number, rulebook.wheel.red))


def _boxes_of(number: int, red: Collection[str]) -> tuple[str, ...]:
    return (
        "red" if str(number) in red else "black",
        "odd" if number % 2 else "even",
        "low" if number <= 18 else "high",  # noqa: PLR2004 - printed on the box
        f"dozen {(number - 1) // 12 + 1}",
        f"column {(number - 1) % 3 + 1}",
    )


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """The least and the highest stake on each spot and in total; zero and NO_END when there is no limit."""

    spots: dict[SpotKey, tuple[int, int]]
    total: tuple[int, int]


#: Higher than any stake.
NO_END = 10**18


def bounds_of(felt: ModelPayouts, settings: LimitSettings) -> ModelLimits:
    """Compute a game's limits: the narrower of the operator's and the document's."""
    document, kinds = felt.rulebook.limits, dict(settings.kinds)
    spots = {}
    for spot, kind in felt.kinds.items():
        own = kinds.get(kind, settings.spot)
        fixed = None if document is None else document.kinds.get(kind, document.spot)
        spots[spot] = _narrower(own, fixed)
    return ModelLimits(spots, _narrower(settings.total, None if document is None else document.total))


def _narrower(*ranges: object) -> tuple[int, int]:
    """Return the highest minimum and the lowest maximum; each may be missing."""
    leasts = [getattr(each, "least", None) or 0 for each in ranges]
    mosts = [most for each in ranges if (most := getattr(each, "most", None)) is not None]
    return max(leasts), min(mosts, default=NO_END)
