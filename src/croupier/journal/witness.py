"""Witnessed heads: signed checkpoints stored off the host, and a journal verified against them.

The holder of the venue's key can rewrite a journal with correct digests and signatures. The holder cannot change the
heads that a witness stores: a journal whose past was rewritten has another head at the same entry.
"""

from collections.abc import Iterable

import msgspec

from croupier.journal.checkpoints import Checkpoint, Statement, Verifier, verify_checkpoint
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.stores import Store


class WitnessedHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a witness: a checkpoint's statement as JSON, and its signature in hexadecimal."""

    body: str
    signature: str


_DECODER = msgspec.json.Decoder(WitnessedHead)


def encode_heads(checkpoints: Iterable[Checkpoint]) -> bytes:
    """Encode checkpoints for a witness: one line of JSON each."""
    lines = (WitnessedHead(each.body.decode(), each.signature.hex()) for each in checkpoints)
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def read_heads(content: bytes, verifier: Verifier) -> list[Statement]:
    """Read the lines of a witness; JournalCorrupt when one is malformed, or its signature is not the venue's."""
    return [_read(line, number, verifier) for number, line in enumerate(content.splitlines(), start=1)]


def _read(line: bytes, number: int, verifier: Verifier) -> Statement:
    try:
        head = _DECODER.decode(line)
        checkpoint = Checkpoint(head.body.encode(), bytes.fromhex(head.signature))
    except ValueError as error:
        raise JournalCorrupt(1, f"line {number} of the witness cannot be read: {error}") from error
    return verify_checkpoint(checkpoint, verifier, EMPTY_HEAD)


def check_witnessed(store: Store, heads: Iterable[Statement]) -> None:
    """Verify a journal against the heads of a witness; JournalCorrupt names the first that differs or is missing."""
    for head in heads:
        page = store.page(head.page)
        if page is None:
            words = f"a witness has a head of entry {head.position}, and the journal ends before it"
            raise JournalCorrupt(head.position, words)
        if page.journal_head != head.journal_head:
            raise JournalCorrupt(
                head.position, f"a witness has another head of entry {head.position}: the past was rewritten"
            )
