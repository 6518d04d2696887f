"""What comes in over the wire: every message that a door may send, decoded and checked before anything sees it."""

import json
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from croupier.house.base import Command, EventTopic, union
from croupier.house.commands import COMMANDS
from croupier.house.ids import DeviceKind
from croupier.journal.verify import unique
from croupier.protocol.queries import Document, DocumentFormat
from croupier.rules.money import Cents
from croupier.rules.procedure import Reason

WEBSOCKET_PATH: Final = "/wire"


#: What can be told apart in every browser.
Whole = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Secret = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]

#: The version of the wire protocol. It rises with every change that a client of the version before cannot follow;
#: a new optional field or a new kind of message is no such change.
PROTOCOL: Final = 1


class InboundMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="t"):
    """Something that a door says."""


class Hello(InboundMessage, frozen=True, kw_only=True, tag="hello"):
    """The first word: which door this is, and the key that its device was enrolled with."""

    screen: DeviceKind
    #: The version of the protocol that the client speaks. A client that states none, or another, is refused.
    protocol: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0
    device: Annotated[str, msgspec.Meta(max_length=64)] = ""
    key: Annotated[str, msgspec.Meta(max_length=128)] = ""
    #: In a demonstration a device may enrol itself, on the host or with the join code of this run, and name a table.
    join: Annotated[str, msgspec.Meta(max_length=128)] | None = None
    table: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Ping(InboundMessage, frozen=True, tag="ping"):
    """Asks for the house's time; what it carries comes back as it is."""

    c: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class Resync(InboundMessage, frozen=True, tag="resync"):
    """Asks for a new snapshot: a delta was missed."""


class SignIn(InboundMessage, frozen=True, tag="sign_in"):
    """A person signs in, with a secret or a code that is good once."""

    person: Name
    secret: Secret


class SetPassword(InboundMessage, frozen=True, tag="new_secret"):
    """Chooses a secret in the place of a code that is good once."""

    person: Name
    code: Secret
    secret: Secret


class Resume(InboundMessage, frozen=True, tag="resume"):
    """Goes on with a sign-in of this device after the line was lost."""

    token: Secret


class StepUp(InboundMessage, frozen=True, tag="step_up"):
    """Gives the secret again, before something that takes two signatures."""

    secret: Secret


class SignOut(InboundMessage, frozen=True, tag="sign_out"):
    """Ends the sign-in."""


class KeyedMessage(InboundMessage, frozen=True):
    """A command under a key: the epoch it was asked in, and a rising number of this device's own."""

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
    """Asks the house for something, in the house's own words."""

    command: WireCommand


class Note(KeyedMessage, frozen=True, tag="note"):
    """A note in a simulated acceptor."""

    value: Annotated[Cents, msgspec.Meta(ge=1, le=10_000_000)]


class QueryGames(InboundMessage, frozen=True, tag="games"):
    """Asks for the last games that were played at this terminal."""


class Practice(InboundMessage, frozen=True, tag="practice"):
    """Asks for credits that are worth nothing, in a demonstration: the house's own gift, under no key."""


class TicketIn(KeyedMessage, frozen=True, tag="ticket_in"):
    """A ticket in the terminal's slot."""

    number: Annotated[str, msgspec.Meta(max_length=32)]


class CashOut(KeyedMessage, frozen=True, tag="cash_out"):
    """Collects the credits, as a slip or a ticket."""


class CollectFor(KeyedMessage, frozen=True, tag="collect_for"):
    """Staff collect for a player where the terminal cannot: the slip or ticket comes out at their console."""

    terminal: Name


class Redeem(KeyedMessage, frozen=True, tag="redeem"):
    """A cashier pays a slip or ticket by its number."""

    drawer: Name
    number: Annotated[str, msgspec.Meta(max_length=32)]
    amount_on_paper: Annotated[Cents, msgspec.Meta(ge=0, le=2**53 - 1)] | None = None


class Query(InboundMessage, frozen=True, kw_only=True):
    """Asks to be told something, and changes nothing; what it is numbered with comes back with the answer."""

    q: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0


class QueryPreview(Query, frozen=True, kw_only=True, tag="preview"):
    """Asks what a correction would do to every seat's money; or, where a reason is named, an outcome taken back."""

    table: Name
    round: Whole
    #: One of these two.
    pocket: Name | None = None
    reason: Reason | None = None


class QueryReplay(Query, frozen=True, kw_only=True, tag="replay"):
    """Asks for a round that is still kept, step by step; of one terminal alone where it is named."""

    table: Name
    round: Whole
    terminal: Name | None = None
    #: Whether it is wanted as notation too, which takes a while.
    notation: bool = False


class Bundle(Query, frozen=True, kw_only=True, tag="bundle"):
    """Asks for a round as a file that anybody can verify; with what is told of one terminal alone where it is named."""

    table: Name
    round: Whole
    terminal: Name | None = None


class Export(Query, frozen=True, kw_only=True, tag="export"):
    """Asks for a part of the journal as a file that anybody can verify: the first, or the next after a position."""

    after: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0
    before: Whole | None = None


class Verify(Query, frozen=True, tag="verify"):
    """Asks for the whole journal to be read, and everything in it to be held against everything else."""


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
    #: What they are about, where no one kind is meant.
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
    """Asks who works here, and as what."""


#: Everything that a door may say.
Incoming = (
    Hello
    | Ping
    | Resync
    | SignIn
    | SetPassword
    | Resume
    | StepUp
    | SignOut
    | Practice
    | QueryGames
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
_ENCODE: Final = msgspec.json.Encoder().encode
_PLAIN: Final = msgspec.json.Decoder().decode


def decode(frame: bytes | memoryview) -> Incoming:
    """Read a frame; msgspec.DecodeError where it is no message, or has a key twice in one object.

    msgspec takes the last of two keys without a word. A frame that is written as this encoder writes it has none twice,
    and that is cheap to see; only what is written otherwise is read a second time.
    """
    message: Incoming = _DECODE(frame)
    if _ENCODE(message) != frame and _ENCODE(_PLAIN(frame)) != frame:
        _must_be_unique(bytes(frame))
    return message


def _must_be_unique(frame: bytes) -> None:
    try:
        json.loads(frame, object_pairs_hook=unique)
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from error


class PartialMessage(msgspec.Struct, frozen=True, gc=False):
    """What can be told of a frame that is no message: what it set out to be, and what its answer is to be known by."""

    t: str = ""
    id: Whole | None = None
    q: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] = 0
    #: What a `hello` of another version states, whatever else stands in it.
    protocol: int = 0


_SKETCHER: Final = msgspec.json.Decoder(PartialMessage)
#: What commands are called in their field `t`.
_KEYED: Final = frozenset(each.__struct_config__.tag for each in KeyedMessage.__subclasses__())


def partial_decode(frame: bytes | memoryview) -> PartialMessage:
    """Make out what a frame that is no message set out to be: a command has its number, anything else none."""
    try:
        made_out = _SKETCHER.decode(frame)
    except (ValueError, RecursionError):
        # Nothing of it is JSON, or text.
        return PartialMessage()
    return made_out if made_out.t in _KEYED else msgspec.structs.replace(made_out, id=None)
