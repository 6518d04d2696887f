"""The key store directory: signing key and anchor; and the journal verified against the anchor and witnessed heads.

The holder of the venue's key can rewrite a journal with correct digests and signatures. The holder cannot change the
heads that a witness stores off the host: a journal whose past was rewritten has another head at the same entry.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

import msgspec

from croupier.house.rounds.recovery import HistoryAccepted
from croupier.journal.checkpoints import Checkpoint, Signer, Statement, Verifier, verify_checkpoint
from croupier.journal.disk import (
    JournalCorrupt,
    JournalFault,
    KeyStoreLocked,
    RolledBack,
    read_secret,
    sync_directory,
    write_atomic,
)
from croupier.journal.entry import EMPTY_HEAD, EPOCH_MAX, JournalHead, fence_message
from croupier.journal.stores import Store


class AnchorRecord(NamedTuple):
    """The end of the journal as the anchor records it: its head, and how many checkpoints are signed."""

    head: JournalHead = EMPTY_HEAD
    checkpoints: int = 0
    #: Whether the other record of the anchor cannot be read: then it may have been newer.
    torn: bool = False


class Anchor(Protocol):
    """Records the end of the journal outside the data directory, so that an older copy is detected."""

    def read(self) -> AnchorRecord: ...

    def write(self, anchored: AnchorRecord) -> None:
        """Record the end of the journal. It need not be durable: an anchor that lags behind raises no fault."""
        ...

    def sync(self) -> None:
        """Make the last record durable."""
        ...

    def close(self) -> None:
        """Close the anchor."""
        ...


class MemoryAnchor:
    """An anchor for a store in memory."""

    def __init__(self) -> None:
        self.record = AnchorRecord()

    def read(self) -> AnchorRecord:
        return self.record

    def write(self, anchored: AnchorRecord) -> None:
        self.record = anchored

    def sync(self) -> None:
        """Do nothing: it is as durable as the store."""

    def close(self) -> None:
        """Do nothing: there is no file."""


#: The message of a record's MAC begins with its kind.
PREFIX: Final = b"croupier anchor 2\n"
#: Two slots are written alternately, each in a disk block of its own, so that a torn write damages one at most.
SLOT_BYTES: Final = 4_096
SLOTS: Final = 2
#: The descriptor of a closed file.
CLOSED: Final = -1


class AnchorFile:
    """An anchor in a small file."""

    def __init__(self, path: Path, signer: Signer) -> None:
        self._next_slot, self._signer = 0, signer
        with _TRANSLATED:
            if not path.exists():
                # Complete from the first: a torn record must never be the only one.
                write_atomic(path, SLOTS * _encode(AnchorRecord(), signer))
            self._descriptor = os.open(path, os.O_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> AnchorRecord:
        with _TRANSLATED:
            read = read_slots(os.pread(self._descriptor, SLOTS * SLOT_BYTES, 0), self._signer)
        newest = newest_record(read)
        readable = newest._replace(torn=False)
        self._next_slot = (read.index(readable) + 1) % SLOTS if readable in read and readable != AnchorRecord() else 0
        return newest

    def write(self, anchored: AnchorRecord) -> None:
        with _TRANSLATED:
            os.pwrite(self._descriptor, _encode(anchored, self._signer), self._next_slot * SLOT_BYTES)
        self._next_slot = (self._next_slot + 1) % SLOTS

    def sync(self) -> None:
        with _TRANSLATED:
            os.fsync(self._descriptor)

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, CLOSED
        if descriptor != CLOSED:
            os.close(descriptor)


class _Translation:
    """Translates the errors of the file into faults of the journal."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            raise JournalFault(f"the anchor cannot be read or written: {error.strerror}") from error


_TRANSLATED: Final = _Translation()


def read_slots(content: bytes, signer: Signer | None) -> list[AnchorRecord | None]:
    """Decode the records in an anchor's file, with None for one that cannot be read.

    JournalFault when a record is complete and its MAC was not made with the venue's key. Without the key no MAC is
    verified.
    """
    slots = [content[at : at + SLOT_BYTES] for at in range(0, len(content), SLOT_BYTES)]
    return [_read(slot, signer) for slot in slots]


def newest_record(read: list[AnchorRecord | None]) -> AnchorRecord:
    """Return the newest record; JournalFault when there are records and none can be read."""
    records = [each for each in read if each is not None]
    if read and not records:
        raise JournalFault("the anchor cannot be read: nothing tells whether the journal is the last one written")
    return max(records, default=AnchorRecord(), key=_age)._replace(torn=len(records) < len(read))


def _age(anchored: AnchorRecord) -> tuple[int, int, int]:
    """Order records by age: a run that continues from an older copy has a lower position and a higher epoch."""
    return anchored.head.epoch, anchored.head.position, anchored.checkpoints


def _encode(anchored: AnchorRecord, signer: Signer) -> bytes:
    text = _text(anchored)
    return _padded(f"{text} {signer.mac(PREFIX + text.encode()).hex()}")


def _text(anchored: AnchorRecord) -> str:
    head = anchored.head
    return f"{head.position} {head.page} {head.epoch} {head.digest.hex()} {anchored.checkpoints}"


def _padded(record: str) -> bytes:
    """Pad a record and its digest to a slot. The digest distinguishes a torn write from a forged record."""
    digest = hashlib.sha256(record.encode()).hexdigest()
    return f"{record} {digest}".ljust(SLOT_BYTES - 1).encode() + b"\n"


def _read(slot: bytes, signer: Signer | None) -> AnchorRecord | None:
    record, _, _ = slot.decode("ascii", "replace").strip().rpartition(" ")
    text, _, mac = record.rpartition(" ")
    if _padded(record) != slot:
        return None
    try:
        position, page, epoch, head, checkpoints = text.split()
        read = AnchorRecord(JournalHead(int(position), int(page), int(epoch), bytes.fromhex(head)), int(checkpoints))
        genuine = signer is None or signer.verify_mac(bytes.fromhex(mac), PREFIX + text.encode())
    except ValueError:
        return None
    if not genuine:
        raise JournalFault("the anchor was not written with the venue's key")
    return read if _text(read) == text else None


def check_anchor(store: Store, anchored: AnchorRecord) -> None:
    """Verify a store against its anchor: RolledBack when it is an older copy, or another journal."""
    head, last = anchored.head, store.last()
    if anchored._replace(torn=False) == AnchorRecord() and last is not None:
        raise RolledBack(1, "there is no anchor, so nothing tells whether this is the journal last written")
    signed = sum(1 for _ in store.checkpoints())
    if anchored.torn and not _is_ahead(store, anchored, signed):
        words = "a record of the anchor cannot be read, and the journal ends with the other one, which is older"
        raise RolledBack(head.position + 1, words, lost=1)
    if head.position == 0:
        return
    page = store.page(head.page)
    if page is None:
        ends = last.last if last else 0
        lost = max(1, head.position - ends)
        raise RolledBack(ends + 1, f"the journal ends before it, and entry {head.position} had been written", lost)
    if page.journal_head != head:
        lost = int(_continued_unanchored(store, head))
        raise RolledBack(page.first, f"page {page.number} is not the one that had been written", lost)
    if signed < anchored.checkpoints:
        raise RolledBack(head.position, f"{anchored.checkpoints} checkpoints had been signed, and {signed} are there")
    if signed > anchored.checkpoints + LAG_MAX:
        words = f"the anchor knows of {anchored.checkpoints} checkpoints, and {signed} were signed: it is an older copy"
        raise RolledBack(last.last + 1 if last else 1, words, lost=1)


def _is_ahead(store: Store, anchored: AnchorRecord, signed: int) -> bool:
    """Return whether a journal continues after a record, as it must where a newer record was torn.

    Before the first page, a start records its epoch, which is in the fence. The record of a signature over the last
    page is not followed by another when a house is stopped: then the older record is the one that cannot be read.
    """
    last, newest = store.last(), next(store.checkpoints(), None)
    if last is None:
        return store.fenced().epoch > anchored.head.epoch or anchored.head.epoch == 0
    stopped = newest is not None and newest.statement().page == anchored.head.page and signed == anchored.checkpoints
    return stopped or last.last > anchored.head.position or signed > anchored.checkpoints


#: The anchor is synced after every checkpoint. A power cut between the two loses one, and a torn record one more.
LAG_MAX: Final = 2


def check_fence(store: Store, anchored: AnchorRecord | None, signer: Signer | None) -> None:
    """Verify the fence against the last page, the anchor and the venue's key; JournalCorrupt when it was edited.

    An epoch that wrote nothing is begun again, so the fence is at most one epoch ahead.
    """
    fence, last = store.fenced(), store.last()
    written = last.epoch if last else 0
    known = max(written, anchored.head.epoch if anchored else 0)
    position = last.last if last else 1
    if signer is not None and fence.epoch and not signer.verify_mac(fence.mac, fence_message(fence.epoch)):
        raise JournalCorrupt(position, f"the fence at epoch {fence.epoch} was not written with the venue's key")
    if not 0 <= fence.epoch <= EPOCH_MAX:
        raise JournalCorrupt(position, f"the fence is at epoch {fence.epoch}, which no system has reached")
    if fence.epoch < written:
        raise JournalCorrupt(position, f"the fence is at epoch {fence.epoch}, and the last page is of epoch {written}")
    if fence.epoch > known + 1 and known:
        raise JournalCorrupt(
            position, f"the fence is at epoch {fence.epoch}, and the last that is known is epoch {known}"
        )


#: The encoded type of the event by which two people continue from an older copy. It is not UTF-8: no text contains it.
_ACCEPTED: Final = b"".join(map(msgspec.msgpack.encode, ("type", HistoryAccepted.__struct_config__.tag)))


def _continued_unanchored(store: Store, head: JournalHead) -> bool:
    """Return whether two people continued from an older copy, and the power failed before that was anchored.

    The pages are not verified yet: their stored bytes are searched.
    """
    return all(page.epoch > head.epoch and _ACCEPTED in page.body for page in store.pages(head.page - 1))


_SIGNING: Final = "signing.pem"
_PUBLIC: Final = "public.pem"
_ANCHOR: Final = "anchor"
#: The pinned keys of other venues.
_PARTNERS: Final = "partners.json"
#: Locked while a house runs; its content names the process.
_LOCK: Final = "lock"
#: Enough for the longest path and some text.
_HOLDER_BYTES: Final = 8_192


class KeyStoreLock:
    """An exclusive lock on a key store. It ends with `close`, or with the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Unlock the key store; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, CLOSED
        if descriptor != CLOSED:
            os.close(descriptor)


def lock_data(data: Path) -> KeyStoreLock:
    """Lock a data directory whose journal is in a database: several houses may use its key store."""
    return _lock(data, data, f"the data directory {data} is in use by {{}}: it serves one house at a time")


def _lock(folder: Path, data: Path, words: str) -> KeyStoreLock:
    path = folder.joinpath(_LOCK)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise JournalFault(f"the key store lacks {_LOCK}: {error.strerror}: {error.filename}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, _HOLDER_BYTES, 0).decode(errors="replace").strip()
        os.close(descriptor)
        raise KeyStoreLocked(words.format(holder or "another process")) from error
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"process {os.getpid()}, with its data in {data.resolve()}\n".encode(), 0)
    return KeyStoreLock(descriptor)


class KeyStore:
    """One venue's key store: a directory with its keys, its anchor and its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def default_for(cls, data: Path) -> "KeyStore":
        """Return the default key store of a data directory: beside it, never in it."""
        return cls(data.resolve().with_name(f"{data.resolve().name}.keys"))

    def provision(self, signer: Signer | None = None) -> None:
        """Create the key store, and a signing key when there is none: the given one, or a new one."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.holds_key:
            return
        signer = signer or Signer.new()
        # Atomically: without the key nothing that it has signed could be continued.
        write_atomic(self.path.joinpath(_PUBLIC), signer.verifier.pem)
        write_atomic(self.path.joinpath(_SIGNING), signer.pem)
        sync_directory(self.path.parent)

    def lock(self, data: Path) -> KeyStoreLock:
        """Lock the key store for the house with this data; KeyStoreLocked names the process that has it locked."""
        words = f"the key store {self.path} is in use by {{}}: a key store serves one house at a time"
        return _lock(self.path, data, words)

    @property
    def holds_key(self) -> bool:
        """Whether the signing key is here: an auditor may have a copy without it."""
        return self.path.joinpath(_SIGNING).exists()

    def signer(self) -> Signer:
        with self._lacking(_SIGNING):
            return Signer.read(read_secret(self.path.joinpath(_SIGNING)))

    def verifier(self) -> Verifier:
        return Verifier.read(self._content(_PUBLIC))

    def anchor(self) -> AnchorFile:
        self._content(_PUBLIC)
        return AnchorFile(self.path.joinpath(_ANCHOR), self.signer())

    def anchor_records(self) -> list[AnchorRecord | None]:
        """Read the records of the anchor, as `read_slots` does; no file is created when there is none."""
        if not self.path.joinpath(_ANCHOR).exists():
            return []
        return read_slots(self._content(_ANCHOR), self.signer() if self.holds_key else None)

    def partners(self) -> dict[str, str]:
        """Read the pinned keys of other venues, by their names; JournalFault when they cannot be read."""
        if not self.path.joinpath(_PARTNERS).exists():
            return {}
        try:
            found = msgspec.json.decode(self._content(_PARTNERS), type=dict[str, str])
        except (ValueError, RecursionError) as error:
            raise JournalFault(f"{self.path.joinpath(_PARTNERS)} cannot be read: {error}") from error
        return {venue: Verifier.of_text(key).text for venue, key in found.items()}

    def pin(self, venue: str, key: Verifier) -> None:
        """Pin the key of another venue: transfers of tickets from it must be signed with it."""
        content = msgspec.json.encode(self.partners() | {venue: key.text}, order="sorted")
        with self._lacking(_PARTNERS):
            write_atomic(self.path.joinpath(_PARTNERS), msgspec.json.format(content) + b"\n")

    def _content(self, name: str) -> bytes:
        with self._lacking(name):
            return self.path.joinpath(name).read_bytes()

    @contextmanager
    def _lacking(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalFault(f"the key store lacks {name}: {error.strerror}: {error.filename}") from error


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
    return [_read_head(line, number, verifier) for number, line in enumerate(content.splitlines(), start=1)]


def _read_head(line: bytes, number: int, verifier: Verifier) -> Statement:
    try:
        head = _DECODER.decode(line)
        checkpoint = Checkpoint(head.body.encode(), bytes.fromhex(head.signature))
    except (ValueError, RecursionError) as error:
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
