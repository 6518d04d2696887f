"""The oracle: what the four venues allow and pay, worked from their documents by hand, without the code under test."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

MARINA_BAY_SANDS = "marina-bay-sands-2020"
ADELAIDE = "skycity-adelaide-2003"
CLEARWATER = "clearwater-etg"
US = "us-double-zero"
VENUES = (MARINA_BAY_SANDS, ADELAIDE, CLEARWATER, US)

Numbers = frozenset[str]
#: Numbers covered, and how many pieces of a call lie on them.
Pieces = Counter[Numbers]

_EUROPEAN = "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"
_AMERICAN = "0 28 9 26 30 11 7 20 32 17 5 22 34 15 3 24 36 13 1 00 27 10 25 29 12 8 19 31 18 6 21 33 16 4 23 35 14 2"

#: Clockwise from 0. Where Marina Bay Sands has its 00 is convention: between 0 and 32.
WHEELS = {
    MARINA_BAY_SANDS: ("0", "00", *_EUROPEAN.split()[1:]),
    ADELAIDE: tuple(_EUROPEAN.split()),
    CLEARWATER: tuple(_AMERICAN.split()),
    US: tuple(_AMERICAN.split()),
}

RED = frozenset(map(str, (1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36)))
BLACK = frozenset(map(str, (2, 4, 6, 8, 10, 11, 13, 15, 17, 20, 22, 24, 26, 28, 29, 31, 33, 35)))
EVEN_CHANCES = ("red", "black", "odd", "even", "low", "high")

#: Bets at the head of the layout, beside the straights on the zeros.
_HEADS = {
    MARINA_BAY_SANDS: {"split": "0/00 0/1 0/2 0/3", "street": "0/1/2 0/2/3", "corner": "0/1/2/3"},
    ADELAIDE: {"split": "0/1 0/2 0/3", "street": "0/1/2 0/2/3", "corner": "0/1/2/3"},
    CLEARWATER: {"split": "0/00 0/1 0/2 00/2 00/3", "street": "0/1/2 0/00/2 00/2/3", "five": "0/00/1/2/3"},
    US: {"split": "0/00 0/1 0/2 00/2 00/3", "street": "0/1/2 0/00/2 00/2/3", "five": "0/00/1/2/3"},
}

#: To one, by how many numbers a bet covers: the same at all four venues, five numbers where they are offered.
_PAYS = {1: 35, 2: 17, 3: 11, 4: 8, 5: 6, 6: 5, 12: 2, 18: 1}

#: The clause that prices each kind.
_PRICED_BY = {
    MARINA_BAY_SANDS: {
        "straight": "4.1 Straight Up",
        "split": "4.1 Split",
        "street": "4.1 Street",
        "corner": "4.1 Corner",
        "six_line": "4.1 Six Line",
        "column": "4.1 Column",
        "dozen": "4.1 Dozen",
        "low": "4.1 Low (1-18)",
        "high": "4.1 High (19-36)",
        "even": "4.1 Even",
        "odd": "4.1 Odd",
        "red": "4.1 Red",
        "black": "4.1 Black",
    },
    ADELAIDE: {
        "straight": "8(a) A",
        "split": "8(a) B",
        "street": "8(a) C",
        "corner": "8(a) D",
        "six_line": "8(a) E",
        "column": "8(a) F",
        "dozen": "8(a) G",
        "red": "8(a) H",
        "black": "8(a) I",
        "odd": "8(a) J",
        "even": "8(a) K",
        "low": "8(a) L",
        "high": "8(a) M",
    },
    CLEARWATER: {
        "straight": "21.a",
        "split": "21.b",
        "street": "21.c",
        "corner": "21.d",
        "five": "21.e",
        "six_line": "21.f",
        "column": "21.g",
        "dozen": "21.h",
        "red": "21.i",
        "black": "21.i",
        "odd": "21.j",
        "even": "21.j",
        "low": "21.k",
        "high": "21.k",
    },
    US: {
        "straight": "Pay Table Straight",
        "split": "Pay Table Split",
        "street": "Pay Table Three Numbers",
        "corner": "Pay Table Four Numbers",
        "five": "Pay Table First Five Numbers",
        "six_line": "Pay Table Six Numbers",
        "column": "Pay Table Column",
        "dozen": "Pay Table Dozen",
        "red": "Pay Table Red",
        "black": "Pay Table Black",
        "odd": "Pay Table Odd",
        "even": "Pay Table Even",
        "low": "Pay Table 1 to 18",
        "high": "Pay Table 19 to 36",
    },
}

#: The clause on what loses when the ball rests in a zero. Clearwater's speaks of the even chances alone.
_LOST_BY = {
    MARINA_BAY_SANDS: {"0": "4.2", "00": "4.2.1"},
    ADELAIDE: {"0": "8(c)"},
    CLEARWATER: {"0": "18.a", "00": "18.a"},
    US: {},
}


@dataclass(frozen=True, slots=True)
class LegalBet:
    """One bet that a venue takes: what it covers, what it pays to one, and the clause that says so."""

    kind: str
    numbers: Numbers
    pays: int
    clause: str

    def gross(self, pocket: str) -> int:
        """Give what one unit brings back: the winnings and itself, or nothing."""
        return self.pays + 1 if pocket in self.numbers else 0


def cover(text: str) -> Numbers:
    """Read numbers as the documents write them: 0/2/3."""
    return frozenset(text.split("/"))


@cache
def legal_bets(venue: str) -> dict[Numbers, LegalBet]:
    """List every bet a venue takes, by what it covers: no two bets cover the same."""
    priced_by = _PRICED_BY[venue]
    bets = [
        LegalBet(kind, numbers, _PAYS[len(numbers)], priced_by[kind])
        for kind, numbers in (*_straights(venue), *_head(venue), *_grid(), *_outside())
    ]
    assert len({bet.numbers for bet in bets}) == len(bets)
    return {bet.numbers: bet for bet in bets}


def lost_by(venue: str, kind: str, pocket: str) -> str | None:
    """Name the clause by which a bet loses on a zero, where the venue has one."""
    if venue == CLEARWATER and kind not in EVEN_CHANCES:
        return None
    return _LOST_BY[venue].get(pocket)


def _numbers(*numbers: int) -> Numbers:
    return frozenset(map(str, numbers))


def _straights(venue: str) -> Iterator[tuple[str, Numbers]]:
    return (("straight", frozenset({pocket})) for pocket in WHEELS[venue])


def _head(venue: str) -> Iterator[tuple[str, Numbers]]:
    return ((kind, cover(bet)) for kind, bets in _HEADS[venue].items() for bet in bets.split())


def _grid() -> Iterator[tuple[str, Numbers]]:
    """Walk the 36 numbers, three to a row; a number divisible by 3 ends its row, and 34 begins the last."""
    for n in range(1, 37):
        ends_row, begins_row, in_last_row = n % 3 == 0, n % 3 == 1, n >= 34
        if not ends_row:
            yield "split", _numbers(n, n + 1)
        if not in_last_row:
            yield "split", _numbers(n, n + 3)
        if begins_row:
            yield "street", _numbers(n, n + 1, n + 2)
        if not ends_row and not in_last_row:
            yield "corner", _numbers(n, n + 1, n + 3, n + 4)
        if begins_row and not in_last_row:
            yield "six_line", _numbers(*range(n, n + 6))


def _outside() -> Iterator[tuple[str, Numbers]]:
    yield from (("column", _numbers(*range(first, 37, 3))) for first in (1, 2, 3))
    yield from (("dozen", _numbers(*range(first, first + 12))) for first in (1, 13, 25))
    yield from (("red", RED), ("black", BLACK))
    yield from (("odd", _numbers(*range(1, 37, 2))), ("even", _numbers(*range(2, 37, 2))))
    yield from (("low", _numbers(*range(1, 19))), ("high", _numbers(*range(19, 37))))


_SERIES = {
    MARINA_BAY_SANDS: {
        # Ten pieces: 0/2/3 and the corner of 25 and 29 carry two each.
        "voisins": "00 0/2/3 0/2/3 4/7 12/15 18/21 19/22 25/26/28/29 25/26/28/29 32/35",
        "tiers": "5/8 10/11 13/16 23/24 27/30 33/36",
        "orphelins": "1 6/9 14/17 17/20 31/34",
        "zero-spiel": "00 0/3 12/15 26 32/35",
    },
    ADELAIDE: {},
    CLEARWATER: {
        "red-splits": "9/12 16/19 18/21 27/30",
        "black-splits": "8/11 10/11 10/13 17/20 26/29 28/29 28/31",
        "red-snake": "1 5 9 12 14 16 19 23 27 30 32 34",
    },
    US: {},
}

#: Both 0 and 00 end in the digit 0.
_FINALES = {
    "finale 0": "0 00 10 20 30",
    "finale 1": "1 11 21 31",
    "finale 2": "2 12 22 32",
    "finale 3": "3 13 23 33",
    "finale 4": "4 14 24 34",
    "finale 5": "5 15 25 35",
    "finale 6": "6 16 26 36",
    "finale 7": "7 17 27",
    "finale 8": "8 18 28",
    "finale 9": "9 19 29",
}

#: What Complete adds beside the zeros: their splits, and the streets that are exceptions.
_COMPLETE_HEAD = {
    "0": "0 0/00 0/1 0/2 0/1/2 0/00/2",
    "00": "00 0/00 00/2 00/3 0/00/2 00/2/3",
    "1": "0/1 0/1/2",
    "2": "0/2 00/2 0/1/2 0/00/2 00/2/3",
    "3": "00/3 00/2/3",
}


@cache
def calls(venue: str) -> dict[str, Pieces]:
    """List every call a venue offers, with every number it can be called on, as pieces."""
    found = {name: _pieces(text.split()) for name, text in _SERIES[venue].items()}
    if venue in (MARINA_BAY_SANDS, CLEARWATER):
        found |= {name: _pieces(text.split()) for name, text in _FINALES.items()}
    if venue != US:
        found |= {f"neighbours {pocket}": _pieces(neighbours(venue, pocket, 2)) for pocket in WHEELS[venue]}
    if venue == CLEARWATER:
        found |= {f"neighbours {n} by {k}": _pieces(neighbours(venue, n, k)) for n in WHEELS[venue] for k in (3, 4)}
        found |= {f"complete {pocket}": complete(pocket) for pocket in WHEELS[venue]}
    return found


def _pieces(texts: Iterable[str]) -> Pieces:
    return Counter(cover(text) for text in texts)


def neighbours(venue: str, pocket: str, each_side: int) -> tuple[str, ...]:
    """Give a pocket and its neighbours in the order of the wheel, which has no end."""
    order = WHEELS[venue]
    place = order.index(pocket)
    return tuple(order[(place + step) % len(order)] for step in range(-each_side, each_side + 1))


def complete(pocket: str) -> Pieces:
    """Step from the number: sideways within its row, by three along its column, and by both to make a corner."""
    pieces = _pieces(_COMPLETE_HEAD.get(pocket, "").split())
    if pocket in ("0", "00"):
        return pieces
    n = int(pocket)
    sideways = [step for step in (-1, 1) if (n + step - 1) // 3 == (n - 1) // 3]
    along = [step for step in (-3, 3) if 1 <= n + step <= 36]
    pieces[_numbers(n)] += 1
    pieces.update(_numbers(n, n + step) for step in sideways + along)
    pieces.update(_numbers(n, n + side, n + up, n + side + up) for side in sideways for up in along)
    return pieces


def returns(venue: str, pieces: Pieces) -> dict[str, int]:
    """Give what the pieces, one unit each, bring back on every pocket."""
    bets = legal_bets(venue)
    return {
        pocket: sum(bets[numbers].gross(pocket) * count for numbers, count in pieces.items())
        for pocket in WHEELS[venue]
    }


def edge(venue: str, pieces: Pieces) -> Fraction:
    """Spin every pocket once, and see what share of the stakes the house has kept."""
    back = returns(venue, pieces)
    return 1 - Fraction(sum(back.values()), len(back) * pieces.total())
