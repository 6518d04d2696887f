"""Stamps: when something was asked, on which device, and by whom where a person signed."""

import msgspec

from croupier.house.name import DeviceId, Instant, PersonId

#: The house's own device: timers, the gateway that watches links, and the configuration at start.
SYSTEM = DeviceId("system")


class Stamp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What is written on every entry beside the event itself."""

    now: Instant
    device: DeviceId
    #: Who signed; empty for players and machines.
    person: PersonId = PersonId("")
