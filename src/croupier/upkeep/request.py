"""Requests: what may be asked of a running system from its own host, where, and in which form."""

import json
import os
from pathlib import Path
from typing import Annotated, Final

import msgspec

from croupier.journal.safe import Safe
from croupier.journal.verify import unique
from croupier.upkeep.answer import AnyAnswer
from croupier.upkeep.fault import Unreachable

_CONTROL: Final = "control"
#: What Linux takes for the address of a socket, in bytes.
ADDRESS_MOST: Final = 107
#: The longest line that is read: an address in the file system, and some words around it.
LINE_MOST: Final = 16_384


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True):
    """Somebody on the host asks for upkeep."""

    #: The data directory of the system that is meant; any where it is empty.
    data: Annotated[str, msgspec.Meta(max_length=4_096)] = ""


class MakeBackup(Request, frozen=True, tag="backup"):
    """Make a backup on a shelf, and let no more than some stand there."""

    to: Annotated[str, msgspec.Meta(pattern="^/", max_length=4_096)]
    #: As many as the running system is configured to keep, where nobody says.
    keep: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = None


class VerifySoftware(Request, frozen=True, tag="verify"):
    """Hold the software that is running against its record."""


class ReloadSettings(Request, frozen=True, tag="reload"):
    """Read the settings again that may change while the house is open."""


class TellStatus(Request, frozen=True, tag="status"):
    """Say how the system is doing."""


class ExportPart(Request, frozen=True, tag="export"):
    """Export a part of the journal to a file in the data directory; to its end where no last entry is named."""

    first: Annotated[int, msgspec.Meta(ge=1)] = 1
    last: Annotated[int, msgspec.Meta(ge=1)] | None = None


class FindDevice(Request, frozen=True, tag="device"):
    """Say whether the house has a device of this id, and what it is there for."""

    device: Annotated[str, msgspec.Meta(max_length=64)]


AnyRequest = MakeBackup | VerifySoftware | ReloadSettings | TellStatus | ExportPart | FindDevice


def address(safe: Safe) -> Path:
    """Name the socket on which a system answers: in its safe, where nobody but its owner comes."""
    path = safe.path.absolute() / _CONTROL
    if len(os.fsencode(path)) > ADDRESS_MOST:
        words = f"{path} is {len(os.fsencode(path))} bytes long, and a socket's address has {ADDRESS_MOST} at most"
        raise Unreachable(f"{words}: with a safe in a shorter place a running system could be asked")
    return path


_REQUESTS: Final[msgspec.json.Decoder[AnyRequest]] = msgspec.json.Decoder(AnyRequest)


class Reply(msgspec.Struct, frozen=True):
    """What goes back through the socket: an answer, and the data directory of the system that gave it."""

    data: str
    answer: AnyAnswer


_REPLIES: Final = msgspec.json.Decoder(Reply)


def named(data: Path) -> str:
    """Name a data directory as both ends of the socket do."""
    return str(data.resolve())


def written(message: AnyRequest | Reply) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def read_request(line: bytes) -> AnyRequest:
    """Read a request; ValueError where it is none."""
    request = _REQUESTS.decode(line)
    json.loads(line, object_pairs_hook=unique)
    return request


def read_reply(line: bytes) -> Reply:
    """Read a reply; ValueError where it is none."""
    return _REPLIES.decode(line)
