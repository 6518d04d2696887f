"""Messages between venues about tickets and shared pots, each signed by the venue that sends it.

A store of messages is an untrusted carrier. A venue acts only on a message that its sender's pinned key has signed. One
that finds a message twice, late or not at all pays nothing twice: the journal of each venue says which tickets it has
transferred and received.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Final, NamedTuple, Protocol

import msgspec

from croupier.house.ids import Instant
from croupier.house.state.ledger import PotReport, PotStatement
from croupier.journal.checkpoints import Signer, Verifier
from croupier.rules.money import AMOUNT_MAX, Cents
from croupier.rules.procedure import CreditOut

#: An issuer ignores a claim that is older: the bearer of the ticket does not wait any more.
CLAIM_MS: Final = 5_000
#: How many messages of each kind are read at once from each venue: none can crowd out another.
READ_MAX: Final = 128
#: Every signed message begins with its kind, so that a signature of one kind is not valid for another.
_PREFIX: Final = b"croupier ticket message 1\n"


class MessageKind(StrEnum):
    """What a venue says to another about a ticket or a shared pot."""

    #: A ticket was presented here: transfer it.
    CLAIM = "claim"
    #: The answer to the claim with the same number.
    RESPONSE = "response"
    #: A ticket is yours to pay. Transfers to a venue have ascending numbers.
    TRANSFER = "transfer"
    #: What was added to a shared pot and won of it, or what its keeper says of it. The last one replaces those before.
    POT = "pot"


class TicketMessage(NamedTuple):
    """A message with the sender's signature over all that comes before it."""

    kind: MessageKind
    sender: str
    recipient: str
    number: int
    body: str
    signature: bytes = b""

    def signed(self, signer: Signer) -> "TicketMessage":
        return self._replace(signature=signer.sign(self._content))

    def is_signed_by(self, verifier: Verifier) -> bool:
        return verifier.accepts(self.signature, self._content)

    @property
    def _content(self) -> bytes:
        return _PREFIX + msgspec.json.encode(self[:-1])


#: A ticket's number, encrypted with the key that the venues share. A pattern that ends with `$` admits a line break.
Token = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{18}\Z")]
#: What papers and pages show of a ticket.
_LastFour = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}\Z")]
_Currency = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z")]
#: The largest number of a time or a transfer: the journal represents it exactly.
_INTEGER_MAX: Final = 2**62
_Time = Annotated[Instant, msgspec.Meta(ge=0, le=_INTEGER_MAX)]


class TransferBody(msgspec.Struct, frozen=True):
    """What a transfer says of a ticket."""

    #: The number of the transfer before it to the same venue.
    previous: Annotated[int, msgspec.Meta(ge=0, le=_INTEGER_MAX)]
    token: Token
    last_four: _LastFour
    form: CreditOut
    amount: Annotated[Cents, msgspec.Meta(gt=0, le=AMOUNT_MAX)]
    currency: _Currency
    issued_at: _Time
    #: When it was transferred.
    at: _Time


class PotBody(msgspec.Struct, frozen=True):
    """What a venue says of a shared pot: its reports to the keeper, or the keeper's statement."""

    #: The digest of the rulebook.
    rules: str
    reports: tuple[PotReport, ...] = ()
    statement: PotStatement | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that a journal would not represent exactly, and a round that wins a pot more than once."""
        said = () if self.statement is None else (self.statement.applied,)
        counts = [number for each in (*self.reports, *said) for number in msgspec.structs.astuple(each)]
        counts += [] if self.statement is None else [self.statement.number, self.statement.amount, self.statement.wins]
        turns = (abs(each.won) for each in (*self.reports, *said))
        if any(abs(each) > AMOUNT_MAX for each in counts) or any(each > 1 for each in turns):
            raise ValueError("a number is too large")

    @property
    def number(self) -> int:
        """The number of the message: that of the statement, or of the last report."""
        return self.reports[-1].number if self.statement is None else self.statement.number


class Outgoing(NamedTuple):
    """What a venue writes; and the numbers of its claims that it withdraws, and of those whose responses it awaits."""

    messages: tuple[TicketMessage, ...] = ()
    withdrawn: tuple[int, ...] = ()
    awaited: tuple[int, ...] = ()

    def of(self, kind: MessageKind) -> list[TicketMessage]:
        return [each for each in self.messages if each.kind is kind]


class Incoming(NamedTuple):
    """What a venue reads: genuine messages to it, transfers in order, and of whom and of which kind others were.

    `stored` is what the store has under numbers of its transfers.
    """

    messages: tuple[TicketMessage, ...] = ()
    foreign: frozenset[tuple[str, MessageKind]] = frozenset()
    stored: tuple[TicketMessage, ...] = ()


#: Says whether a message is signed by its sender; it is called on another thread.
Genuine = Callable[[TicketMessage], bool]


class ClaimStore(Protocol):
    """The messages to and from one venue. Every failure is a JournalFault; what was written may be written again."""

    def send_and_receive(self, outgoing: Outgoing, received: Mapping[str, int], genuine: Genuine) -> Incoming:
        """Write messages, transfers with the responses that promise them, and read those of the venues given.

        If there is one about a pot, they replace all those about pots that were written before. Transfers are read
        after the last one that was received from each venue, past rows that are not genuine.
        """
        ...

    def close(self) -> None: ...


class ClaimListener(Protocol):
    """Waits for messages to one venue."""

    def wait(self, milliseconds: int) -> bool:
        """Wait for a message, for so long at most; return whether there is one."""
        ...

    def close(self) -> None: ...


def recipients(messages: Iterable[TicketMessage]) -> list[str]:
    """List the venues that messages are for, each once."""
    return sorted({each.recipient for each in messages})
