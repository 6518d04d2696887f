"""Check digits: three keyed digits behind fifteen, which tell a number that was misread before anybody looks it up."""

import hmac
from itertools import count
from typing import Final

#: A prime just under 1,000, so that three digits hold any remainder and every weight can be divided by.
PRIME: Final = 997
BODY: Final = 15
CHECK: Final = 3

#: What two misread digits can make up for: weights whose ratio is that of two differences of digits, 1 to 9 either way.
_MADE_UP: Final = frozenset(
    sign * one * pow(other, -1, PRIME) % PRIME for sign in (1, -1) for one in range(1, 10) for other in range(1, 10)
)
#: The check digits stand for their own value, so these are their weights.
_PLACES: Final = tuple(-(10**place) % PRIME for place in range(CHECK))


class Check:
    """A weighted sum modulo a prime, by a key. A number is right where body and check digits together come to nought.

    Each digit has a weight of its own, none nought, and no two in a ratio that two misread digits can make up for: so
    wherever one or two of the eighteen are wrong, or have changed places, that shows. Of the 10**18 texts of eighteen
    digits 10**15 are right, so of all that is misread at random 99.9 % show. This is against misreading: what stands
    against guessing is the body, of which one in many millions was ever issued.
    """

    def __init__(self, key: bytes) -> None:
        self._weights = next(filter(None, (_weights(key, attempt) for attempt in count())))
        self._offset = int.from_bytes(hmac.digest(key, b"offset", "sha256")) % PRIME

    def digits(self, body: str) -> str:
        """Give the check digits of a body."""
        assert len(body) == BODY
        total = sum(weight * int(digit) for weight, digit in zip(self._weights, body, strict=True))
        return f"{(self._offset + total) % PRIME:0{CHECK}}"


def _weights(key: bytes, attempt: int) -> tuple[int, ...]:
    """Choose a weight for each digit of the body, in an order that the key gives; nothing where that order has none."""
    chosen = [*_PLACES]
    for weight in sorted(range(1, PRIME), key=lambda each: hmac.digest(key, b"%d %d" % (attempt, each), "sha256")):
        if all(weight * pow(other, -1, PRIME) % PRIME not in _MADE_UP for other in chosen):
            chosen.append(weight)
    body = chosen[CHECK : CHECK + BODY]
    return tuple(body) if len(body) == BODY else ()
