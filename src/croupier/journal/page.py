"""Pages: the entries of one batch, each behind its digest, as one block of lines."""

import hashlib
from binascii import hexlify
from collections.abc import Iterable
from typing import Final, NamedTuple

from croupier.journal.entry import Entry, encode_all

#: An entry's digest in hexadecimal and a blank stand before its body.
BODY_BEGINS: Final = 64 + 1


class Mark(NamedTuple):
    """A place in the journal: the last entry and page so far, the epoch that wrote them, and the digest of all."""

    position: int
    page: int
    epoch: int
    head: bytes


#: What the first entry is bound to.
BEGINNING: Final = Mark(0, 0, 0, bytes(32))


#: No system starts so often. Far below 2^53, up to which every reader of JSON knows whole numbers exactly.
EPOCH_MOST: Final = 2**52


class Fence(NamedTuple):
    """The last epoch that a writer has begun; whoever writes in an earlier one is shut out."""

    epoch: int = 0
    #: The MAC over the epoch, with the venue's key; empty before the first epoch.
    mac: bytes = b""


def fence_message(epoch: int) -> bytes:
    """Write what the MAC of a fence is over: no page's begins like this."""
    return b"croupier fence 1\n%d" % epoch


class Page(NamedTuple):
    """One batch as it is stored: pages are numbered from 1 without gaps, and so are the entries in them."""

    number: int
    epoch: int
    first: int
    last: int
    #: The digest that binds its last entry to all before.
    head: bytes
    #: One line for each entry: digest, blank, body, line feed.
    lines: bytes
    #: What whoever holds the venue's key can tell its own pages by, before a checkpoint covers them.
    imprint: bytes = b""

    @property
    def imprinted(self) -> bytes:
        """What the imprint is over."""
        return b"%d %d %d %d %b" % (self.number, self.epoch, self.first, self.last, self.head)

    @property
    def mark(self) -> Mark:
        return Mark(self.last, self.number, self.epoch, self.head)


def bound(head: bytes, body: bytes) -> bytes:
    """Bind an entry to the one before it."""
    return hashlib.sha256(head + body).digest()


def page_after(mark: Mark, epoch: int, entries: Iterable[Entry]) -> Page:
    """Write entries, which go on from a mark, as its next page."""
    head, lines = mark.head, []
    for body in encode_all(entries):
        head = bound(head, body)
        lines.append(b"%b %b\n" % (hexlify(head), body))
    return Page(mark.page + 1, epoch, mark.position + 1, mark.position + len(lines), head, b"".join(lines))
