"""Snapshots: the state at one position, signed and kept beside the journal, only so that a start takes less time."""

import hashlib
from pathlib import Path
from typing import Final, Protocol

import msgspec

from croupier.journal.file import put
from croupier.journal.page import Mark
from croupier.journal.signature import Signer, Verifier

PREFIX: Final = b"croupier snapshot 2\n"
SIGNATURE_BYTES: Final = 64


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state after one entry, and the digest of the schema that it is encoded by."""

    schema: str
    mark: Mark
    state: bytes


class SnapshotError(Exception):
    """A snapshot is there and cannot be used."""


def seal(snapshot: Snapshot, signer: Signer) -> bytes:
    """Sign a snapshot: these bytes are what is kept."""
    body = msgspec.msgpack.encode(snapshot)
    return signer.sign(_message(body)) + body


def unseal(kept: bytes, verifier: Verifier, schema: str) -> Snapshot:
    """Read a snapshot; SnapshotError where it is not the venue's, not whole, or of another schema."""
    signature, body = kept[:SIGNATURE_BYTES], kept[SIGNATURE_BYTES:]
    if not verifier.accepts(signature, _message(body)):
        raise SnapshotError("its signature is not the venue's")
    try:
        snapshot = msgspec.msgpack.decode(body, type=Snapshot)
    except ValueError as error:
        raise SnapshotError(f"it is of another form: {error}") from error
    if snapshot.schema != schema:
        raise SnapshotError(f"its schema is {snapshot.schema[:8]}, and this version of the software has {schema[:8]}")
    return snapshot


def _message(body: bytes) -> bytes:
    return PREFIX + hashlib.sha256(body).digest()


class Snapshots(Protocol):
    """Where the last snapshot is kept."""

    def load(self) -> bytes | None:
        """Read it; None where there is none, SnapshotError where the disk does not give it."""
        ...

    def save(self, kept: bytes) -> None:
        """Put another in its place, whole or not at all; SnapshotError where that cannot be done."""
        ...


class MemorySnapshots:
    """A place for a snapshot in memory."""

    def __init__(self) -> None:
        self.kept: bytes | None = None

    def load(self) -> bytes | None:
        return self.kept

    def save(self, kept: bytes) -> None:
        self.kept = kept


class SnapshotFile:
    """A place for a snapshot in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SnapshotError(f"it cannot be read: {error.strerror}") from error

    def save(self, kept: bytes) -> None:
        try:
            put(self._path, kept)
        except OSError as error:
            raise SnapshotError(f"it cannot be written: {error.strerror}") from error
