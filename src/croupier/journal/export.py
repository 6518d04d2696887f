"""Exports: a range of the journal or one entry as a file, which can be verified with the venue's public key."""

import hashlib
import zipfile
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import IO, Final, NamedTuple

from croupier.journal.checkpoints import Checkpoint, Signer, Statement, Verifier, verify_checkpoint
from croupier.journal.disk import JournalCorrupt
from croupier.journal.entry import EMPTY_HEAD, JournalHead, Page
from croupier.journal.pages import merkle_path
from croupier.journal.stores import Store
from croupier.journal.verify import (
    BUNDLE,
    COVERED,
    ENTRY_FORM,
    ENTRY_PARTS,
    FORM,
    PAGES,
    PARTS,
    PROOF,
    PUBLIC,
    ROUND,
    SIGNATURE,
    canonical,
)

#: The same range gives the same bytes, whenever it is exported.
_DATE: Final = (2000, 1, 1, 0, 0, 0)

#: The description of each file about one round, by its name.
_ROUND_FILES: Final = dict(
    zip(ROUND, ("the round's steps, as JSON", "the round as notation: `croupier round` plays it again"), strict=True)
)


class ExportRange(NamedTuple):
    """A range of a journal between two checkpoints: from the entry after one to the last entry of another."""

    #: None when it begins with the first entry.
    before: Checkpoint | None
    since: JournalHead
    checkpoints: tuple[Checkpoint, ...]
    last: int

    @property
    def first(self) -> int:
        return self.since.position + 1


def export_range(store: Store, verifier: Verifier, first: int, last: int | None) -> ExportRange | None:
    """Find the smallest range between checkpoints that contains these entries; None when not all of them are signed.

    A binary search reads a few checkpoints, and then those of the range.
    """
    newest = next((verify_checkpoint(each, verifier, EMPTY_HEAD) for each in store.checkpoints()), None)
    end = newest.position if last is None and newest is not None else last or first
    if newest is None or max(first, end) > newest.position:
        return None
    before = _first_at(store, verifier, newest, first) - 1
    since = EMPTY_HEAD if before == 0 else _statement(store, verifier, before).journal_head
    inside = list(_inside(store, verifier, before, end))
    return ExportRange(
        None if before == 0 else _checkpoint(store, before), since, tuple(inside), inside[-1].statement().position
    )


def _inside(store: Store, verifier: Verifier, before: int, end: int) -> Iterator[Checkpoint]:
    """Read the checkpoints after one, to the last of those at the first signed position at or after an entry."""
    number, closes = before, 0
    while (found := store.next_checkpoint(number)) is not None:
        statement = _statement(store, verifier, number + 1)
        if closes not in (0, statement.position):
            return
        closes = statement.position if statement.position >= end else 0
        yield found
        number += 1


def _first_at(store: Store, verifier: Verifier, newest: Statement, position: int) -> int:
    """Find the number of the first checkpoint that covers an entry."""
    low, high = 1, newest.number
    while low < high:
        middle = (low + high) // 2
        statement = _statement(store, verifier, middle)
        low, high = (low, middle) if statement.position >= position else (middle + 1, high)
    return low


def _checkpoint(store: Store, number: int) -> Checkpoint:
    found = store.next_checkpoint(number - 1)
    if found is None:
        raise JournalCorrupt(1, f"checkpoint {number} is missing")
    return found


def _statement(store: Store, verifier: Verifier, number: int) -> Statement:
    found = verify_checkpoint(_checkpoint(store, number), verifier, EMPTY_HEAD)
    if found.number != number:
        raise JournalCorrupt(found.position, f"checkpoint {found.number} is in the place of checkpoint {number}")
    return found


def page_line(page: Page) -> bytes:
    """Return a page as a line of a bundle: its digest, a space, and its body in base64."""
    return b"%b %b\n" % (page.head.hex().encode(), b64encode(page.body))


def entry_proof(part: ExportRange, pages: Sequence[Page], position: int) -> bytes:
    """Prove one entry: its page, and the path from there to the root that the first checkpoint of its range states."""
    index = next(index for index, page in enumerate(pages) if page.last >= position)
    before = part.since.digest if index == 0 else pages[index - 1].head
    path = [node.hex() for node in merkle_path([page.head for page in pages], index)]
    page, checkpoint = b64encode(pages[index].body).decode(), _stated(part.checkpoints[0])
    values = (ENTRY_FORM, position, before.hex(), page, path, checkpoint)
    return canonical(dict(zip(ENTRY_PARTS, values, strict=True)))


def write_bundle(
    signer: Signer,
    part: ExportRange,
    pages: Iterable[bytes],
    out: IO[bytes],
    beside: Mapping[str, bytes],
) -> None:
    """Write the lines of the pages of a range as a bundle, with the files about one round, signed as a whole."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        digests = {PAGES: _write(bundle, PAGES, pages)}
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
    """Write one member in parts; return its digest."""
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
    round_ = "".join(f"{name:<15}{_ROUND_FILES[name]}\n" for name in beside)
    return f"""\
Entries {part.first} to {part.last} of a venue's journal.

{PAGES}      one page of entries to a line: its digest, a space, and the page in base64
{PROOF}     the venue's signatures under it, and the digests of these files
{SIGNATURE}      the venue's signature under the proof
{PUBLIC}     the venue's public key
verify.py      verifies all of it; it needs Python 3.11 and the package cryptography
{round_}
The digest of a page is the SHA-256 of the 32 bytes of the digest before it, followed by the page's own bytes. The
digest before the first page of a journal is 32 zero bytes. A page is one array in MessagePack: the number 2, the number
of the page, the epoch, the position of its first entry, its time, two tables, and one row for each entry. verify.py
writes the entries as JSON. A checkpoint's signature is Ed25519 over "croupier checkpoint 3", a line feed, and the body,
which states the digest of its last page. The proof's signature is over "croupier bundle 2", a line feed, and the proof.

    python -P verify.py BUNDLE --key PUBLIC.pem --entries ENTRIES.jsonl

Get the public key from the venue, not from this bundle: a forged bundle contains the forger's key. Get verify.py from
the venue too, unless you trust the sender. Check that the entries it reports are those that you requested.
"""
