"""Entries: an event with its place in the journal and its stamp, in one canonical form of bytes."""

import hashlib

import msgspec

from croupier.house.event.any import AnyEvent
from croupier.house.event.base import Event
from croupier.house.name import Day
from croupier.house.stamp import Stamp

#: What the first entry is bound to.
BEGINNING = bytes(32)


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the journal: its position from 1, its gaming day, who asked when and where, and what happened."""

    position: int
    day: Day
    stamp: Stamp
    event: AnyEvent


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Entry)


def encode(position: int, day: Day, stamp: Stamp, event: Event) -> bytes:
    """Write an entry in its canonical form: fields in their declared order, nothing between them."""
    return _ENCODER.encode({"position": position, "day": day, "stamp": stamp, "event": event})


def decode(body: bytes) -> Entry:
    """Read an entry; msgspec.ValidationError where it is of a kind or version that is not known."""
    return _DECODER.decode(body)


def bound(head: bytes, body: bytes) -> bytes:
    """Bind an entry to the one before it."""
    return hashlib.sha256(head + body).digest()
