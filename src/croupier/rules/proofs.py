"""Provable draws: a pocket that follows from a secret of the house and shares of players, all committed beforehand.

The house commits to a secret when betting opens, and players commit to shares while they bet. After the seal the shares
are revealed, and then the secret. Nobody can choose their part after they know another one, so one honest part makes
the pocket unpredictable and fair. Table, round and spin are part of all digests: what belongs to one spin proves no
other.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeVar

from croupier.rules.geometry import Pocket
from croupier.rules.multipliers import Multiples, Multipliers, multiples_text

Position = TypeVar("Position", bound=int)

#: The length of a secret, a share and a commitment, in bytes.
LENGTH = 32
#: The first lines of the texts separate these digests from all others, with their version.
_COMMITTED = "croupier commitment 2"
_DRAWN = "croupier draw 2"
_MULTIPLIED = "croupier multiples 1"
_WORDS = 256


class Party(StrEnum):
    """Who commits: the house to its secret, a player to a share."""

    HOUSE = "house"
    PLAYER = "player"


class Spin(NamedTuple):
    """The spin that a draw is for."""

    table: str
    round: int
    spin: int


def is_hex(text: str) -> bool:
    """Check that a text is a secret, a share or a commitment: 64 lower-case hexadecimal digits."""
    return len(text) == 2 * LENGTH and not set(text) - set("0123456789abcdef")


def commitment(spin: Spin, party: Party, hidden: str) -> str:
    """Return the commitment to a secret or a share for one spin, which reveals nothing of it."""
    return _digest(_COMMITTED, *spin, party.value, hidden).hex()


def drawn_pocket(order: Sequence[Pocket], spin: Spin, secret: str, shares: Mapping[Position, str]) -> Pocket:
    """Return the pocket that a secret and the shares give, by the number of each position.

    A stream of bytes follows from all of them. Bytes that would favour some pockets are rejected, as a random wheel
    rejects them.
    """
    fair = _WORDS - _WORDS % len(order)
    return next(order[word % len(order)] for word in _stream(spin, secret, shares) if word < fair)


def drawn_multiples(
    multipliers: Multipliers, order: Sequence[Pocket], spin: Spin, secret: str, shares: Mapping[Position, str]
) -> dict[Pocket, int]:
    """Return the numbers and the multiples that a secret and the shares give, from a stream of their own."""
    return multipliers.drawn(order, _stream(spin, secret, shares, _MULTIPLIED))


def _stream(spin: Spin, secret: str, shares: Mapping[Position, str], what: str = _DRAWN) -> Iterator[int]:
    parts = (f"{position} {share}" for position, share in sorted(shares.items()))
    seed = _digest(what, *spin, secret, *parts)
    block = 0
    while True:
        yield from hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
        block += 1


def _digest(*lines: object) -> bytes:
    """Compute the SHA-256 of lines of text in UTF-8, each with a line feed at its end."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).digest()


@dataclass(frozen=True, slots=True)
class DrawRecord:
    """All that was published of a provable draw."""

    order: tuple[Pocket, ...]
    spin: Spin
    commitment: str
    secret: str
    #: The commitments and the shares by position.
    committed: Mapping[int, str]
    revealed: Mapping[int, str]
    pocket: Pocket
    #: What may be drawn before the spin, and what was, if there is such a draw.
    multipliers: Multipliers | None = None
    multiples: Multiples = field(default_factory=dict)

    def problems(self) -> Iterator[str]:
        """Say what does not hold; nothing when secret, shares and pocket fit the commitments."""
        if commitment(self.spin, Party.HOUSE, self.secret) != self.commitment:
            yield "The secret is not the one that the house committed to for this spin."
        for position in sorted(self.committed.keys() | self.revealed.keys()):
            share = self.revealed.get(position)
            if share is None:
                yield f"The share of position {position} was not revealed."
            elif commitment(self.spin, Party.PLAYER, share) != self.committed.get(position):
                yield f"The share of position {position} is not the one that it committed to for this spin."
        follows = drawn_pocket(self.order, self.spin, self.secret, self.revealed)
        if follows != self.pocket:
            yield f"The pocket that follows is {follows}, and not {self.pocket}."
        drawn: Multiples = {}
        if self.multipliers is not None:
            drawn = drawn_multiples(self.multipliers, self.order, self.spin, self.secret, self.revealed)
        if drawn != self.multiples:
            yield f"The multiples that follow are {multiples_text(drawn)}, and not {multiples_text(self.multiples)}."
