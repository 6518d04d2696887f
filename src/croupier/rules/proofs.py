"""Provable draws: a pocket that follows from a secret of the house and shares of players, all committed beforehand.

The house commits to a secret before bets are placed, and players commit to shares while they bet. After the seal the
shares are revealed, and then the secret. Nobody can choose their part after they know another one, so one honest part
makes the pocket unpredictable and fair.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from croupier.rules.geometry import Pocket

Position = TypeVar("Position", bound=int)

#: The length of a secret, a share and a commitment, in bytes.
LENGTH = 32
#: Separates these digests from all others, with their version.
_COMMITTED = b"croupier commitment 1\n"
_DRAWN = b"croupier draw 1\n"
_WORDS = 256


def is_hex(text: str) -> bool:
    """Check that a text is a secret, a share or a commitment: 64 lower-case hexadecimal digits."""
    return len(text) == 2 * LENGTH and not set(text) - set("0123456789abcdef")


def commitment(hidden: str) -> str:
    """Return the commitment to a secret or a share, which reveals nothing of it."""
    return hashlib.sha256(_COMMITTED + bytes.fromhex(hidden)).hexdigest()


def drawn_pocket(order: Sequence[Pocket], secret: str, shares: Mapping[Position, str]) -> Pocket:
    """Return the pocket that a secret and the shares give, by the number of each position.

    A stream of bytes follows from all of them. Bytes that would favour some pockets are rejected, as a random wheel
    rejects them.
    """
    fair = _WORDS - _WORDS % len(order)
    return next(order[word % len(order)] for word in _stream(secret, shares) if word < fair)


def _stream(secret: str, shares: Mapping[Position, str]) -> Iterator[int]:
    parts = "".join(f"{position} {share}\n" for position, share in sorted(shares.items()))
    seed = hashlib.sha256(_DRAWN + bytes.fromhex(secret) + parts.encode("ascii")).digest()
    block = 0
    while True:
        yield from hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
        block += 1


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """All that was published of a provable draw."""

    order: tuple[Pocket, ...]
    commitment: str
    secret: str
    #: The commitments and the shares by position.
    committed: Mapping[int, str]
    revealed: Mapping[int, str]
    pocket: Pocket

    def problems(self) -> Iterator[str]:
        """Say what does not hold; nothing when the draw is proven."""
        if commitment(self.secret) != self.commitment:
            yield "The secret is not the one that the house committed to."
        for position in sorted(self.committed.keys() | self.revealed.keys()):
            share = self.revealed.get(position)
            if share is None:
                yield f"The share of position {position} was not revealed."
            elif commitment(share) != self.committed.get(position):
                yield f"The share of position {position} is not the one that it committed to."
        follows = drawn_pocket(self.order, self.secret, self.revealed)
        if follows != self.pocket:
            yield f"The pocket that follows is {follows}, and not {self.pocket}."
