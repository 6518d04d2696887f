"""The anchor: how far the journal had come, noted outside the data directory, so that an older copy is found out."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

from croupier.house.event.venue import HistoryAccepted
from croupier.journal.fault import Damaged, JournalFault, RolledBack
from croupier.journal.file import put
from croupier.journal.page import BEGINNING, EPOCH_MOST, Mark, fence_message
from croupier.journal.signature import Signer
from croupier.journal.store import Store


class Anchored(NamedTuple):
    """What was last written: the journal's mark, and how many checkpoints were signed."""

    mark: Mark = BEGINNING
    checkpoints: int = 0


class Anchor(Protocol):
    """Remembers what was last written."""

    def read(self) -> Anchored: ...

    def write(self, anchored: Anchored) -> None:
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
        self.noted = Anchored()

    def read(self) -> Anchored:
        return self.noted

    def write(self, anchored: Anchored) -> None:
        self.noted = anchored

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
                put(path, SLOTS * _slot(Anchored(), signer))
            self._descriptor = os.open(path, os.O_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self) -> Anchored:
        with _translated():
            read = notes(os.pread(self._descriptor, SLOTS * SLOT_BYTES, 0), self._signer)
        newest = newest_of(read)
        self._turn = (read.index(newest) + 1) % SLOTS if newest in read and newest != Anchored() else 0
        return newest

    def write(self, anchored: Anchored) -> None:
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


def notes(content: bytes, signer: Signer | None) -> list[Anchored | None]:
    """Read what an anchor's file holds: each of its notes that was written, None for one that cannot be read.

    JournalFault where a note is whole and was not written with the venue's key; without the key nothing tells.
    """
    slots = [content[at : at + SLOT_BYTES] for at in range(0, len(content), SLOT_BYTES)]
    return [_read(slot, signer) for slot in slots]


def newest_of(read: list[Anchored | None]) -> Anchored:
    """Pick the last note; JournalFault where there is something and none of it can be read."""
    noted = [each for each in read if each is not None]
    if read and not noted:
        raise JournalFault("the anchor cannot be read: nothing tells whether the journal is the last one written")
    return max(noted, default=Anchored(), key=_age)


def _age(anchored: Anchored) -> tuple[int, int, int]:
    """Order notes as they were made: who goes on from an older copy has a lower position and a higher epoch."""
    return anchored.mark.epoch, anchored.mark.position, anchored.checkpoints


def _slot(anchored: Anchored, signer: Signer) -> bytes:
    words = _words(anchored)
    return _padded(f"{words} {signer.imprint(PREFIX + words.encode()).hex()}")


def _words(anchored: Anchored) -> str:
    mark = anchored.mark
    return f"{mark.position} {mark.page} {mark.epoch} {mark.head.hex()} {anchored.checkpoints}"


def _padded(note: str) -> bytes:
    """Fill a note and its digest up to a slot: the digest tells a write that was cut short from one that was forged."""
    digest = hashlib.sha256(note.encode()).hexdigest()
    return f"{note} {digest}".ljust(SLOT_BYTES - 1).encode() + b"\n"


def _read(slot: bytes, signer: Signer | None) -> Anchored | None:
    note, _, _ = slot.decode("ascii", "replace").strip().rpartition(" ")
    words, _, mac = note.rpartition(" ")
    if _padded(note) != slot:
        return None
    try:
        position, page, epoch, head, checkpoints = words.split()
        read = Anchored(Mark(int(position), int(page), int(epoch), bytes.fromhex(head)), int(checkpoints))
        genuine = signer is None or signer.recognises(bytes.fromhex(mac), PREFIX + words.encode())
    except ValueError:
        return None
    if not genuine:
        raise JournalFault("the anchor was not written with the venue's key")
    return read if _words(read) == words else None


def check_anchor(store: Store, anchored: Anchored) -> None:
    """Hold a store against its anchor: RolledBack where it is older than what was last written, or another one."""
    mark, last = anchored.mark, store.last()
    if anchored == Anchored() and last is not None:
        raise RolledBack(1, "there is no anchor, so nothing tells whether this is the journal last written")
    if mark.position == 0:
        return
    page = store.page(mark.page)
    if page is None:
        ends = last.last if last else 0
        lost = max(1, mark.position - ends)
        raise RolledBack(ends + 1, f"the journal ends before it, and entry {mark.position} had been written", lost)
    if page.mark != mark:
        lost = int(_cut_short(store, mark))
        raise RolledBack(page.first, f"page {page.number} is not the one that had been written", lost)
    signed = sum(1 for _ in store.checkpoints())
    if signed < anchored.checkpoints:
        raise RolledBack(mark.position, f"{anchored.checkpoints} checkpoints had been signed, and {signed} are there")
    if signed > anchored.checkpoints + LAG_MOST:
        words = f"the anchor knows of {anchored.checkpoints} checkpoints, and {signed} were signed: it is an older copy"
        raise RolledBack(last.last + 1 if last else 1, words, lost=1)


#: The anchor is synced after every checkpoint. A power cut between the two costs one; a note that is torn, one more.
LAG_MOST: Final = 2


def check_fence(store: Store, anchored: Anchored | None, signer: Signer | None) -> None:
    """Verify the fence against the last page, the anchor and the venue's key; Damaged where somebody has edited it.

    An epoch that wrote nothing is begun again, so the fence is at most one epoch ahead.
    """
    fence, last = store.fenced(), store.last()
    written = last.epoch if last else 0
    known = max(written, anchored.mark.epoch if anchored else 0)
    position = last.last if last else 1
    if signer is not None and fence.epoch and not signer.recognises(fence.mac, fence_message(fence.epoch)):
        raise Damaged(position, f"the fence at epoch {fence.epoch} was not written with the venue's key")
    if not 0 <= fence.epoch <= EPOCH_MOST:
        raise Damaged(position, f"the fence is at epoch {fence.epoch}, which no system has reached")
    if fence.epoch < written:
        raise Damaged(position, f"the fence is at epoch {fence.epoch}, and the last page is of epoch {written}")
    if fence.epoch > known + 1 and known:
        raise Damaged(position, f"the fence is at epoch {fence.epoch}, and the last that is known is epoch {known}")


#: How an entry reads by which people went on from an older copy: within a text such quotes would be escaped.
_WENT_ON: Final = f'"event":{{"type":"{HistoryAccepted.__struct_config__.tag}",'.encode()


def _cut_short(store: Store, mark: Mark) -> bool:
    """Tell whether people went on from an older copy, and the power went before that was anchored."""
    return all(page.epoch > mark.epoch and _WENT_ON in page.lines for page in store.pages(mark.page - 1))
