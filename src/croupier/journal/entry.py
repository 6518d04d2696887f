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
    """A client's key for a command: the epoch, and a number that rises with each command of its device."""

    epoch: int
    number: int


class Cause(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """The command that an entry came from: its idempotency key and the SHA-256 of the request."""

    key: IdempotencyKey
    request_digest: str


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One entry of the journal: an event with its context, gaming day, rulebook and cause."""

    #: Counted from 1, without gaps.
    position: int
    #: The run of the system that wrote it; it never decreases.
    epoch: int
    #: The gaming day.
    day: Day
    context: Context
    #: The digest of the rulebook that the table or terminal falls under; empty for what concerns the whole house.
    rulebook: str
    #: None for the house's own commands.
    cause: Cause | None
    event: AnyEvent


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Entry)


def encode(entry: Entry) -> bytes:
    """Encode an entry in its canonical form: JSON on one line, fields in declared order, no whitespace."""
    return _ENCODER.encode(entry)


def encode_all(entries: Iterable[Entry]) -> list[bytes]:
    """Encode many entries at once: the same bytes as one by one, in two thirds of the time."""
    return _ENCODER.encode_lines(entries).split(b"\n")[:-1]


def decode(body: bytes) -> Entry:
    """Decode an entry; ValueError when its type or version is unknown."""
    return _DECODER.decode(body)


#: A line is the digest in hexadecimal, a space and the body.
BODY_OFFSET: Final = 64 + 1


class JournalHead(NamedTuple):
    """The end of the journal at some time: its last entry and page, their epoch, and the digest of the chain."""

    position: int
    page: int
    epoch: int
    digest: bytes


#: The head of an empty journal, which the first entry is chained to.
EMPTY_HEAD: Final = JournalHead(0, 0, 0, bytes(32))


#: More starts than any system makes, and below 2^53, the limit of exact integers in JSON.
EPOCH_MAX: Final = 2**52


class Fence(NamedTuple):
    """The last epoch that a writer has begun; a writer of an earlier epoch is fenced off."""

    epoch: int = 0
    #: The MAC over the epoch, with the venue's key; empty before the first epoch.
    mac: bytes = b""


def fence_message(epoch: int) -> bytes:
    """Return the message of a fence's MAC. No message of a page's MAC begins like this."""
    return b"croupier fence 1\n%d" % epoch


class Page(NamedTuple):
    """One batch as it is stored. Pages and entries are numbered from 1 without gaps."""

    number: int
    epoch: int
    first: int
    last: int
    #: The digest of the chain up to its last entry.
    head: bytes
    #: One line for each entry: digest, space, body, line feed.
    lines: bytes
    #: The page MAC, by which the holder of the venue's key verifies pages that no checkpoint covers yet.
    mac: bytes = b""

    @property
    def mac_message(self) -> bytes:
        """The message of the page MAC."""
        return b"%d %d %d %d %b" % (self.number, self.epoch, self.first, self.last, self.head)

    @property
    def journal_head(self) -> JournalHead:
        return JournalHead(self.last, self.number, self.epoch, self.head)


def chain_digest(head: bytes, body: bytes) -> bytes:
    """Chain an entry to the digest before it."""
    return hashlib.sha256(head + body).digest()


def page_after(head: JournalHead, epoch: int, entries: Iterable[Entry]) -> Page:
    """Build the page of entries that follows a head."""
    digest, lines = head.digest, []
    for body in encode_all(entries):
        digest = chain_digest(digest, body)
        lines.append(b"%b %b\n" % (hexlify(digest), body))
    return Page(head.page + 1, epoch, head.position + 1, head.position + len(lines), digest, b"".join(lines))


class VerifiedPage(NamedTuple):
    """A page that was verified against the chain, with its decoded entries."""

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
            first, f"page {page.number} with entry {page.first} is in the place of page {since.page + 1}"
        )
    if page.epoch < since.epoch:
        raise JournalCorrupt(first, f"epoch {page.epoch} comes after epoch {since.epoch}")
    head, entries = since.digest, []
    *lines, rest = page.lines.split(b"\n")
    for position, line in enumerate(lines, start=first):
        body = line[BODY_OFFSET:]
        head = chain_digest(head, body)
        if line[:BODY_OFFSET] != hexlify(head) + b" ":
            raise JournalCorrupt(position, "it differs from what was written, or is not in its place")
        entries.append(_entry(body, page.epoch, position))
    if (first + len(entries), head, rest) != (page.last + 1, page.head, b""):
        raise JournalCorrupt(first + len(entries), f"page {page.number} does not end as it was written")
    return entries


def _entry(body: bytes, epoch: int, position: int) -> Entry:
    try:
        entry = decode(body)
    except ValueError as error:
        raise UnknownEntryType(position, f"its type or version is unknown to this build: {error}") from error
    if entry.position != position or entry.epoch != epoch:
        raise JournalCorrupt(position, f"it says that it is entry {entry.position} of epoch {entry.epoch}")
    return entry
