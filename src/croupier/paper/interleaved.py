"""Interleaved 2 of 5: digits as bars and spaces, the first digit of two in the bars and the second between them."""

from collections.abc import Iterator
from typing import Final

#: A wide bar beside a narrow one. Readers take 2 to 3; thermal paper bleeds, so the most is best.
WIDE: Final = 3
#: The clear margin on either side that readers are promised, in narrow bars.
QUIET: Final = 10
#: Two of five bars are wide for each digit.
_PATTERNS: Final = ("nnwwn", "wnnnw", "nwnnw", "wwnnn", "nnwnw", "wnwnn", "nwwnn", "nnnww", "wnnwn", "nwnwn")
_START: Final = "nnnn"
_STOP: Final = "wnn"


def widths(digits: str) -> tuple[int, ...]:
    """Give bars and spaces in turn, a bar first, in narrow bars."""
    assert digits.isascii()
    assert digits.isdigit()
    assert len(digits) % 2 == 0
    pairs = zip(digits[::2], digits[1::2], strict=True)
    elements = _START + "".join(map("".join, map(_woven, pairs))) + _STOP
    return tuple(WIDE if element == "w" else 1 for element in elements)


def bars(digits: str) -> Iterator[tuple[int, int]]:
    """Give where each bar begins and how wide it is, in narrow bars."""
    at = 0
    for place, width in enumerate(widths(digits)):
        if place % 2 == 0:
            yield at, width
        at += width


def _woven(pair: tuple[str, str]) -> Iterator[str]:
    barred, spaced = (_PATTERNS[int(digit)] for digit in pair)
    for bar, space in zip(barred, spaced, strict=True):
        yield bar + space
