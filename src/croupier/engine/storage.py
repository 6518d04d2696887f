"""Store, anchor, snapshots and signer of a data directory."""

import hashlib
import zlib
from contextlib import ExitStack, closing
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

import croupier
from croupier.engine.places import JOURNAL, open_place, open_store, place_of
from croupier.engine.sequencer import AcceptedRow, IdempotencyCache
from croupier.engine.ticket_index import TICKETS, TicketIndex
from croupier.house import House, RulebookReader
from croupier.house.floor.setup import restore
from croupier.house.ids import DeviceId
from croupier.house.timers import rebuild
from croupier.journal.checkpoints import Signer, SnapshotFile, Snapshots
from croupier.journal.disk import JournalFault, RolledBack, sync_directory
from croupier.journal.keystore import Anchor, AnchorRecord, KeyStore, KeyStoreLock, lock_data
from croupier.journal.stores import Store
from croupier.rulebooks.schema import read_canonical
from croupier.rules.texts import is_file_name

SNAPSHOT: Final = "snapshot"
#: The directory for a restore's copy of a backup, and the record of its journal swap.
RESTORING: Final = "restoring"
SWAP_FILE: Final = "journal-swap.json"


class Storage(NamedTuple):
    """A journal's store, anchor, snapshots and signer."""

    store: Store
    anchor: Anchor
    snapshots: Snapshots
    signer: Signer
    #: The lock on the key store.
    lock: KeyStoreLock | None = None
    #: The index of tickets that have left the state.
    tickets: TicketIndex | None = None

    def close(self) -> None:
        """Close everything."""
        self.store.close()
        self.anchor.close()
        if self.tickets is not None:
            self.tickets.close()
        if self.lock is not None:
            self.lock.close()


class JournalSwap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A restore that swaps journals in a data directory, as it is recorded until that is done."""

    #: The backup that is restored.
    backup: str
    #: The folder in the data directory for the replaced journal, if there was one.
    aside: str | None
    #: Whether the replaced journal is being moved back.
    back: bool = False

    def __post_init__(self) -> None:
        if self.aside is not None and not is_file_name(self.aside):
            raise ValueError(f"{self.aside!r} is no folder in the data directory")

    def is_done(self, data: Path) -> bool:
        """Return whether all files are moved. The journal itself is moved last."""
        old = self.aside is not None and data.joinpath(self.aside, JOURNAL).exists()
        if self.back:
            return not old
        return data.joinpath(JOURNAL).exists() and (old or self.aside is None)

    def explain(self, data: Path) -> str:
        """Describe the interrupted restore, and how to continue."""
        again = f"`croupier restore {self.backup} --data {data}{'' if self.aside is None else ' --replace'}`"
        if self.is_done(data):
            return f"a restore of {self.backup} was interrupted when its journal was in place: this start completes it"
        return f"a restore of {self.backup} was interrupted, and nothing is lost: run {again} again"


def unfinished_swap(data: Path) -> JournalSwap | None:
    """Read the record of an interrupted restore, if any; JournalFault when it cannot be read."""
    path = data.joinpath(RESTORING, SWAP_FILE)
    try:
        return msgspec.json.decode(path.read_bytes(), type=JournalSwap)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise JournalFault(f"{path} cannot be read, and a restore was interrupted here: {error}") from error


def open_storage(data: Path, key_store: KeyStore) -> Storage:
    """Open a data directory and its key store for a run, and create both when there is nothing yet."""
    if key_store.path.resolve().is_relative_to(data.resolve()):
        raise JournalFault("the key store must not be in the data directory: a copy of one would contain the other")
    swap = unfinished_swap(data)
    if swap is not None and not swap.is_done(data):
        raise JournalFault(swap.explain(data))
    journal = data.joinpath(JOURNAL)
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_directory(data.parent)
        begun = journal.exists() and journal.stat().st_size > 0
    except OSError as error:
        raise JournalFault(f"{error.filename} cannot be used: {error.strerror}") from error
    with ExitStack() as opened:
        if (place := place_of(data)) is not None:
            # Several houses share the key store: the lease in the database says which of them writes.
            lock = opened.enter_context(closing(lock_data(data)))
            store = opened.enter_context(closing(open_place(place)))
            begun = store.last() is not None
        if not begun:
            key_store.provision()
        if place is None:
            lock = opened.enter_context(closing(key_store.lock(data)))
        signer, anchor = key_store.signer(), opened.enter_context(key_store.anchor())
        _must_be_new(anchor.read(), begun=begun)
        if place is None:
            store = opened.enter_context(closing(open_store(data)))
        tickets = TicketIndex(data.joinpath(TICKETS), signer)
        opened.pop_all()
    return Storage(store, anchor, SnapshotFile(data.joinpath(SNAPSHOT)), signer, lock, tickets)


def _must_be_new(anchored: AnchorRecord, *, begun: bool) -> None:
    """Refuse to begin a journal in the place of one that is missing."""
    lost = anchored.head.position
    if lost and not begun:
        raise RolledBack(1, f"the journal is missing or empty, and entry {lost} had been written", lost)


@cache
def build_id() -> str:
    """Return the build id: the version, and the digest of all source files."""
    root, digest = Path(croupier.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return f"{version('croupier')} {digest.hexdigest()}"


#: Increase it when the meaning of the state changes and its types do not: older snapshots are then rejected.
STATE_VERSION: Final = 2
#: Most of a state is repeated names: the fastest level makes it a tenth.
_COMPRESSION: Final = 1


class DeserialiseError(Exception):
    """These bytes are not the state of a house, or this state cannot be encoded."""


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a snapshot stores: a house, and the rows of its idempotency cache. msgspec encodes both by their types."""

    house: House
    responses: dict[DeviceId, list[AcceptedRow]]


def encode_state(house: House, keys: IdempotencyCache | None = None) -> bytes:
    """Encode a house and its idempotency cache."""
    responses = {device: list(rows) for device, rows in (keys or IdempotencyCache()).committed.items()}
    try:
        # JSON has integers of any size, which sums of squares need.
        return zlib.compress(msgspec.json.encode(State(house, responses)), _COMPRESSION)
    except (OverflowError, TypeError, ValueError) as error:
        raise DeserialiseError(f"it cannot be encoded: {error}") from error


def decode_state(state: bytes, reader: RulebookReader = read_canonical) -> tuple[House, IdempotencyCache]:
    """Decode a house and its idempotency cache, strictly by their types; DeserialiseError when the bytes differ."""
    try:
        decoded = _DECODER.decode(zlib.decompress(state))
        house = decoded.house
        house.read_rulebook = reader
        restore(house)
        rebuild(house)
        return house, IdempotencyCache.from_rows(decoded.responses)
    except (ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
        raise DeserialiseError(f"the state cannot be read: {error}") from error


@cache
def schema() -> str:
    """Return the digest of the state's schema: any build with the same schema can read a snapshot."""
    return digest_schema(msgspec.json.schema(State))


def digest_schema(described: dict[str, Any]) -> str:
    """Digest a JSON schema of the state."""
    return hashlib.sha256(f"state {STATE_VERSION}".encode() + msgspec.json.encode(_bare(described))).hexdigest()


def _bare(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    """Leave out what is said of a type: it may change."""
    if isinstance(schema, dict):
        return {name: _bare(each) for name, each in sorted(schema.items()) if name != "description"}
    return [_bare(each) for each in schema] if isinstance(schema, list) else schema


_DECODER: Final = msgspec.json.Decoder(State)
