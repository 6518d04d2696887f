"""The key store directory: signing key and anchor."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

from croupier.house.events.setup import HistoryAccepted
from croupier.journal.checkpoints import Signer, Verifier
from croupier.journal.disk import JournalCorrupt, JournalFault, KeyStoreLocked, RolledBack, sync_directory, write_atomic
from croupier.journal.entry import EMPTY_HEAD, EPOCH_MAX, JournalHead, fence_message
from croupier.journal.stores import Store


class AnchorRecord(NamedTuple):
    """What was last written: the journal's mark, and how many checkpoints were signed."""

    head: JournalHead = EMPTY_HEAD
    checkpoints: int = 0


class Anchor(Protocol):
    """Remembers what was last written."""

    def read(self) -> AnchorRecord: ...

    def write(self, anchored: AnchorRecord) -> None:
        """Note what was written. It need not be durable: an anchor that lags behind accuses nobody."""
        ...

    def sync(self) -> None:
        """Make the last note durable."""
        ...

    def close(self) -> None:
        """Let go of it."""
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
        """It is as durable as the store."""

    def close(self) -> None:
        """There is nothing to let go of."""


#: What the MAC of a note is over begins with what it is.
PREFIX: Final = b"croupier anchor 2\n"
#: Two slots are written in turn, each in a block of its own, so that a write that is cut short spoils one at most.
SLOT_BYTES: Final = 4_096
SLOTS: Final = 2
#: In the place of a file that was let go of.
CLOSED: Final = -1


class AnchorFile:
    """An anchor in a small file."""

    def __init__(self, path: Path, signer: Signer) -> None:
        self._turn, self._signer = 0, signer
        with _translated():
            if not path.exists():
                # Whole from the first: a note that is cut short must never be the only one.
                write_atomic(path, SLOTS * _slot(AnchorRecord(), signer))
            self._descriptor = os.open(path, os.O_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> AnchorRecord:
        with _translated():
            read = read_slots(os.pread(self._descriptor, SLOTS * SLOT_BYTES, 0), self._signer)
        newest = newest_record(read)
        self._turn = (read.index(newest) + 1) % SLOTS if newest in read and newest != AnchorRecord() else 0
        return newest

    def write(self, anchored: AnchorRecord) -> None:
        with _translated():
            os.pwrite(self._descriptor, _slot(anchored, self._signer), self._turn * SLOT_BYTES)
        self._turn = (self._turn + 1) % SLOTS

    def sync(self) -> None:
        with _translated():
            os.fsync(self._descriptor)

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, CLOSED
        if descriptor != CLOSED:
            os.close(descriptor)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JournalFault(f"the anchor cannot be read or written: {error.strerror}") from error


def read_slots(content: bytes, signer: Signer | None) -> list[AnchorRecord | None]:
    """Read what an anchor's file holds: each of its notes that was written, None for one that cannot be read.

    JournalFault where a note is whole and was not written with the venue's key; without the key nothing tells.
    """
    slots = [content[at : at + SLOT_BYTES] for at in range(0, len(content), SLOT_BYTES)]
    return [_read(slot, signer) for slot in slots]


def newest_record(read: list[AnchorRecord | None]) -> AnchorRecord:
    """Pick the last note; JournalFault where there is something and none of it can be read."""
    noted = [each for each in read if each is not None]
    if read and not noted:
        raise JournalFault("the anchor cannot be read: nothing tells whether the journal is the last one written")
    return max(noted, default=AnchorRecord(), key=_age)


def _age(anchored: AnchorRecord) -> tuple[int, int, int]:
    """Order notes as they were made: who goes on from an older copy has a lower position and a higher epoch."""
    return anchored.head.epoch, anchored.head.position, anchored.checkpoints


def _slot(anchored: AnchorRecord, signer: Signer) -> bytes:
    words = _words(anchored)
    return _padded(f"{words} {signer.mac(PREFIX + words.encode()).hex()}")


def _words(anchored: AnchorRecord) -> str:
    mark = anchored.head
    return f"{mark.position} {mark.page} {mark.epoch} {mark.digest.hex()} {anchored.checkpoints}"


def _padded(note: str) -> bytes:
    """Fill a note and its digest up to a slot: the digest tells a write that was cut short from one that was forged."""
    digest = hashlib.sha256(note.encode()).hexdigest()
    return f"{note} {digest}".ljust(SLOT_BYTES - 1).encode() + b"\n"


def _read(slot: bytes, signer: Signer | None) -> AnchorRecord | None:
    note, _, _ = slot.decode("ascii", "replace").strip().rpartition(" ")
    words, _, mac = note.rpartition(" ")
    if _padded(note) != slot:
        return None
    try:
        position, page, epoch, head, checkpoints = words.split()
        read = AnchorRecord(JournalHead(int(position), int(page), int(epoch), bytes.fromhex(head)), int(checkpoints))
        genuine = signer is None or signer.verify_mac(bytes.fromhex(mac), PREFIX + words.encode())
    except ValueError:
        return None
    if not genuine:
        raise JournalFault("the anchor was not written with the venue's key")
    return read if _words(read) == words else None


def check_anchor(store: Store, anchored: AnchorRecord) -> None:
    """Hold a store against its anchor: RolledBack where it is older than what was last written, or another one."""
    mark, last = anchored.head, store.last()
    if anchored == AnchorRecord() and last is not None:
        raise RolledBack(1, "there is no anchor, so nothing tells whether this is the journal last written")
    if mark.position == 0:
        return
    page = store.page(mark.page)
    if page is None:
        ends = last.last if last else 0
        lost = max(1, mark.position - ends)
        raise RolledBack(ends + 1, f"the journal ends before it, and entry {mark.position} had been written", lost)
    if page.journal_head != mark:
        lost = int(_cut_short(store, mark))
        raise RolledBack(page.first, f"page {page.number} is not the one that had been written", lost)
    signed = sum(1 for _ in store.checkpoints())
    if signed < anchored.checkpoints:
        raise RolledBack(mark.position, f"{anchored.checkpoints} checkpoints had been signed, and {signed} are there")
    if signed > anchored.checkpoints + LAG_MAX:
        words = f"the anchor knows of {anchored.checkpoints} checkpoints, and {signed} were signed: it is an older copy"
        raise RolledBack(last.last + 1 if last else 1, words, lost=1)


#: The anchor is synced after every checkpoint. A power cut between the two costs one; a note that is torn, one more.
LAG_MAX: Final = 2


def check_fence(store: Store, anchored: AnchorRecord | None, signer: Signer | None) -> None:
    """Verify the fence against the last page, the anchor and the venue's key; Damaged where somebody has edited it.

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


#: How an entry reads by which people went on from an older copy: within a text such quotes would be escaped.
_WENT_ON: Final = f'"event":{{"type":"{HistoryAccepted.__struct_config__.tag}",'.encode()


def _cut_short(store: Store, mark: JournalHead) -> bool:
    """Tell whether people went on from an older copy, and the power went before that was anchored."""
    return all(page.epoch > mark.epoch and _WENT_ON in page.lines for page in store.pages(mark.page - 1))


_SIGNING: Final = "signing.pem"
_PUBLIC: Final = "public.pem"
_ANCHOR: Final = "anchor"
#: Locked while a house runs; it says which.
_LOCK: Final = "lock"
#: The longest path, and some words.
_HOLDER_BYTES: Final = 8_192


class KeyStoreLock:
    """An exclusive lock on a safe. It ends with `close`, and with the process however that ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        """Unlock the safe; doing so twice is no harm."""
        descriptor, self._descriptor = self._descriptor, CLOSED
        if descriptor != CLOSED:
            os.close(descriptor)


class KeyStore:
    """One venue's safe."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def default_for(cls, data: Path) -> "KeyStore":
        """Find the safe that goes with a data directory, where nobody says otherwise: beside it, never in it."""
        return cls(data.resolve().with_name(f"{data.resolve().name}.keys"))

    def provision(self, signer: Signer | None = None) -> None:
        """Make the safe, and put a key into it where there is none: the one that is given, or a new one."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.holds_key:
            return
        signer = signer or Signer.new()
        # Whole or not at all: a key that is lost is lost with all it has signed.
        write_atomic(self.path.joinpath(_PUBLIC), signer.verifier.pem)
        write_atomic(self.path.joinpath(_SIGNING), signer.pem)
        sync_directory(self.path.parent)

    def lock(self, data: Path) -> KeyStoreLock:
        """Lock the safe for the house with this data; KeyStoreLocked names the process that has it locked."""
        path = self.path.joinpath(_LOCK)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise JournalFault(f"the safe lacks {_LOCK}: {error.strerror}: {error.filename}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(descriptor, _HOLDER_BYTES, 0).decode(errors="replace").strip()
            os.close(descriptor)
            words = f"the safe {self.path} is in use by {holder or 'another process'}"
            raise KeyStoreLocked(f"{words}: one safe serves one house at a time") from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}, with its data in {data.resolve()}\n".encode(), 0)
        return KeyStoreLock(descriptor)

    @property
    def holds_key(self) -> bool:
        """Whether the signing key is here: whoever only audits may have a copy without it."""
        return self.path.joinpath(_SIGNING).exists()

    def signer(self) -> Signer:
        return Signer.read(self._content(_SIGNING))

    def verifier(self) -> Verifier:
        return Verifier.read(self._content(_PUBLIC))

    def anchor(self) -> AnchorFile:
        self._content(_PUBLIC)
        return AnchorFile(self.path.joinpath(_ANCHOR), self.signer())

    def anchor_records(self) -> list[AnchorRecord | None]:
        """Read what the anchor holds, as `notes` does; nothing is made where there is none."""
        if not self.path.joinpath(_ANCHOR).exists():
            return []
        return read_slots(self._content(_ANCHOR), self.signer() if self.holds_key else None)

    def _content(self, name: str) -> bytes:
        try:
            return self.path.joinpath(name).read_bytes()
        except OSError as error:
            raise JournalFault(f"the safe lacks {name}: {error.strerror}: {error.filename}") from error
