"""Records: what is kept of a person and of a device, and how all of it is written down so that damage shows."""

import hashlib
import unicodedata
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from croupier.access.fault import AccessFault
from croupier.house.device import DeviceKind
from croupier.house.name import SECOND, DeviceId, Instant, PersonId
from croupier.house.stamp import SYSTEM
from croupier.rules.refusal import Code, Refusal

#: So many wrong passwords in a row, of one person on one device, throttle that person on that device.
FAILURES_MOST: Final = 3
#: The first throttle lasts so long; each further wrong password doubles it, up to the longest.
THROTTLE_FIRST: Final = 60 * SECOND
THROTTLE_MOST: Final = 3_600 * SECOND
#: So many wrong passwords on one device, under whatever names, throttle the device; one is forgiven in so long.
DEVICE_FAILURES_MOST: Final = 10
DEVICE_FORGIVES: Final = 60 * SECOND
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


class Tries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wrong passwords of one person on one device, since the last right one there."""

    failures: Count = 0
    #: Until when the person is throttled on the device; 0 before the first throttle.
    until: Count = 0

    def throttled(self, now: Instant) -> bool:
        """Tell whether it is in force; one that ends later than any may is of a clock that was set back since."""
        return now < self.until <= now + THROTTLE_MOST

    def wrong(self, now: Instant) -> "Tries":
        """Count one more: the third throttles, and each one after that for twice as long."""
        failures = self.failures + 1
        over = failures - FAILURES_MOST
        # No more than the longest throttle is doubled up to: 60 s, doubled six times, is over an hour.
        until = 0 if over < 0 else now + min(THROTTLE_FIRST << min(over, 6), THROTTLE_MOST)
        return Tries(failures, until)


class DeviceTries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wrong passwords on one device, under whatever names: they are forgiven by time alone."""

    failures: Count = 0
    #: When the last of them was counted.
    at: Count = 0

    def left(self, now: Instant) -> int:
        """Tell how many are not forgiven yet."""
        return max(0, self.failures - max(0, now - self.at) // DEVICE_FORGIVES)

    def wait(self, now: Instant) -> int:
        """Tell for how many seconds still nobody may sign in there."""
        if self.left(now) < DEVICE_FAILURES_MOST:
            return 0
        passed = max(0, now - self.at) % DEVICE_FORGIVES
        return -(-(DEVICE_FORGIVES - passed) // SECOND)

    def wrong(self, now: Instant) -> "DeviceTries":
        return DeviceTries(min(self.left(now) + 1, DEVICE_FAILURES_MOST), now)


class Account(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of a person."""

    hash: str
    origin: Origin
    #: Wrong passwords since the last right one, on all devices.
    failures: Count = 0
    #: And on each device since the last right one there.
    tries: dict[DeviceId, Tries] = {}

    @property
    def locked(self) -> bool:
        """Whether there has been a throttle on any device that no right password or colleague has ended since."""
        return any(each.until for each in self.tries.values())


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
    #: Wrong passwords by device.
    tries: dict[DeviceId, DeviceTries] = {}


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
