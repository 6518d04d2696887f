"""Signatures, checkpoints and snapshots."""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol, Self

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from croupier.house.ids import Instant
from croupier.journal.disk import JournalCorrupt, JournalFault, write_atomic
from croupier.journal.entry import EMPTY_HEAD, JournalHead, Page, fence_message
from croupier.journal.pages import MerkleTree

#: Separates the MAC key from the signing key that it is derived from.
MAC_KEY_PREFIX: Final = b"croupier mac key 1\n"


class Verifier:
    """Verifies the venue's signatures with its public key."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key

    @classmethod
    def read(cls, pem: bytes) -> Self:
        key = _load_key(load_pem_public_key, pem)
        if not isinstance(key, Ed25519PublicKey):
            raise JournalFault("the public key is not an Ed25519 key")
        return cls(key)

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Read a key from its 64 hexadecimal digits; JournalFault when they are not a key."""
        try:
            return cls(Ed25519PublicKey.from_public_bytes(bytes.fromhex(text)))
        except ValueError as error:
            raise JournalFault(f"a public key cannot be read: {error}") from error

    @property
    def pem(self) -> bytes:
        return self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    @property
    def text(self) -> str:
        """The key in hexadecimal digits."""
        return self._key.public_bytes_raw().hex()

    @property
    def key_digest(self) -> str:
        """The SHA-256 digest of the key in groups of four digits, for people who compare two keys."""
        digest = hashlib.sha256(self._key.public_bytes_raw()).hexdigest()
        return " ".join(digest[at : at + 4] for at in range(0, len(digest), 4))

    def accepts(self, signature: bytes, message: bytes) -> bool:
        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


class Signer:
    """Signs for the venue, and makes message authentication codes (MACs) with a key derived from the signing key."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.verifier = Verifier(key.public_key())
        self._mac_key = hashlib.sha256(MAC_KEY_PREFIX + key.private_bytes_raw()).digest()

    @classmethod
    def new(cls) -> Self:
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, pem: bytes) -> Self:
        key = _load_key(lambda text: load_pem_private_key(text, password=None), pem)
        if not isinstance(key, Ed25519PrivateKey):
            raise JournalFault("the signing key is not an Ed25519 key")
        return cls(key)

    @property
    def pem(self) -> bytes:
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    def sign_snapshot(self, digest: bytes) -> bytes:
        """Sign the digest of a snapshot."""
        return self.sign(SNAPSHOT_PREFIX + digest)

    def mac(self, message: bytes) -> bytes:
        """Make the MAC of a message: far cheaper than a signature, and only the holder of the key can verify it."""
        return hmac.digest(self._mac_key, message, "sha256")

    def fence_mac(self, epoch: int) -> bytes:
        """Make the MAC over the epoch of a fence."""
        return self.mac(fence_message(epoch))

    def verify_mac(self, mac: bytes, message: bytes) -> bool:
        return hmac.compare_digest(mac, self.mac(message))


def _load_key(load: Callable[[bytes], object], pem: bytes) -> object:
    try:
        return load(pem)
    except ValueError as error:
        raise JournalFault(f"a key cannot be read: {error}") from error


#: Every signed message begins with its kind, so that a signature of one kind is not valid for another.
CHECKPOINT_PREFIX: Final = b"croupier checkpoint 3\n"
#: As versions before 0.3 have signed.
_OLDER_PREFIX: Final = b"croupier checkpoint 2\n"


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a checkpoint: the journal up to this entry has this digest."""

    #: Checkpoints are numbered from 1 without gaps, so that a missing one is detected.
    number: int
    position: int
    page: int
    epoch: int
    #: The digest of the chain, in hexadecimal.
    head: str
    #: How many pages came after the checkpoint before, and the root of the Merkle tree over their digests.
    pages: int
    root: str
    at: Instant
    #: The digest of the house's books after the last of these entries; empty when none was made.
    books: str = ""

    @property
    def journal_head(self) -> JournalHead:
        return JournalHead(self.position, self.page, self.epoch, bytes.fromhex(self.head))


class Checkpoint(msgspec.Struct, frozen=True):
    """An encoded statement and its signature."""

    body: bytes
    signature: bytes

    def statement(self) -> Statement:
        """Decode the statement; ValueError when the body is not one."""
        return _DECODER.decode(self.body)

    def verify(self, verifier: Verifier) -> bool:
        return verifier.accepts(self.signature, CHECKPOINT_PREFIX + self.body)


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Statement)


def checkpoint(  # noqa: PLR0913 - all that a checkpoint says
    signer: Signer, number: int, head: JournalHead, tree: MerkleTree, at: Instant, *, books: str = ""
) -> Checkpoint:
    """Sign the journal up to a head, with the tree over the pages since the checkpoint before."""
    root = tree.root.hex()
    statement = Statement(number, head.position, head.page, head.epoch, head.digest.hex(), tree.size, root, at, books)
    body = _ENCODER.encode(statement)
    return Checkpoint(body, signer.sign(CHECKPOINT_PREFIX + body))


def check_page_mac(signer: Signer, page: Page) -> None:
    """Verify the MAC of a page; JournalCorrupt when it was not made with the venue's key."""
    if not signer.verify_mac(page.mac, page.mac_message):
        raise JournalCorrupt(page.first, f"page {page.number} was not written with the venue's key")


def read_statement(checkpoint: Checkpoint, since: JournalHead) -> Statement:
    """Decode the statement of a checkpoint that comes after a head; JournalCorrupt when it cannot be decoded."""
    try:
        return checkpoint.statement()
    except ValueError as error:
        raise JournalCorrupt(since.position + 1, f"a checkpoint cannot be read: {error}") from error


def verify_checkpoint(checkpoint: Checkpoint, verifier: Verifier, since: JournalHead) -> Statement:
    """Decode the statement of a checkpoint and verify its signature."""
    statement = read_statement(checkpoint, since)
    if not checkpoint.verify(verifier):
        if verifier.accepts(checkpoint.signature, _OLDER_PREFIX + checkpoint.body):
            words = "the journal was written by version 0.2 or older, which alone reads it"
            raise JournalFault(f"{words}: this version begins a journal of its own")
        raise JournalCorrupt(statement.position, f"the signature of checkpoint {statement.number} is not the venue's")
    return statement


def verified_statements(
    newest_first: Iterable[Checkpoint], verifier: Verifier, since: JournalHead
) -> Iterator[Statement]:
    """Verify checkpoints from the last back to the one at or before a head.

    JournalCorrupt when one is missing or has a wrong signature.
    """
    after: Statement | None = None
    for checkpoint in newest_first:
        statement = verify_checkpoint(checkpoint, verifier, since)
        if after is not None and (statement.number + 1, statement.position <= after.position) != (after.number, True):
            raise JournalCorrupt(
                statement.position, f"checkpoint {after.number} does not follow checkpoint {statement.number}"
            )
        yield statement
        if statement.position <= since.position and since != EMPTY_HEAD:
            return
        after = statement
    if after is not None and after.number != 1:
        raise JournalCorrupt(1, f"the checkpoints before number {after.number} are missing")


def last_checkpoint(newest_first: Iterable[Checkpoint], verifier: Verifier, before: JournalHead) -> Statement | None:
    """Find the last checkpoint at or before a head; None when there is none."""
    statements = list(verified_statements(newest_first, verifier, before))
    return statements[-1] if statements and statements[-1].position <= before.position else None


SNAPSHOT_PREFIX: Final = b"croupier snapshot 3\n"
SIGNATURE_BYTES: Final = 64


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state after one entry, and the digest of the schema that it is encoded by."""

    schema: str
    head: JournalHead
    state: bytes


class SnapshotError(Exception):
    """There is a snapshot, and it cannot be used."""


#: Signs the digest of a snapshot with the venue's key.
SignSnapshot = Callable[[bytes], bytes]


def encode_snapshot(snapshot: Snapshot, sign: SignSnapshot) -> bytes:
    """Encode a snapshot and have it signed, as it is stored."""
    body = msgspec.msgpack.encode(snapshot)
    return sign(hashlib.sha256(body).digest()) + body


def decode_snapshot(stored: bytes, verifier: Verifier, schema: str) -> Snapshot:
    """Verify and decode a snapshot; SnapshotError when it is not the venue's, is incomplete, or has another schema."""
    signature, body = stored[:SIGNATURE_BYTES], stored[SIGNATURE_BYTES:]
    if not verifier.accepts(signature, SNAPSHOT_PREFIX + hashlib.sha256(body).digest()):
        raise SnapshotError("its signature is not the venue's")
    try:
        snapshot = msgspec.msgpack.decode(body, type=Snapshot)
    except ValueError as error:
        raise SnapshotError(f"it has another format: {error}") from error
    if snapshot.schema != schema:
        raise SnapshotError(f"its schema is {snapshot.schema[:8]}, and the schema of this build is {schema[:8]}")
    return snapshot


class Snapshots(Protocol):
    """Stores the last snapshot."""

    def load(self) -> bytes | None:
        """Read the snapshot; None when there is none, SnapshotError when it cannot be read."""
        ...

    def save(self, snapshot: bytes) -> None:
        """Replace the snapshot atomically; SnapshotError when it cannot be written."""
        ...


class MemorySnapshots:
    """Stores the last snapshot in memory."""

    def __init__(self) -> None:
        self.saved: bytes | None = None

    def load(self) -> bytes | None:
        return self.saved

    def save(self, snapshot: bytes) -> None:
        self.saved = snapshot


class SnapshotFile:
    """Stores the last snapshot in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SnapshotError(f"it cannot be read: {error.strerror}") from error

    def save(self, snapshot: bytes) -> None:
        try:
            write_atomic(self._path, snapshot)
        except OSError as error:
            raise SnapshotError(f"it cannot be written: {error.strerror}") from error
