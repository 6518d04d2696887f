"""Entries, journal heads and stored pages."""

from typing import Final, NamedTuple

import msgspec

from croupier.house import AnyEvent
from croupier.house.ids import Context, Day


class IdempotencyKey(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A client's key for a command: the epoch, and a number that rises with each command of its device."""

    epoch: int
    number: int


#: The size of the BLAKE2b digest of a request: enough to distinguish two requests with the same key.
REQUEST_DIGEST_BYTES: Final = 16


class Cause(msgspec.Struct, frozen=True, gc=False):
    """The command that an entry came from: its idempotency key, and the digest of the request."""

    #: Its epoch is the entry's own: a command with a key of another epoch is never accepted.
    key: IdempotencyKey
    request_digest: bytes


class Entry(msgspec.Struct, frozen=True, gc=False):
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


class JournalHead(NamedTuple):
    """The end of the journal at some time: its last entry and page, their epoch, and the digest of the chain."""

    position: int
    page: int
    epoch: int
    digest: bytes


#: The head of an empty journal, which the first page is chained to.
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
    #: The digest of the chain up to this page.
    head: bytes
    #: The header and the rows: see `PageBody`.
    body: bytes
    #: The page MAC, by which the holder of the venue's key verifies pages that no checkpoint covers yet.
    mac: bytes = b""

    @property
    def mac_message(self) -> bytes:
        """The message of the page MAC."""
        return b"%d %d %d %d %b" % (self.number, self.epoch, self.first, self.last, self.head)

    @property
    def journal_head(self) -> JournalHead:
        return JournalHead(self.last, self.number, self.epoch, self.head)
