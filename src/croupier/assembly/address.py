"""Addresses: the names by which browsers know this machine."""

import socket
from typing import Final

#: The names of this machine to itself.
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
#: Every address that it has.
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - to be compared, and bound where an operator says so


def lan_address() -> str:
    """Find the address by which this machine goes on its network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            # An address for documents, which nobody has.
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(asking.getsockname()[0])


def names_of(host: str) -> set[str]:
    """Name a machine that listens on an address as the pages it serves may be addressed."""
    return {lan_address() if host == EVERYWHERE else host, *LOOPBACK}
