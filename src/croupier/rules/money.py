"""Money: whole cents, read and written with at most two decimals."""

import re
from typing import Final, NewType

Cents = NewType("Cents", int)

CENTS_PER_UNIT: Final = 100
#: Twelve digits before the point: more than a casino holds, and far below the range of 64 bits.
FIGURES: Final = 12
#: The largest amount that is taken from a person or from another venue: ninety of them add up exactly in a browser.
AMOUNT_MAX: Final = Cents(10 ** (FIGURES + 2) - 1)
AMOUNT: Final = re.compile(rf"(?P<units>[0-9]{{1,{FIGURES}}})(?:\.(?P<cents>[0-9]{{1,2}}))?")


def cents_of(text: str) -> Cents | None:
    """Parse an amount such as ``5``, ``0.5`` or ``12.50``; None if the text is not an amount."""
    match = AMOUNT.fullmatch(text)
    if match is None:
        return None
    cents = (match["cents"] or "").ljust(2, "0")
    return Cents(int(match["units"]) * CENTS_PER_UNIT + int(cents))


def amount_text(cents: int) -> str:
    """Format cents as an amount: no decimals for whole units, otherwise two."""
    units, rest = divmod(abs(cents), CENTS_PER_UNIT)
    sign = "-" if cents < 0 else ""
    return f"{sign}{units}.{rest:02d}" if rest else f"{sign}{units}"
