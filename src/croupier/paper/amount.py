"""Amounts on paper: in figures, always with both decimals, and in words."""

from typing import Final

from croupier.rules.money import CENTS_PER_UNIT

_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"))

#: The currencies of the rulebooks, one and many. Any other goes by its code, and its hundredths by what they are.
_NAMES: Final = {
    "AUD": ("Australian dollar", "Australian dollars"),
    "SGD": ("Singapore dollar", "Singapore dollars"),
    "USD": ("US dollar", "US dollars"),
}
_CENTS: Final = ("cent", "cents")
_HUNDREDTHS: Final = ("hundredth", "hundredths")


def number(cents: int) -> str:
    """Write an amount with groups of three and both decimals, so that nothing can be added behind it."""
    units, rest = divmod(abs(cents), CENTS_PER_UNIT)
    return f"{'-' if cents < 0 else ''}{units:,}.{rest:02d}"


def figures(cents: int, currency: str) -> str:
    return f"{currency} {number(cents)}"


def words(cents: int, currency: str) -> str:
    """Spell an amount out; the currency is named even where there are cents alone."""
    assert cents >= 0
    units, rest = divmod(cents, CENTS_PER_UNIT)
    told = _counted(units, _NAMES.get(currency, (currency, currency)))
    if rest:
        told += f" and {_counted(rest, _CENTS if currency in _NAMES else _HUNDREDTHS)}"
    return told[0].upper() + told[1:]


def _counted(count: int, names: tuple[str, str]) -> str:
    return f"{spelled(count)} {names[count != 1]}"


def spelled(count: int) -> str:
    """Spell a whole number out, below a thousand billions."""
    assert 0 <= count < 10**12
    parts = []
    for scale, name in _SCALES:
        above, count = divmod(count, scale)
        if above:
            parts.append(f"{_below_thousand(above)} {name}")
    if not parts:
        return _below_thousand(count)
    if count:
        parts.append(_below_thousand(count) if count // 100 else f"and {_below_hundred(count)}")
    return " ".join(parts)


def _below_thousand(count: int) -> str:
    hundreds, rest = divmod(count, 100)
    if not hundreds:
        return _below_hundred(rest)
    return f"{_ONES[hundreds]} hundred" + (f" and {_below_hundred(rest)}" if rest else "")


def _below_hundred(count: int) -> str:
    if count < len(_ONES):
        return _ONES[count]
    tens, rest = divmod(count, 10)
    return _TENS[tens] + (f"-{_ONES[rest]}" if rest else "")
