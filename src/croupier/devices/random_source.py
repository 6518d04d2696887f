"""The random source: draws one of several pockets with equal probability by the system's secure generator."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

Outcome = TypeVar("Outcome")

#: Returns so many random bytes.
Source = Callable[[int], bytes]
SECURE: Final[Source] = secrets.token_bytes

#: A sample is one byte: small enough for a test of every value.
WORDS: Final = 256
#: Fewer than half of all values are rejected, so a good source reaches this once in 2**128 draws.
TRIES_MAX: Final = 128


class SourceFault(Exception):  # noqa: N818 - a fault, as the project names it
    """The source returns no usable value."""


def draw(pockets: Sequence[Outcome], source: Source = SECURE) -> Outcome:
    """Draw one of the pockets; SourceFault when the source returns no usable value.

    A remainder alone would favour the first pockets. So only values below the highest multiple of the number of pockets
    count, and each pocket has the same share of those: six values of 256 on a wheel of 37 or 38. The others are
    rejected.
    """
    assert 0 < len(pockets) <= WORDS
    fair = WORDS - WORDS % len(pockets)
    for _ in range(TRIES_MAX):
        word = _word(source)
        if word < fair:
            return pockets[word % len(pockets)]
    raise SourceFault(f"the source gave {TRIES_MAX} words of {fair} or more")


#: Far more than a draw of several numbers and their multiples takes from a good source.
WORDS_MAX: Final = 16_384


def words(source: Source = SECURE) -> Iterator[int]:
    """Return random bytes for one draw of several values; SourceFault when the source gives no usable ones."""
    for _ in range(WORDS_MAX):
        yield _word(source)
    raise SourceFault(f"the source gave {WORDS_MAX} words without a draw")


def _word(source: Source) -> int:
    try:
        (word,) = source(1)
    except (OSError, ValueError) as error:
        raise SourceFault(f"the source gives no word: {error}") from error
    return word
