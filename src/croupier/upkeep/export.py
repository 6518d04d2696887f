"""Exports to a file: a part of a journal written whole or not at all, by a running system from a copy."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Final

from croupier.engine.archive import JOURNAL
from croupier.journal.entry import Entry
from croupier.journal.export import Part, enclosing, export, sheets_of
from croupier.journal.fault import JournalFault
from croupier.journal.signature import Signer, Verifier
from croupier.journal.sqlite import SqliteStore
from croupier.journal.store import Store
from croupier.upkeep.answer import Exported
from croupier.upkeep.fault import UpkeepFault, translated

#: Where a running system leaves an export in its data directory: it may be confined to that, and its client is not.
_EXPORTED: Final = "exported"


def clear_exported(data: Path) -> None:
    """Remove exports that no client has fetched."""
    shutil.rmtree(data / _EXPORTED, ignore_errors=True)


def find_part(folder: Path, verifier: Verifier, first: int, last: int | None, see: Callable[[Entry], object]) -> Part:
    """Find the part of a copied journal that holds some entries, prove it, and show each of its entries."""
    with _copied(folder) as store:
        part = enclosing(store, verifier, first, last)
        if part is None:
            raise UpkeepFault(f"the journal has no entry {max(first, last or first)}")
        for sheet in sheets_of(store, part):
            for entry in sheet.entries:
                see(entry)
        return part


def export_copy(folder: Path, data: Path, signer: Signer, part: Part) -> Exported:
    """Export a part of a copied journal to a file in the data directory, for the client to fetch."""
    out = data / _EXPORTED / f"journal-{part.first}-{part.last}.zip"
    with _copied(folder) as store, translated():
        clear_exported(data)
        out.parent.mkdir(mode=0o700)
        write_export(store, signer, part, out)
    return Exported(str(out), part.first, part.last, len(part.checkpoints))


def fetch_export(made: Exported, out: Path) -> None:
    """Move an export that a running system has left to where it was wanted; OSError where it cannot be there."""
    source = Path(made.path)
    try:
        with source.open("rb") as content, _whole(out) as file:
            shutil.copyfileobj(content, file)
    finally:
        source.unlink(missing_ok=True)


def write_export(store: Store, signer: Signer, part: Part, out: Path) -> None:
    """Write a bundle whole or not at all, and never over another file; OSError where it cannot be written."""
    with _whole(out) as file:
        export(store, signer, part, file)


@contextmanager
def _whole(out: Path) -> Iterator[IO[bytes]]:
    with out.open("xb") as file:
        try:
            yield file
        except BaseException:
            out.unlink()
            raise


@contextmanager
def _copied(folder: Path) -> Iterator[SqliteStore]:
    """Open a copied journal; what is wrong with the copy does not stop the house."""
    try:
        with closing(SqliteStore(folder / JOURNAL, writing=False)) as store:
            yield store
    except JournalFault as fault:
        raise UpkeepFault(f"the copy of the journal is not what was written: {fault}") from fault
