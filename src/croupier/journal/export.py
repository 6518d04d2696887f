"""Exports: a part of the journal as one file, which anybody can verify who has the venue's public key."""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import IO, Final, NamedTuple

from croupier.journal.checkpoints import Checkpoint, Signer, Statement, Verifier, verify_checkpoint
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, JournalHead
from croupier.journal.stores import Store
from croupier.journal.verify import BUNDLE, COVERED, ENTRIES, FORM, PARTS, PROOF, PUBLIC, ROUND, SIGNATURE, canonical

#: The same part makes the same file, whenever it is exported.
_DATE: Final = (2000, 1, 1, 0, 0, 0)

#: What each file about one round is, by its name.
_BESIDE: Final = dict(
    zip(
        ROUND,
        ("what the venue tells of the round, as JSON", "the round as notation: `croupier round` plays it again"),
        strict=True,
    )
)


class ExportRange(NamedTuple):
    """A part of a journal that signatures enclose: from after one checkpoint to another."""

    #: None where it begins with the first entry.
    before: Checkpoint | None
    since: JournalHead
    checkpoints: tuple[Checkpoint, ...]
    last: int

    @property
    def first(self) -> int:
        return self.since.position + 1


def export_range(store: Store, verifier: Verifier, first: int, last: int | None) -> ExportRange | None:
    """Find the least part that signatures enclose and that holds these entries; None where they are not all signed.

    Of the signatures only a few are read, found by halving, and those within the part.
    """
    newest = next((verify_checkpoint(each, verifier, EMPTY_HEAD) for each in store.checkpoints()), None)
    wanted = newest.position if last is None and newest is not None else last or first
    if newest is None or max(first, wanted) > newest.position:
        return None
    before = _first_at(store, verifier, newest, first) - 1
    since = EMPTY_HEAD if before == 0 else _said(store, verifier, before).journal_head
    inside = list(_inside(store, verifier, before, wanted))
    return ExportRange(
        None if before == 0 else _kept(store, before), since, tuple(inside), inside[-1].statement().position
    )


def _inside(store: Store, verifier: Verifier, before: int, wanted: int) -> Iterator[Checkpoint]:
    """Read the checkpoints after one, to the last of those that stand where an entry does first."""
    number, end = before, 0
    while (kept := store.next_checkpoint(number)) is not None:
        said = _said(store, verifier, number + 1)
        if end not in (0, said.position):
            return
        end = said.position if said.position >= wanted else 0
        yield kept
        number += 1


def _first_at(store: Store, verifier: Verifier, newest: Statement, position: int) -> int:
    """Find the number of the first checkpoint that an entry stands under."""
    low, high = 1, newest.number
    while low < high:
        middle = (low + high) // 2
        said = _said(store, verifier, middle)
        low, high = (low, middle) if said.position >= position else (middle + 1, high)
    return low


def _kept(store: Store, number: int) -> Checkpoint:
    found = store.next_checkpoint(number - 1)
    if found is None:
        raise JournalCorrupt(1, f"checkpoint {number} is missing")
    return found


def _said(store: Store, verifier: Verifier, number: int) -> Statement:
    said = verify_checkpoint(_kept(store, number), verifier, EMPTY_HEAD)
    if said.number != number:
        raise JournalCorrupt(said.position, f"checkpoint {said.number} stands where checkpoint {number} should")
    return said


def write_bundle(
    signer: Signer,
    part: ExportRange,
    lines: Iterable[bytes],
    out: IO[bytes],
    beside: Mapping[str, bytes],
) -> None:
    """Write the lines of a part as a bundle, with what is told of one round beside them, signed as a whole."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        digests = {ENTRIES: _write(bundle, ENTRIES, lines)}
        others = {
            PUBLIC: signer.verifier.pem,
            "verify.py": files("croupier.journal").joinpath("verify.py").read_bytes(),
            "README.txt": _readme(part, beside).encode(),
            **beside,
        }
        digests |= {name: _write(bundle, name, (content,)) for name, content in others.items()}
        proof = _proof(part, digests)
        _write(bundle, PROOF, (proof,))
        _write(bundle, SIGNATURE, (signer.sign(BUNDLE + proof).hex().encode() + b"\n",))


def _write(bundle: zipfile.ZipFile, name: str, parts: Iterable[bytes]) -> str:
    """Write one member bit by bit; give its digest."""
    about = zipfile.ZipInfo(name, _DATE)
    about.compress_type = zipfile.ZIP_DEFLATED
    digest = hashlib.sha256()
    with bundle.open(about, "w", force_zip64=True) as member:
        for each in parts:
            digest.update(each)
            member.write(each)
    return digest.hexdigest()


def _proof(part: ExportRange, digests: dict[str, str]) -> bytes:
    before = None if part.before is None else _stated(part.before)
    checkpoints = [_stated(each) for each in part.checkpoints]
    values = (FORM, part.first, part.last, before, checkpoints, _in_order(digests))
    return canonical(dict(zip(PARTS, values, strict=True)))


def _in_order(digests: Mapping[str, str]) -> dict[str, str]:
    return {name: digests[name] for name in (*COVERED, *ROUND) if name in digests}


def _stated(checkpoint: Checkpoint) -> dict[str, str]:
    return {"body": checkpoint.body.decode(), "signature": checkpoint.signature.hex()}


def _readme(part: ExportRange, beside: Iterable[str]) -> str:
    round_ = "".join(f"{name:<15}{_BESIDE[name]}\n" for name in beside)
    return f"""\
Entries {part.first} to {part.last} of a venue's journal.

{ENTRIES}  one entry to a line: its digest, a blank, and the entry as JSON
{PROOF}     the venue's signatures under it, and the digests of these files
{SIGNATURE}      the venue's signature under the proof
{PUBLIC}     the venue's public key
verify.py      holds all of it together; it needs Python 3.11 and the package cryptography
{round_}
The digest of an entry is the SHA-256 of the digest before it, 32 bytes, and of the entry's own bytes. Before the first
entry of a journal stand 32 zero bytes. A signature is Ed25519 over "croupier checkpoint 1", a line feed, and the body;
that of the proof over "croupier bundle 1", a line feed, and the proof.

    python verify.py BUNDLE --key PUBLIC.pem

Have the public key from the venue, not from this bundle: whoever can make a bundle can put a key in it. The same goes
for verify.py, where you do not trust whoever handed it on. And hold the entries that it names against those that you
asked for.
"""
