"""The oracle of live tables: what is collected, paid, returned and left, worked from the two documents with chips.

It is slow and small on purpose, and uses nothing of the code under test. Amounts are cents; every chip is worth a
multiple of five, so that a fifth of a marker bet is exact. Adelaide clauses are bare, the US clause is named.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import gcd

from tests.support.oracle import ADELAIDE, BLACK, RED, cover, legal_bets, neighbours

MARKER = "neighbours "


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip: what it is worth, and whether it is one of the player's colour."""

    value: int
    colour: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """Chips of one kind that a player put on one place."""

    player: int
    place: str
    chip: Chip
    pieces: int

    @property
    def amount(self) -> int:
        return self.pieces * self.chip.value


@dataclass(frozen=True, slots=True)
class Terms:
    """A table: its limits inside and outside, the chips of its float, its notice on multiples, and who are partners."""

    venue: str
    inside: tuple[int, int]
    outside: tuple[int, int]
    float_chips: tuple[int, ...]
    notice: bool
    partners: frozenset[int] = frozenset()

    def least(self, place: str) -> int:
        return (self.inside if len(numbers_of(self.venue, place)) <= 6 else self.outside)[0]

    def most(self, place: str) -> int:
        # A marker bet is five bets on numbers (5.1(a), 6(j)): five times the maximum of one.
        times = 5 if place.startswith(MARKER) else 1
        return times * (self.inside if len(numbers_of(self.venue, place)) <= 6 else self.outside)[1]


@dataclass(slots=True)
class Outcome:
    """What a round brings one player."""

    collected: int = 0
    returned: int = 0
    stays: int = 0
    #: 12(e): the player is advised of the minimum.
    advised: bool = False
    #: By box, or "inside" for bets around the numbers, or "returns" for the change of a piece over the maximum.
    payments: Counter[str] = field(default_factory=Counter)
    #: Pieces of the player's colour that belong to each payment.
    pieces: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        return self.payments.total() + self.stays + self.returned - self.payments["returns"]


@dataclass(slots=True)
class Brought:
    """What winning marker bets bring to the number: by entry, and in which chips by player and marker bet."""

    fifths: dict[int, int] = field(default_factory=dict)
    piles: dict[tuple[int, str], list[tuple[Chip, int]]] = field(default_factory=dict)


@cache
def numbers_of(venue: str, place: str) -> frozenset[str]:
    """Read which numbers a place covers."""
    if place.startswith(MARKER):
        return frozenset(neighbours(venue, place.removeprefix(MARKER), 2))
    boxes = {"red": RED, "black": BLACK}
    boxes |= {"odd": frozenset(map(str, range(1, 37, 2))), "even": frozenset(map(str, range(2, 37, 2)))}
    boxes |= {"low": frozenset(map(str, range(1, 19))), "high": frozenset(map(str, range(19, 37)))}
    for nth in (1, 2, 3):
        boxes[f"column {nth}"] = frozenset(map(str, range(nth, 37, 3)))
        boxes[f"dozen {nth}"] = frozenset(map(str, range(12 * nth - 11, 12 * nth + 1)))
    return boxes.get(place) or cover(place)


def counting(terms: Terms, amounts: Iterable[tuple[int, int]], most: int) -> list[int]:
    """12(f), 12(e) first, Placement 5: count up to the maximum, of partners together; later chips are over it."""
    used: Counter[str] = Counter()
    counts = []
    for player, amount in amounts:
        team = "partners" if player in terms.partners else f"player {player}"
        counts.append(min(amount, most - used[team]))
        used[team] += counts[-1]
    return counts


def settle(terms: Terms, entries: Sequence[Placed], number: str) -> dict[int, Outcome]:
    """Settle chips, in the order in which they were placed, on a number."""
    outcomes = {each.player: Outcome() for each in entries}
    brought = Brought()
    for place in dict.fromkeys(each.place for each in entries):
        here = [turn for turn, each in enumerate(entries) if each.place == place]
        wins = number in numbers_of(terms.venue, place)
        if place.startswith(MARKER):
            _marker(terms, entries, here, outcomes, brought if wins else None)
        elif place != number:
            amounts = [(each.player, each.amount) for each in _honoured(terms, entries, here, outcomes)]
            counts = counting(terms, amounts, terms.most(place))
            for player in {each for each, _ in amounts}:
                counted = sum(count for (who, _), count in zip(amounts, counts, strict=True) if who == player)
                own = [entries[turn] for turn in here if entries[turn].player == player]
                if wins:
                    _win(terms, own, counted, outcomes[player])
                else:
                    _lose(own, counted, outcomes[player])
    _number(terms, entries, number, brought, outcomes)
    return outcomes


def _honoured(
    terms: Terms, entries: Sequence[Placed], here: list[int], outcomes: dict[int, Outcome]
) -> Iterator[Placed]:
    """12(e) second: a bet under the minimum counts, and its owner is advised. Placement 5: in the US it goes back."""
    for player in {entries[turn].player for turn in here}:
        own = [entries[turn] for turn in here if entries[turn].player == player]
        stake = sum(each.amount for each in own)
        under = stake < terms.least(own[0].place)
        outcomes[player].advised |= under and terms.venue == ADELAIDE
        if under and terms.venue != ADELAIDE:
            outcomes[player].returned += stake
            here = [turn for turn in here if entries[turn].player != player]
    yield from (entries[turn] for turn in here)


def _marker(
    terms: Terms,
    entries: Sequence[Placed],
    here: list[int],
    outcomes: dict[int, Outcome],
    brought: Brought | None,
) -> None:
    """6(j): of a winning marker bet a fifth of what counts is placed on the number; the rest is collected."""
    amounts = [(entries[turn].player, entries[turn].amount) for turn in here]
    counts = counting(terms, amounts, terms.most(entries[here[0]].place))
    for player in {entries[turn].player for turn in here}:
        own = [entries[turn] for turn in here if entries[turn].player == player]
        counted = sum(count for turn, count in zip(here, counts, strict=True) if entries[turn].player == player)
        _lose(own, counted, outcomes[player])
        if brought is None:
            continue
        kept, left = _not_returned(own, counted), counted
        placed = _placed(terms, kept, counted)
        outcomes[player].collected -= placed
        outcomes[player].stays += placed
        for chip, pieces in kept:
            share = min(pieces * chip.value, left)
            left -= share
            brought.piles.setdefault((player, own[0].place), []).append((chip, share // 5))
    if brought is not None:
        brought.fifths.update({turn: count // 5 for turn, count in zip(here, counts, strict=True)})


def _not_returned(own: list[Placed], counted: int) -> list[tuple[Chip, int]]:
    """List the pieces that do not go back for what does not count: the kind placed last goes first."""
    excess, kept = sum(each.amount for each in own) - counted, list[tuple[Chip, int]]()
    for each in reversed([*_by_kind(own)]):
        gone = min(each.pieces, excess // each.chip.value)
        excess -= gone * each.chip.value
        kept.insert(0, (each.chip, each.pieces - gone))
    return kept


def _placed(terms: Terms, kept: list[tuple[Chip, int]], counted: int) -> int:
    """6(j): a fifth is placed, of its own pieces and of the float's chips.

    What they do not make is read as 12(g): the next higher amount, and under a notice the next lower one.
    """
    with_own = {0}
    for chip, pieces in kept:
        worths = [number * chip.value for number in range(min(pieces, counted // chip.value) + 1)]
        with_own = {before + more for before in with_own for more in worths if before + more <= counted}
    fifth = counted // 5
    lower = next(each for each in range(fifth, -1, -5) if _makes(terms, with_own, each))
    higher = next((each for each in range(fifth, counted + 1, 5) if _makes(terms, with_own, each)), lower)
    return lower if terms.notice else higher


def _makes(terms: Terms, with_own: set[int], amount: int) -> bool:
    return any(amount - own in sums(terms.float_chips) for own in with_own)


def _lose(own: list[Placed], counted: int, outcome: Outcome) -> None:
    """Collect what counts, and return the rest: whole pieces, the kind placed last first, then change."""
    excess = sum(each.amount for each in own) - counted
    outcome.collected += counted
    outcome.returned += excess
    outcome.payments["returns"] += excess - _whole_pieces(own, excess)


def _whole_pieces(own: list[Placed], excess: int) -> int:
    """Return the value of the whole pieces of a bet that go back for an amount, the kind placed last first."""
    back = 0
    for chip in reversed(dict.fromkeys(each.chip for each in own)):
        pieces = sum(each.pieces for each in own if each.chip == chip)
        back += min(pieces, (excess - back) // chip.value) * chip.value
    return back


def _win(terms: Terms, own: list[Placed], counted: int, outcome: Outcome) -> None:
    """Pay what counts of a bet; the chips stay (6(i)), but those over the US maximum go back (Placement 5)."""
    _stay(terms, own, counted, outcome)
    _pay(terms, own[0].place, [(each.chip, each.amount) for each in _by_kind(own)], counted, outcome)


def _stay(terms: Terms, own: list[Placed], counted: int, outcome: Outcome) -> None:
    """A piece that is over the US maximum in part stays: a winning bet has no change."""
    stake = sum(each.amount for each in own)
    back = 0 if terms.venue == ADELAIDE else _whole_pieces(own, stake - counted)
    outcome.stays += stake - back
    outcome.returned += back


def _by_kind(own: list[Placed]) -> Iterator[Placed]:
    """Chips of one kind on one place are one pile."""
    for chip in dict.fromkeys(each.chip for each in own):
        yield Placed(own[0].player, own[0].place, chip, sum(each.pieces for each in own if each.chip == chip))


def _number(
    terms: Terms,
    entries: Sequence[Placed],
    number: str,
    brought: Brought,
    outcomes: dict[int, Outcome],
) -> None:
    """Pay the number: the chips on it with the fifths of marker bets, up to one maximum."""
    on_it = [turn for turn, each in enumerate(entries) if each.place == number]
    direct = [*_honoured(terms, entries, on_it, outcomes)]
    amounts = [(turn, entries[turn].player, entries[turn].amount) for turn in on_it if entries[turn] in direct]
    amounts = sorted([*amounts, *((turn, entries[turn].player, fifth) for turn, fifth in brought.fifths.items())])
    counts = counting(terms, [(player, amount) for _, player, amount in amounts], terms.most(number))
    for player in {each for _, each, _ in amounts}:
        counted = sum(count for (_, who, _), count in zip(amounts, counts, strict=True) if who == player)
        own = [each for each in direct if each.player == player]
        piles = [(each.chip, each.amount) for each in _by_kind(own)]
        # Marker bets by their numbers: the order in which they were entered is no matter of the rules.
        markers = [place for who, place in brought.piles if who == player]
        for place in sorted(markers, key=lambda each: int(each.removeprefix(MARKER))):
            piles += brought.piles[player, place]
        if own:
            _stay(terms, own, min(counted, sum(each.amount for each in own)), outcomes[player])
        _pay(terms, number, piles, counted, outcomes[player])


def _pay(terms: Terms, place: str, piles: Sequence[tuple[Chip, int]], counted: int, outcome: Outcome) -> None:
    """Pay at the odds of the pay table (8(a), Rotation (4)), colours in pieces; then round by 12(g)."""
    odds, left, pieces, colour = legal_bets(terms.venue)[numbers_of(terms.venue, place)].pays, counted, 0, 0
    for chip, amount in piles:
        share = min(amount, left)
        left -= share
        if chip.colour and share * odds % chip.value == 0:
            pieces, colour = pieces + share * odds // chip.value, chip.value
    if not counted:
        return
    segment = place if len(numbers_of(terms.venue, place)) > 6 else "inside"
    outcome.payments[segment] += _rounded(terms, place, counted, counted * odds, (colour, pieces))
    outcome.pieces[segment] += pieces


def _rounded(terms: Terms, place: str, stake: int, due: int, own: tuple[int, int]) -> int:
    """12(g): the next higher payable amount; under a notice the lower multiples only, of a bet not in multiples."""
    if terms.venue != ADELAIDE or payable(terms, due, own):
        return due
    least = terms.least(place)
    if not terms.notice:
        return next(each for each in range(due, due + 100_000, 5) if payable(terms, each, own))
    if stake % least == 0:
        return due
    # The lower multiple of less than the minimum is nothing. If no multiple can be paid, the text has no amount: 12(i).
    lower = next((each for each in range(due // least * least, 0, -least) if payable(terms, each, own)), due)
    return 0 if due < least else lower


def payable(terms: Terms, amount: int, own: tuple[int, int] = (0, 0)) -> bool:
    """Return whether some chips of the float make an amount, with some of these pieces of the player's colour."""
    value, pieces = own
    return any(amount - number * value in sums(terms.float_chips) for number in range(pieces + 1))


@lru_cache(maxsize=16)
def sums(chips: tuple[int, ...], most: int = 50_000_00) -> frozenset[int]:
    """List every sum of chips, up to more than a table pays: nothing, and a sum with one chip more."""
    found = {0}
    for amount in range(0, most, gcd(*chips)):
        if any(amount - chip in found for chip in chips):
            found.add(amount)
    return frozenset(found)


def neighbours_of(terms: Terms, due: int, own: tuple[int, int]) -> tuple[int, int]:
    """Return the next payable amounts below and above one that is not."""
    lower = next(each for each in range(due, -1, -5) if payable(terms, each, own))
    return lower, next(each for each in range(due, due + 100_000, 5) if payable(terms, each, own))


def partners_refused(terms: Terms, entries: Sequence[Placed], more: Sequence[Placed]) -> bool:
    """12(e) first: refuse chips with which partners exceed the maximum on a spot; a marker counts by its fifth."""
    player = more[0].player
    if player not in terms.partners:
        return False
    for place in dict.fromkeys(each.place for each in more):
        spots = numbers_of(terms.venue, place) if place.startswith(MARKER) else {place}
        for spot in spots:
            on = Counter[bool]()
            for each in (*entries, *more):
                if each.player in terms.partners and each.place == spot:
                    on[each.player == player] += each.amount
                elif each.player in terms.partners and each.place.startswith(MARKER):
                    on[each.player == player] += each.amount // 5 if spot in numbers_of(terms.venue, each.place) else 0
            if on[False] and on.total() > terms.most(spot):
                return True
    return False
