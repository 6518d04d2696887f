"""Entries, pages and the hash chain."""

import hashlib
from binascii import hexlify
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from croupier.house.events import AnyEvent
from croupier.house.ids import Context, Day
from croupier.journal.disk import JournalCorrupt, UnknownEntryType


class IdempotencyKey(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What a client calls a command by: the epoch it was asked in and a rising number of its device's own."""

    epoch: int
    number: int


class Cause(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The command that an entry came from: its key, and the SHA-256 of what was asked."""

    key: IdempotencyKey
    request_digest: str


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One line of the journal: who asked when and where, under which rules and key, and what happened."""

    #: Counted from 1, without gaps.
    position: int
    #: Which run of the system wrote it; never less than in the entry before.
    epoch: int
    #: The gaming day.
    day: Day
    context: Context
    #: The digest of the rulebook that the table or terminal falls under; empty for what concerns the whole house.
    rulebook: str
    #: None for what the house asks of itself.
    cause: Cause | None
    event: AnyEvent


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Entry)


def encode(entry: Entry) -> bytes:
    """Write an entry in its canonical form: fields in their declared order, nothing between them, on one line."""
    return _ENCODER.encode(entry)


def encode_all(entries: Iterable[Entry]) -> list[bytes]:
    """Write many entries at once: the same bytes as one by one, in two thirds of the time."""
    return _ENCODER.encode_lines(entries).split(b"\n")[:-1]


def decode(body: bytes) -> Entry:
    """Read an entry; ValueError where it is of a kind or version that is not known."""
    return _DECODER.decode(body)


#: An entry's digest in hexadecimal and a blank stand before its body.
BODY_OFFSET: Final = 64 + 1


class JournalHead(NamedTuple):
    """A place in the journal: the last entry and page so far, the epoch that wrote them, and the digest of all."""

    position: int
    page: int
    epoch: int
    digest: bytes


#: What the first entry is bound to.
EMPTY_HEAD: Final = JournalHead(0, 0, 0, bytes(32))


#: No system starts so often. Far below 2^53, up to which every reader of JSON knows whole numbers exactly.
EPOCH_MAX: Final = 2**52


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
    mac: bytes = b""

    @property
    def mac_message(self) -> bytes:
        """What the imprint is over."""
        return b"%d %d %d %d %b" % (self.number, self.epoch, self.first, self.last, self.head)

    @property
    def journal_head(self) -> JournalHead:
        return JournalHead(self.last, self.number, self.epoch, self.head)


def chain_digest(head: bytes, body: bytes) -> bytes:
    """Bind an entry to the one before it."""
    return hashlib.sha256(head + body).digest()


def page_after(mark: JournalHead, epoch: int, entries: Iterable[Entry]) -> Page:
    """Write entries, which go on from a mark, as its next page."""
    head, lines = mark.digest, []
    for body in encode_all(entries):
        head = chain_digest(head, body)
        lines.append(b"%b %b\n" % (hexlify(head), body))
    return Page(mark.page + 1, epoch, mark.position + 1, mark.position + len(lines), head, b"".join(lines))


class VerifiedPage(NamedTuple):
    """A page that was read and found whole, with its entries."""

    page: Page
    entries: list[Entry]


def verify_chain(pages: Iterable[Page], since: JournalHead) -> Iterator[VerifiedPage]:
    """Verify pages that follow a head, in order."""
    for page in pages:
        yield verify_page(page, since)
        since = page.journal_head


def verify_page(page: Page, since: JournalHead) -> VerifiedPage:
    """Verify the page that follows a head; JournalCorrupt names the first entry that differs from what was written."""
    return VerifiedPage(page, _entries(page, since))


def _entries(page: Page, since: JournalHead) -> list[Entry]:
    first = since.position + 1
    if (page.number, page.first) != (since.page + 1, first):
        raise JournalCorrupt(
            first, f"page {page.number} with entry {page.first} stands where page {since.page + 1} should"
        )
    if page.epoch < since.epoch:
        raise JournalCorrupt(first, f"epoch {page.epoch} comes after epoch {since.epoch}")
    head, entries = since.digest, []
    *lines, rest = page.lines.split(b"\n")
    for position, line in enumerate(lines, start=first):
        body = line[BODY_OFFSET:]
        head = chain_digest(head, body)
        if line[:BODY_OFFSET] != hexlify(head) + b" ":
            raise JournalCorrupt(position, "it is not what was written, or not in its place")
        entries.append(_entry(body, page.epoch, position))
    if (first + len(entries), head, rest) != (page.last + 1, page.head, b""):
        raise JournalCorrupt(first + len(entries), f"page {page.number} does not end as it was written")
    return entries


def _entry(body: bytes, epoch: int, position: int) -> Entry:
    try:
        entry = decode(body)
    except ValueError as error:
        raise UnknownEntryType(
            position, f"it is of a kind or version that this software does not know: {error}"
        ) from error
    if entry.position != position or entry.epoch != epoch:
        raise JournalCorrupt(position, f"it says that it is entry {entry.position} of epoch {entry.epoch}")
    return entry
