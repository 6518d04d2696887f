"""Records: what is kept of a person and of a device, and how all of it is written down so that damage shows."""

import hashlib
import unicodedata
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from croupier.access.fault import AccessFault
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId, PersonId
from croupier.house.stamp import SYSTEM
from croupier.rules.refusal import Code, Refusal

#: So many wrong secrets in a row lock an account.
FAILURES_MOST: Final = 3
NAME_MOST: Final = 64

Count = Annotated[int, msgspec.Meta(ge=0)]


class Origin(StrEnum):
    """Where an account's secret came from."""

    #: The person chose it.
    CHOSEN = "chosen"
    #: It is a one-time code: the person must choose a secret before anything else.
    CODE = "code"
    #: It stands in a configuration, for anybody to read: for demonstrations only.
    CONFIGURED = "configured"


class Account(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of a person."""

    hash: str
    origin: Origin
    #: Wrong secrets since the last right one.
    failures: Count = 0

    @property
    def locked(self) -> bool:
        return self.failures >= FAILURES_MOST


class Device(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of a device: never its key."""

    digest: str
    kind: DeviceKind


class Held(msgspec.Struct, forbid_unknown_fields=True):
    """All that a register holds."""

    accounts: dict[PersonId, Account] = {}
    devices: dict[DeviceId, Device] = {}
    #: How often somebody came under a name that nobody has here.
    turned_away: Count = 0


class _Sheet(msgspec.Struct, forbid_unknown_fields=True):
    digest: str
    held: msgspec.Raw


def write_down(held: Held) -> bytes:
    """Write what is held as JSON, under a digest of itself."""
    content = msgspec.json.encode(held)
    return msgspec.json.encode(_Sheet(digest_of(content), msgspec.Raw(content)))


def read_back(content: bytes) -> Held:
    """Read what was written down; AccessFault where it is anything else: nobody may guess at a register."""
    try:
        sheet = msgspec.json.decode(content, type=_Sheet)
        held = msgspec.json.decode(sheet.held, type=Held)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AccessFault(f"the register is damaged, and cannot be read: {error}") from error
    if sheet.digest != digest_of(bytes(sheet.held)):
        raise AccessFault("the register is damaged: it is not what was written")
    return held


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def name_objection(name: str) -> Refusal | None:
    """Object to a name of a person or a device that nobody could type twice, or that is the house's own."""
    tidy = name == unicodedata.normalize("NFC", name).strip() and name.isprintable()
    if not (tidy and 0 < len(name) <= NAME_MOST):
        says = f"A name has 1 to {NAME_MOST} printable letters, figures or signs, and no space at either end."
        return Refusal(Code.MALFORMED, None, says, {"name": name})
    if name == SYSTEM:
        return Refusal(Code.ALREADY_THERE, None, f"The house itself goes by the name {name}.", {"name": name})
    return None
