"""Witnessed heads: signed checkpoints in other hands, and a journal verified against them.

Whoever holds the venue's key can write a journal anew, with every digest and signature right. The heads that others
hold are not the key holder's to change: a journal whose past was rewritten has another head at the same entry.
"""

from collections.abc import Iterable

import msgspec

from croupier.journal.checkpoints import Checkpoint, Statement, Verifier, verify_checkpoint
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD
from croupier.journal.stores import Store


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One witnessed head as it is sent: a checkpoint's statement as JSON, and its signature in hexadecimal."""

    body: str
    signature: str


_LINES = msgspec.json.Decoder(Line)


def written(checkpoints: Iterable[Checkpoint]) -> bytes:
    """Write checkpoints as a witness keeps them: a line of JSON each."""
    lines = (Line(each.body.decode(), each.signature.hex()) for each in checkpoints)
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def read(content: bytes, verifier: Verifier) -> list[Statement]:
    """Read what a witness has kept; Damaged where a line is none, or not signed by the venue."""
    return [_read(line, number, verifier) for number, line in enumerate(content.splitlines(), start=1)]


def _read(line: bytes, number: int, verifier: Verifier) -> Statement:
    try:
        kept = _LINES.decode(line)
        checkpoint = Checkpoint(kept.body.encode(), bytes.fromhex(kept.signature))
    except ValueError as error:
        raise JournalCorrupt(1, f"line {number} of the witness cannot be read: {error}") from error
    return verify_checkpoint(checkpoint, verifier, EMPTY_HEAD)


def check_witnessed(store: Store, heads: Iterable[Statement]) -> None:
    """Verify a journal against the heads that a witness has kept; Damaged names the first that it does not have."""
    for head in heads:
        page = store.page(head.page)
        if page is None:
            words = f"a witness has a head of entry {head.position}, and the journal ends before it"
            raise JournalCorrupt(head.position, words)
        if page.journal_head != head.journal_head:
            raise JournalCorrupt(
                head.position, f"a witness has another head of entry {head.position}: the past was rewritten"
            )
