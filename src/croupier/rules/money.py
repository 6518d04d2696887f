"""Money: whole cents, read and written with at most two decimals."""

import re
from typing import Final, NewType

Cents = NewType("Cents", int)

CENTS_PER_UNIT: Final = 100
#: Twelve figures before the point: more than a casino holds, and far below what 64 bits carry.
FIGURES: Final = 12
AMOUNT: Final = re.compile(rf"(?P<units>[0-9]{{1,{FIGURES}}})(?:\.(?P<cents>[0-9]{{1,2}}))?")


def cents_of(text: str) -> Cents | None:
    """Read an amount such as ``5``, ``0.5`` or ``12.50``; None where the text is not one."""
    match = AMOUNT.fullmatch(text)
    if match is None:
        return None
    cents = (match["cents"] or "").ljust(2, "0")
    return Cents(int(match["units"]) * CENTS_PER_UNIT + int(cents))


def amount_text(cents: int) -> str:
    """Write cents as an amount: no decimals where there are no cents, two where there are."""
    units, rest = divmod(abs(cents), CENTS_PER_UNIT)
    sign = "-" if cents < 0 else ""
    return f"{sign}{units}.{rest:02d}" if rest else f"{sign}{units}"
