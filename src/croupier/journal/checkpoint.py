"""Checkpoints: the venue's signature under the journal as it stands at one position."""

import msgspec

from croupier.house.name import Instant
from croupier.journal.page import Mark
from croupier.journal.signature import Signer, Verifier

#: What is signed begins with what it is, so that no signature serves for anything else.
PREFIX = b"croupier checkpoint 1\n"


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a checkpoint says: the journal up to here has this digest."""

    #: Checkpoints are counted from 1 without gaps, so that a missing one is missed.
    number: int
    position: int
    page: int
    epoch: int
    #: The digest of the chain, in hexadecimal.
    head: str
    at: Instant

    @property
    def mark(self) -> Mark:
        return Mark(self.position, self.page, self.epoch, bytes.fromhex(self.head))


class Checkpoint(msgspec.Struct, frozen=True):
    """A statement as it was written, and the signature under it."""

    body: bytes
    signature: bytes

    def statement(self) -> Statement:
        """Read what is said; ValueError where it is nothing."""
        return _DECODER.decode(self.body)

    def holds(self, verifier: Verifier) -> bool:
        return verifier.accepts(self.signature, PREFIX + self.body)


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Statement)


def checkpoint(signer: Signer, number: int, mark: Mark, at: Instant) -> Checkpoint:
    """Sign the journal as it stands at a mark."""
    statement = Statement(number, mark.position, mark.page, mark.epoch, mark.head.hex(), at)
    body = _ENCODER.encode(statement)
    return Checkpoint(body, signer.sign(PREFIX + body))
