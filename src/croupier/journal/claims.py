"""Messages between venues about tickets: claims, their answers, and transfers.

A store of messages only carries them. A venue that finds a message twice, late or not at all pays nothing twice: the
journal of each venue says which tickets it has transferred and received.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

#: An issuer ignores a claim that is older: the bearer of the ticket does not wait any more.
CLAIM_MS: Final = 5_000
#: How many claims, and how many transfers from each venue, are read at once.
READ_MAX: Final = 128


class ClaimMessage(NamedTuple):
    """A claim: the venue that is asked or that asks, the encrypted number, what the venue says, and the MAC."""

    venue: str
    token: str
    body: str
    mac: bytes


class ClaimResponse(NamedTuple):
    """The answer to a claim, and the venue that has asked or answered."""

    venue: str
    token: str
    response: str


class TransferMessage(NamedTuple):
    """A transfer: the venue that receives or sends it, its number, what was transferred, and the MAC."""

    venue: str
    number: int
    body: str
    mac: bytes


class Outgoing(NamedTuple):
    """What a venue writes: its claims, those that it withdraws, its answers, and its transfers."""

    claims: tuple[ClaimMessage, ...] = ()
    withdrawn: tuple[str, ...] = ()
    responses: tuple[ClaimResponse, ...] = ()
    transfers: tuple[TransferMessage, ...] = ()


class Incoming(NamedTuple):
    """What a venue reads: the claims of others, the answers to its own, and the transfers to it in order."""

    claims: tuple[ClaimMessage, ...] = ()
    responses: tuple[ClaimResponse, ...] = ()
    transfers: tuple[TransferMessage, ...] = ()


class ClaimStore(Protocol):
    """The messages to and from one venue. Every failure is a JournalFault; what was written may be written again."""

    def send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int]) -> Incoming:
        """Write messages, transfers with the responses that promise them, and read those since.

        Transfers are read after the last one that was received from each venue.
        """
        ...

    def close(self) -> None: ...


class ClaimListener(Protocol):
    """Waits for messages to one venue."""

    def wait(self, milliseconds: int) -> bool:
        """Wait for a message, for so long at most; return whether there is one."""
        ...

    def close(self) -> None: ...
