"""Exports: a part of the journal as one file, which anybody can verify who has the venue's public key."""

import hashlib
import zipfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import IO, Final, NamedTuple

from croupier.journal.checkpoint import Checkpoint
from croupier.journal.page import BEGINNING, Mark
from croupier.journal.proof import proven, signed
from croupier.journal.signature import Signer, Verifier
from croupier.journal.store import Store
from croupier.journal.verify import BUNDLE, COVERED, ENTRIES, FORM, PARTS, PROOF, PUBLIC, SIGNATURE, canonical

#: The same part makes the same file, whenever it is exported.
_DATE: Final = (2000, 1, 1, 0, 0, 0)


class Part(NamedTuple):
    """A part of a journal that signatures enclose: from after one checkpoint to another."""

    #: None where it begins with the first entry.
    before: Checkpoint | None
    since: Mark
    checkpoints: tuple[Checkpoint, ...]
    last: int

    @property
    def first(self) -> int:
        return self.since.position + 1


def enclosing(store: Store, verifier: Verifier, first: int, last: int | None) -> Part | None:
    """Find the least part that signatures enclose and that holds these entries; None where they are not all signed."""
    statements = list(signed(store, verifier, BEGINNING))[::-1]
    kept = dict(zip((said.number for said in statements), list(store.checkpoints())[::-1], strict=True))
    wanted = statements[-1].position if last is None and statements else last or first
    end = next((said.position for said in statements if said.position >= wanted), None)
    if end is None or first > end:
        return None
    before = max((said.number for said in statements if said.position < first), default=0)
    since = statements[before - 1].mark if before else BEGINNING
    inside = tuple(kept[said.number] for said in statements if since.position < said.position <= end)
    return Part(kept.get(before), since, inside, end)


def export(store: Store, signer: Signer, part: Part, out: IO[bytes]) -> None:
    """Write a part of the journal as a bundle, signed as a whole; Damaged where it is not what was written."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        digests = {ENTRIES: _write(bundle, ENTRIES, _lines(store, signer.verifier, part))}
        others = {
            PUBLIC: signer.verifier.pem,
            "verify.py": files("croupier.journal").joinpath("verify.py").read_bytes(),
            "README.txt": _readme(part).encode(),
        }
        digests |= {name: _write(bundle, name, (content,)) for name, content in others.items()}
        proof = _proof(part, digests)
        _write(bundle, PROOF, (proof,))
        _write(bundle, SIGNATURE, (signer.sign(BUNDLE + proof).hex().encode() + b"\n",))


def _lines(store: Store, verifier: Verifier, part: Part) -> Iterator[bytes]:
    for sheet in proven(store, verifier, part.since):
        yield sheet.page.lines
        if sheet.page.last >= part.last:
            return


def _write(bundle: zipfile.ZipFile, name: str, parts: Iterator[bytes] | Sequence[bytes]) -> str:
    """Write one member bit by bit; give its digest."""
    about = zipfile.ZipInfo(name, _DATE)
    about.compress_type = zipfile.ZIP_DEFLATED
    digest = hashlib.sha256()
    with bundle.open(about, "w", force_zip64=True) as member:
        for each in parts:
            digest.update(each)
            member.write(each)
    return digest.hexdigest()


def _proof(part: Part, digests: dict[str, str]) -> bytes:
    before = None if part.before is None else _stated(part.before)
    checkpoints = [_stated(each) for each in part.checkpoints]
    values = (FORM, part.first, part.last, before, checkpoints, {name: digests[name] for name in COVERED})
    return canonical(dict(zip(PARTS, values, strict=True)))


def _stated(checkpoint: Checkpoint) -> dict[str, str]:
    return {"body": checkpoint.body.decode(), "signature": checkpoint.signature.hex()}


def _readme(part: Part) -> str:
    return f"""\
Entries {part.first} to {part.last} of a venue's journal.

{ENTRIES}  one entry to a line: its digest, a blank, and the entry as JSON
{PROOF}     the venue's signatures under it, and the digests of these files
{SIGNATURE}      the venue's signature under the proof
{PUBLIC}     the venue's public key
verify.py      holds all of it together; it needs Python 3.11 and the package cryptography

The digest of an entry is the SHA-256 of the digest before it, 32 bytes, and of the entry's own bytes. Before the first
entry of a journal stand 32 zero bytes. A signature is Ed25519 over "croupier checkpoint 1", a line feed, and the body;
that of the proof over "croupier bundle 1", a line feed, and the proof.

    python verify.py BUNDLE --key PUBLIC.pem

Have the public key from the venue, not from this bundle: whoever can make a bundle can put a key in it. The same goes
for verify.py, where you do not trust whoever handed it on. And hold the entries that it names against those that you
asked for.
"""
