"""The place of a journal: a file in the data directory, or a venue of a database that the directory names."""

from pathlib import Path
from typing import Final

import msgspec

from croupier.journal.claims import ClaimListener, ClaimStore
from croupier.journal.disk import JournalFault, write_atomic
from croupier.journal.stores import DurableStore, OwnedStore
from croupier.journal.stores.sqlite import SqliteStore

JOURNAL: Final = "journal.db"
#: Names the database, in a data directory whose journal is not in it.
PLACE_FILE: Final = "journal.json"
_NO_DRIVER: Final = "a journal in PostgreSQL needs the extra of that name: pip install 'croupier[postgresql]'"


class JournalPlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A journal in a database: its address, without a password, and the name of the venue."""

    address: str
    venue: str

    def __str__(self) -> str:
        return f"{self.address} ({self.venue})"


def place_of(data: Path) -> JournalPlace | None:
    """Read where the journal of a data directory is; None when it is in the directory."""
    try:
        return msgspec.json.decode(data.joinpath(PLACE_FILE).read_bytes(), type=JournalPlace)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise JournalFault(f"{data.joinpath(PLACE_FILE)} does not name a journal: {error}") from error


def settle_place(data: Path, configured: JournalPlace | None) -> None:
    """Record the configured place in a data directory that has no journal yet; JournalFault when it has another."""
    found = place_of(data)
    if found == configured:
        return
    if found is not None or data.joinpath(JOURNAL).exists():
        here = data.joinpath(JOURNAL) if found is None else found
        there = data.joinpath(JOURNAL) if configured is None else configured
        words = f"the journal of {data} is {here}, and the configuration names {there}"
        raise JournalFault(f"{words}: move it with `croupier migrate`, or use another data directory")
    assert configured is not None
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        record_place(data, configured)
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error


def record_place(data: Path, place: JournalPlace) -> None:
    """Record where the journal of a data directory is."""
    write_atomic(data.joinpath(PLACE_FILE), msgspec.json.format(msgspec.json.encode(place)) + b"\n")


def holds_journal(data: Path) -> bool:
    """Return whether a data directory has a journal, or names one."""
    return data.joinpath(JOURNAL).is_file() or place_of(data) is not None


def open_store(data: Path, *, writing: bool = True) -> DurableStore:
    """Open the journal of a data directory, wherever it is."""
    place = place_of(data)
    return SqliteStore(data.joinpath(JOURNAL), writing=writing) if place is None else open_place(place, writing=writing)


def follow_store(data: Path) -> DurableStore:
    """Open the journal of a data directory, which another process is writing, to read it."""
    place = place_of(data)
    if place is None:
        return SqliteStore(data.joinpath(JOURNAL), writing=False, following=True)
    return open_place(place, writing=False, following=True)


def open_place(place: JournalPlace, *, writing: bool = True, following: bool = False) -> DurableStore:
    """Open a journal in a database; JournalFault when its driver is not installed."""
    try:
        from croupier.journal.stores.postgresql import PostgresStore  # noqa: PLC0415 - the driver is an optional extra
    except ImportError as error:
        raise JournalFault(_NO_DRIVER) from error
    return PostgresStore(place.address, place.venue, writing=writing, following=following)


def open_owned(place: JournalPlace) -> OwnedStore:
    """Open a journal in a database with the rights of the owner of its tables."""
    from croupier.journal.stores.postgresql import PostgresStore  # noqa: PLC0415 - the driver is an optional extra

    return PostgresStore(place.address, place.venue)


def open_claims(place: JournalPlace) -> ClaimStore:
    """Open the messages about tickets to and from a venue of a database."""
    from croupier.journal.stores.postgresql import PostgresClaims  # noqa: PLC0415 - the driver is an optional extra

    return PostgresClaims(place.address, place.venue)


def listen_for_claims(place: JournalPlace) -> ClaimListener:
    """Open a connection that waits for messages about tickets to a venue of a database."""
    from croupier.journal.stores.postgresql import PostgresClaimListener  # noqa: PLC0415 - the driver is an optional extra

    return PostgresClaimListener(place.address, place.venue)
