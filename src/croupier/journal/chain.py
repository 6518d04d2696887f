"""The chain: pages read again, each entry held against its digest and its place, up to the first that is wrong."""

from binascii import hexlify
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from croupier.journal.entry import Entry, decode
from croupier.journal.fault import Damaged, UnknownEntry
from croupier.journal.page import BODY_BEGINS, Mark, Page, bound


class Sheet(NamedTuple):
    """A page that was read and found whole, with its entries."""

    page: Page
    entries: list[Entry]


def follow(pages: Iterable[Page], since: Mark) -> Iterator[Sheet]:
    """Read pages that go on from a mark; Damaged names the first position that is not as it was written."""
    for page in pages:
        yield Sheet(page, _entries(page, since))
        since = page.mark


def _entries(page: Page, since: Mark) -> list[Entry]:
    first = since.position + 1
    if (page.number, page.first) != (since.page + 1, first):
        raise Damaged(first, f"page {page.number} with entry {page.first} stands where page {since.page + 1} should")
    if page.epoch < since.epoch:
        raise Damaged(first, f"epoch {page.epoch} comes after epoch {since.epoch}")
    head, entries = since.head, []
    *lines, rest = page.lines.split(b"\n")
    for position, line in enumerate(lines, start=first):
        body = line[BODY_BEGINS:]
        head = bound(head, body)
        if line[:BODY_BEGINS] != hexlify(head) + b" ":
            raise Damaged(position, "it is not what was written, or not in its place")
        entries.append(_entry(body, page.epoch, position))
    if (first + len(entries), head, rest) != (page.last + 1, page.head, b""):
        raise Damaged(first + len(entries), f"page {page.number} does not end as it was written")
    return entries


def _entry(body: bytes, epoch: int, position: int) -> Entry:
    try:
        entry = decode(body)
    except ValueError as error:
        raise UnknownEntry(position, f"it is of a kind or version that this software does not know: {error}") from error
    if entry.position != position or entry.epoch != epoch:
        raise Damaged(position, f"it says that it is entry {entry.position} of epoch {entry.epoch}")
    return entry
