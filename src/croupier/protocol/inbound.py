"""Inbound messages of the wire: every message that a client may send, decoded and validated here."""

import json
from typing import TYPE_CHECKING, Annotated, Final, get_args

import msgspec

from croupier.house.declare import COMMANDS, Command, EventTopic, union
from croupier.house.ids import DeviceKind
from croupier.journal.verify import unique
from croupier.protocol.queries import Document, DocumentFormat
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason

WEBSOCKET_PATH: Final = "/wire"


#: Integers that every browser represents exactly.
Whole = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Secret = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]

#: The version of the wire protocol. It rises with every change that a client of the version before cannot follow;
#: a new optional field or a new kind of message is no such change.
PROTOCOL: Final = 1


class InboundMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="t"):
    """A message from a client."""


class Hello(InboundMessage, frozen=True, kw_only=True, tag="hello"):
    """The first message: the kind of screen, and the key that the device was enrolled with."""

    screen: DeviceKind
    #: The version of the protocol that the client speaks. A client that states none, or another, is refused.
    protocol: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0
    device: Annotated[str, msgspec.Meta(max_length=64)] = ""
    key: Annotated[str, msgspec.Meta(max_length=128)] = ""
    #: In a demonstration a device may enrol itself, on the host or with the join code of this run, and name a table.
    join: Annotated[str, msgspec.Meta(max_length=128)] | None = None
    table: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Ping(InboundMessage, frozen=True, tag="ping"):
    """Asks for the server's time; its number comes back in the response."""

    c: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class Resync(InboundMessage, frozen=True, tag="resync"):
    """Asks for a new snapshot: a delta was missed."""


class SignIn(InboundMessage, frozen=True, tag="sign_in"):
    """A person signs in, with a password or a one-time code."""

    person: Name
    secret: Secret


class Visit(InboundMessage, frozen=True, tag="visit"):
    """A visitor of a demonstration signs in without a password: deals the table of `welcome`, or enters as a person."""

    #: One of those whom `welcome` named; empty to deal the table of visitors.
    person: Annotated[str, msgspec.Meta(max_length=64)] = ""


class SetPassword(InboundMessage, frozen=True, tag="new_secret"):
    """Sets a password in place of a one-time code."""

    person: Name
    code: Secret
    secret: Secret


class Resume(InboundMessage, frozen=True, tag="resume"):
    """Resumes the session of this device after a lost connection."""

    token: Secret


class StepUp(InboundMessage, frozen=True, tag="step_up"):
    """Gives the password again, before a command that takes two signatures."""

    secret: Secret


class SignOut(InboundMessage, frozen=True, tag="sign_out"):
    """Ends the session."""


class KeyedMessage(InboundMessage, frozen=True):
    """A command with its idempotency key: the epoch it was first sent in, and a rising number of the device."""

    id: Whole
    epoch: Whole


if TYPE_CHECKING:
    TerminalCommand = Command
    StaffCommand = Command
    WireCommand = Command
else:
    # A decoder needs the members themselves: every command that is not declared with messages of its own.
    #: What a player's terminal may send.
    TerminalCommand = union(kind for kind, declared in COMMANDS.items() if declared.from_terminal)
    #: What a console may send. Who may send which of these, and when, the house decides.
    StaffCommand = union(kind for kind, declared in COMMANDS.items() if declared.from_staff)
    WireCommand = TerminalCommand | StaffCommand


class SendCommand(KeyedMessage, frozen=True, tag="ask"):
    """Sends a command."""

    command: WireCommand


class Note(KeyedMessage, frozen=True, tag="note"):
    """A note was inserted into a simulated acceptor."""

    value: Annotated[Cents, msgspec.Meta(ge=1, le=10_000_000)]


class QueryGames(InboundMessage, frozen=True, tag="games"):
    """Asks for the last games that were played at this terminal."""


class QuerySlips(InboundMessage, frozen=True, tag="slips"):
    """Asks what became of slips, in a demonstration: its pages keep what a printer prints elsewhere."""

    #: The first twenty are looked up.
    numbers: tuple[Annotated[str, msgspec.Meta(max_length=40)], ...]


class Displayed(InboundMessage, frozen=True, tag="displayed"):
    """A display reports the number that it shows for a table and round: the house compares it with the result."""

    table: Name
    round: Whole
    number: Annotated[str, msgspec.Meta(min_length=1, max_length=3)]


class Practice(InboundMessage, frozen=True, tag="practice"):
    """Asks for credits that are worth nothing, in a demonstration. It has no idempotency key."""


class TicketIn(KeyedMessage, frozen=True, tag="ticket_in"):
    """A ticket was inserted into the terminal."""

    number: Annotated[str, msgspec.Meta(max_length=32)]


class CashOut(KeyedMessage, frozen=True, tag="cash_out"):
    """Collects the credits, as a slip or a ticket."""


class CollectFor(KeyedMessage, frozen=True, tag="collect_for"):
    """Staff collect for a player where the terminal cannot: the slip or ticket is printed at their console."""

    terminal: Name


class Redeem(KeyedMessage, frozen=True, tag="redeem"):
    """A cashier pays a slip or ticket by its number."""

    drawer: Name
    number: Annotated[str, msgspec.Meta(max_length=32)]
    amount_on_paper: Annotated[Cents, msgspec.Meta(ge=0, le=2**53 - 1)] | None = None


class Query(InboundMessage, frozen=True, kw_only=True):
    """A query: it changes nothing, and its number comes back with the response."""

    q: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0


class QueryPreview(Query, frozen=True, kw_only=True, tag="preview"):
    """Asks what a correction would do to every seat's money, or an invalidation where a reason is named."""

    table: Name
    round: Whole
    #: One of these two.
    pocket: Name | None = None
    reason: Reason | None = None


class QueryReplay(Query, frozen=True, kw_only=True, tag="replay"):
    """Asks for a retained round, step by step; for one terminal alone where it is named."""

    table: Name
    round: Whole
    terminal: Name | None = None
    #: Whether the response includes the notation, which takes a while.
    notation: bool = False


class Bundle(Query, frozen=True, kw_only=True, tag="bundle"):
    """Asks for a round as a verifiable file; redacted to one terminal where it is named."""

    table: Name
    round: Whole
    terminal: Name | None = None


class Export(Query, frozen=True, kw_only=True, tag="export"):
    """Asks for a part of the journal as a verifiable file: the first, or the next after a position."""

    after: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0
    before: Whole | None = None


class Verify(Query, frozen=True, tag="verify"):
    """Asks for a verification of the whole journal."""


class QueryDisputes(Query, frozen=True, kw_only=True, tag="disputes"):
    """Asks for disputes, open and closed: the last ones, or those before a number."""

    before: Whole | None = None


class QueryJournal(Query, frozen=True, kw_only=True, tag="journal"):
    """Asks for entries of the journal: the last ones, or those before or after a position, of one kind where named."""

    before: Whole | None = None
    after: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] | None = None
    table: Name | None = None
    terminal: Name | None = None
    person: Name | None = None
    kind: Name | None = None
    #: Their topic, where no kind is named.
    about: EventTopic | None = None


class QueryTicket(Query, frozen=True, kw_only=True, tag="look_up"):
    """Asks what a slip or ticket is worth, by its number, without paying it."""

    number: Annotated[str, msgspec.Meta(max_length=32)]


class QueryMeters(Query, frozen=True, kw_only=True, tag="meters"):
    """Asks for the meters of a terminal, and whether they add up."""

    terminal: Name


class QueryDocument(Query, frozen=True, kw_only=True, tag="paper"):
    """Asks for a document, to be shown or printed."""

    form: DocumentFormat
    document: Document


class QueryStaff(Query, frozen=True, tag="staff"):
    """Asks for the staff and their titles."""


#: Every message that a client may send.
Incoming = (
    Hello
    | Ping
    | Resync
    | SignIn
    | Visit
    | SetPassword
    | Resume
    | StepUp
    | SignOut
    | Practice
    | Displayed
    | QueryGames
    | QuerySlips
    | SendCommand
    | Note
    | TicketIn
    | CashOut
    | CollectFor
    | Redeem
    | QueryPreview
    | QueryReplay
    | Bundle
    | Export
    | Verify
    | QueryDisputes
    | QueryJournal
    | QueryTicket
    | QueryMeters
    | QueryDocument
    | QueryStaff
)

_DECODE: Final = msgspec.json.Decoder(Incoming).decode


def _required_keys(kind: type[msgspec.Struct]) -> int:
    """Count the keys of a message or command without which it is not valid: its tag, and the fields without default."""
    return 1 + sum(field.required for field in msgspec.structs.fields(kind))


#: The number of keys in a frame that has every required key once, and no other: of each message, and of a command with
#: the message around it.
_KEYS: Final = {kind: _required_keys(kind) for kind in get_args(Incoming)} | {
    kind: _required_keys(SendCommand) + _required_keys(kind) for kind in COMMANDS
}


def decode(frame: bytes) -> Incoming:
    """Decode a frame; msgspec.DecodeError where it is not a valid message, or repeats a key in one object.

    msgspec silently takes the last of two equal keys. Every key is followed by a colon, so a valid frame that has no
    more colons than required keys repeats none; only other frames are parsed a second time.
    """
    message: Incoming = _DECODE(frame)
    if frame.count(b":") != _KEYS[type(message.command if type(message) is SendCommand else message)]:
        _must_be_unique(frame)
    return message


def _must_be_unique(frame: bytes) -> None:
    try:
        json.loads(frame, object_pairs_hook=unique)
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from error


class PartialMessage(msgspec.Struct, frozen=True, gc=False):
    """What can be read of an invalid frame: its kind, and the number under which it is answered."""

    t: str = ""
    id: Whole | None = None
    q: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0
    #: The version that a `hello` states, whatever other fields it has.
    protocol: int = 0


_SKETCHER: Final = msgspec.json.Decoder(PartialMessage)
#: The tags of messages with an idempotency key.
_KEYED: Final = frozenset(each.__struct_config__.tag for each in KeyedMessage.__subclasses__())


def partial_decode(frame: bytes) -> PartialMessage:
    """Read what can be read of an invalid frame: a command has its number, other messages have none."""
    try:
        made_out = _SKETCHER.decode(frame)
    except (ValueError, RecursionError):
        # It is not JSON, or not UTF-8.
        return PartialMessage()
    return made_out if made_out.t in _KEYED else msgspec.structs.replace(made_out, id=None)
