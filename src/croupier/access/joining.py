"""Joining: the code by which a phone sits down at a table of a demonstration, drawn for a camera to read."""

import hmac
import io
import secrets
from collections import deque
from collections.abc import Callable
from ipaddress import IPv4Address, ip_address, ip_network
from typing import Final

import segno

from croupier.house.name import SECOND, DeviceId, Instant
from croupier.rules.refusal import Code, Refusal

_CODE_BYTES: Final = 16
_MINUTE: Final = 60 * SECOND
#: The clear margin that readers are promised, in modules.
QUIET_ZONE: Final = 4


class JoinCode:
    """A code of this run: it is kept nowhere, so it ends with the run, and the next one has another."""

    def __init__(self) -> None:
        self.text = secrets.token_urlsafe(_CODE_BYTES)

    def admits(self, shown: str) -> bool:
        """Compare in a time that tells nothing of where the two differ."""
        return hmac.compare_digest(self.text.encode(), shown.encode("utf-8", "surrogatepass"))


class JoinLimits:
    """How often each source address has tried to join within a minute, and which seats it was given in this run."""

    def __init__(self, *, per_minute: int, seats: int, addresses: int) -> None:
        self._per_minute, self._seats, self._addresses = per_minute, seats, addresses
        #: When each address tried last, the one that has not for the longest first.
        self._tries: dict[str, deque[Instant]] = {}
        self._given: dict[DeviceId, str] = {}

    def try_once(self, peer: str, now: Instant) -> Refusal | None:
        """Count an attempt; refuse it where there were too many within a minute."""
        source = source_of(peer)
        tries = self._tries.pop(source, None) or deque(maxlen=self._per_minute)
        self._tries[source] = tries
        if len(self._tries) > self._addresses:
            del self._tries[next(iter(self._tries))]
        if len(tries) == self._per_minute and now < tries[0] + _MINUTE:
            says = f"An address joins at most {self._per_minute} times a minute: try again later."
            return Refusal(Code.TOO_FAST, None, says, {"per_minute": self._per_minute})
        tries.append(now)
        return None

    def full(self, peer: str, taken: Callable[[DeviceId], bool]) -> Refusal | None:
        """Refuse one more seat to an address that has as many as it may, counting those that are taken still."""
        source = source_of(peer)
        seats = sum(given == source and taken(device) for device, given in self._given.items())
        if seats < self._seats:
            return None
        says = f"An address has at most {self._seats} seats: leave one first."
        return Refusal(Code.BUSY, None, says, {"seats": self._seats})

    def give(self, device: DeviceId, peer: str) -> None:
        """Note which address a seat was given to, in the place of any other."""
        self._given[device] = source_of(peer)


def source_of(peer: str) -> str:
    """Name the source of an address: itself, or its /64 network where it is IPv6, as each host has a whole one."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return peer
    if isinstance(address, IPv4Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped) if mapped is not None else str(ip_network((address, 64), strict=False))


def qr_text(url: str) -> str:
    """Draw an address for a terminal with light letters on a dark ground, two rows of modules in a line of text."""
    drawn = io.StringIO()
    # Of middling redundancy: a screen is photographed at an angle, and is neither torn nor stained.
    segno.make_qr(url, error="m").terminal(drawn, border=QUIET_ZONE, compact=True)
    return drawn.getvalue()
