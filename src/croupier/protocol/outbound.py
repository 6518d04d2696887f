"""Outbound messages of the wire: every message that a client may receive."""

from collections.abc import Mapping
from functools import cache
from typing import Final, TypeVar

import msgspec
from msgspec.structs import fields

from croupier.house.ids import DeviceKind
from croupier.house.settings import WheelKind
from croupier.house.state.tables import Phase
from croupier.protocol.live import LiveState, LiveView, NoticeState, WalkState
from croupier.protocol.queries import (
    AnyBlock,
    AuditLine,
    ChipPreviewRow,
    DisputeRow,
    JournalRow,
    PersonRow,
    ReplaySeat,
    ReplayStep,
    TerminalPreviewRow,
    TicketRow,
)
from croupier.protocol.staff import FloorState
from croupier.protocol.terminal import Fixture, PlayedGame, SeatState
from croupier.rules.geometry import Pocket
from croupier.rules.refusal import Refusal


class OutboundMessage(msgspec.Struct, frozen=True, gc=False, tag_field="t", kw_only=True):
    """A message to a client."""


class RefusalBody(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A refusal: its code, the clause behind it where there is one, plain words, and the facts."""

    #: The command that was refused, where it was one.
    id: int | None = None
    code: str
    clause: str | None = None
    says: str
    facts: Mapping[str, object] = {}


def refusal_body(refusal: Refusal, id_: int | None = None) -> RefusalBody:
    """Convert a refusal to its wire form."""
    return RefusalBody(
        id=id_, code=refusal.code.value, clause=refusal.clause, says=refusal.message, facts=refusal.facts
    )


class Welcome(OutboundMessage, frozen=True, tag="welcome"):
    """The device is authenticated; its snapshot follows, at a staff screen once a person has signed in."""

    #: The version of the protocol that the server speaks.
    protocol: int
    epoch: int
    device: str
    venue: str
    mode: str
    now_us: int
    #: Whether a person must sign in at this screen.
    staff: bool
    #: The table that a visitor may deal here without a password, in a demonstration; empty if there is none.
    visit: str = ""
    #: The people as whom a visitor may sign in here without a password, in a demonstration.
    enter_as: tuple[str, ...] = ()


class Enrolled(OutboundMessage, frozen=True, tag="enrolled"):
    """A device has enrolled itself in a demonstration: its name and the key it proves it with from now on."""

    device: str
    key: str


class EnrolledDevice(OutboundMessage, frozen=True, tag="enrolled_device"):
    """The key of a device that two people have enrolled: sent once, to one console, and not stored."""

    device: str
    kind: DeviceKind
    key: str


class Refused(OutboundMessage, frozen=True, omit_defaults=True, tag="refused"):
    """A message other than a command was refused."""

    refusal: RefusalBody
    #: The number of the query, if the message was a query with a number.
    q: int = 0


class Notice(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a round that was not settled normally, with its clause."""

    round: int
    #: What became of the round: no_spin, invalidated, held, suspended or void; or after a restart
    #: recovered_void, recovered_settled, recovered_spin_void, recovered_refunded or recovered_suspended.
    kind: str
    #: The reason that was given for it; empty where there is none.
    reason: str
    clause: str | None
    says: str


class DrawState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A draw that can be proven: what was committed and revealed, by position. `croupier prove` verifies it."""

    rulebook: str
    table: str
    round: int
    spin: int
    commitment: str
    committed: dict[str, str]
    revealed: dict[str, str]
    #: The secret and the number, once it counts.
    secret: str | None = None
    pocket: str | None = None
    #: The numbers that were drawn before the spin, and what a straight up on each pays to one.
    multiples: dict[str, int] = {}


class TableState(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """The public view of a table."""

    table: str
    rulebook: str
    #: Which felt it has, to be fetched once.
    felt: str
    phase: Phase
    round: int
    spin: int
    #: The announcement that the rules prescribe for this moment.
    says: str = ""
    #: When betting closes, by the house's time.
    closes_at: int | None = None
    #: When the ball was launched, by the house's time.
    launched_at: int | None = None
    #: The number of the spin, once it counts.
    pocket: str | None = None
    #: The number that counted before a correction.
    corrected: str | None = None
    #: When that number came to count, by the house's time. Every screen lands the ball by it.
    number_at: int | None = None
    #: Numbers of past spins, the newest first.
    numbers: tuple[str, ...] = ()
    closed: bool = False
    random: bool = False
    #: Where its numbers come from.
    wheel: WheelKind
    notice: Notice | None = None
    #: The draw of this spin, where draws are proven.
    draw: DrawState | None = None
    #: The numbers that were drawn before this spin, and what a straight up on each pays to one.
    multiples: dict[str, int] = {}
    #: What a progressive bet wins, by its spot: the pot as it stands now or, once betting has closed, as it stood then.
    pots: dict[str, int] = {}


class TableUpdate(OutboundMessage, frozen=True, tag="table"):
    """The current public view of a table, the same bytes for every client. Its version only increases."""

    tv: int
    state: TableState


class SeatUpdate(OutboundMessage, frozen=True, omit_defaults=True, tag="seat"):
    """A delta for a terminal: the changed fields, responses to all commands up to `last_cmd`; refusals are listed."""

    v: int
    last_cmd: int
    set: SeatState = SeatState()
    refused: tuple[RefusalBody, ...] = ()


class FloorUpdate(OutboundMessage, frozen=True, tag="floor"):
    """A delta for a console."""

    v: int
    last_cmd: int
    set: FloorState


class LiveUpdate(OutboundMessage, frozen=True, tag="live"):
    """A delta for the consoles of a live table. Its version increases by one with each."""

    table: str
    lv: int
    set: LiveState


class WalkUpdate(OutboundMessage, frozen=True, tag="walk"):
    """Collection and payment of a round, for the consoles of a live table; null once the next round is open."""

    state: WalkState | None


class NoticeUpdate(OutboundMessage, frozen=True, tag="notice_state"):
    """The notice at a table, for its display and for the consoles of a live table."""

    state: NoticeState


class ViewSnapshot(OutboundMessage, frozen=True, omit_defaults=True, tag="snap"):
    """Everything that this screen may see; deltas follow."""

    epoch: int
    v: int
    last_cmd: int
    now_us: int
    tables: tuple[tuple[int, TableState], ...]
    fixture: Fixture | None = None
    seat: SeatState | None = None
    floor: FloorState | None = None
    #: At the console of a live table.
    live: LiveView | None = None
    walk: WalkState | None = None
    #: At the console of a live table and at the display of a notice.
    notice: NoticeState | None = None


class PayoutInstruction(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A payment to be handed out from a drawer, once: for a slip or ticket, or a held win."""

    amount: int
    currency: str
    drawer: str
    terminal: str
    #: The slip or ticket, or the held win.
    sequence: int | None
    hold: int | None
    #: The fewest notes that make up the amount, by value, and the rest in coins.
    notes: tuple[tuple[int, int], ...]
    coins: int
    #: The values of the notes of its place: a page breaks the amount down again without those that a drawer lacks.
    values: tuple[int, ...]


class Ack(OutboundMessage, frozen=True, omit_defaults=True, tag="ack"):
    """The response to one command of a console: done, or refused."""

    id: int
    refusal: RefusalBody | None = None
    #: The payment, in the first response to a command that pays.
    paid: PayoutInstruction | None = None
    #: Where it was done, the position of its first entry in the journal, which identifies the receipt of a buy-in.
    position: int | None = None


class SignedIn(OutboundMessage, frozen=True, tag="signed_in"):
    """A person is signed in; the token resumes the session after a lost connection, on this device alone."""

    person: str
    titles: tuple[str, ...]
    token: str
    idle_s: int


class ChoosePassword(OutboundMessage, frozen=True, tag="must_choose"):
    """The one-time code was right: a password must be set."""

    person: str


class SignedOut(OutboundMessage, frozen=True, tag="signed_out"):
    """The session at this screen has ended."""

    says: str


class SteppedUp(OutboundMessage, frozen=True, tag="stepped_up"):
    """The password was given again: commands that take two signatures are accepted until then."""

    until_us: int


class Pong(OutboundMessage, frozen=True, tag="pong"):
    """The house's time."""

    c: int
    now_us: int


class GamesResult(OutboundMessage, frozen=True, tag="games"):
    """The last games of this terminal, the newest first."""

    games: tuple[PlayedGame, ...]


class SlipStatus(msgspec.Struct, frozen=True, gc=False):
    """What became of a slip or ticket: its status, the last day on which it is paid, and when it was paid."""

    number: str
    #: As in the house; `unknown` if it has no such slip.
    status: str
    expires: int | None = None
    paid_at_us: int | None = None


class SlipsResult(OutboundMessage, frozen=True, tag="slips"):
    """What became of slips, in the order in which they were asked for."""

    slips: tuple[SlipStatus, ...]


class SlipPrinted(OutboundMessage, frozen=True, tag="slip"):
    """A slip or ticket for the printer of this terminal, or of the console of staff who have collected for its player.

    Its number is sent to no other client.
    """

    sequence: int
    form: str
    number: str
    amount: int
    currency: str
    issued_at_us: int
    venue: str
    terminal: str
    #: How often it was printed before: a duplicate says so.
    duplicate: int = 0


class PreviewResult(OutboundMessage, frozen=True, tag="preview"):
    """The preview of a correction or an invalidation, seat by seat; nothing was changed."""

    q: int
    table: str
    round: int
    #: The number on which the round was settled, if it was settled.
    was: Pocket | None
    #: The number that would count; none for an invalidation.
    pocket: Pocket | None
    clause: str
    seats: tuple[TerminalPreviewRow, ...]
    #: Players with chips, where the round was settled; in a running round chips stay where they lie.
    chips: tuple[ChipPreviewRow, ...]
    #: The change of the house's win; negative if the house would pay more.
    house: int


class ReplayResult(OutboundMessage, frozen=True, tag="replay"):
    """A round step by step, with its bets in order, and its result."""

    q: int
    table: str
    round: int
    rulebook: str
    opened_at_us: int
    pocket: Pocket | None
    #: Numbers before their corrections.
    corrected: tuple[Pocket, ...]
    status: str
    reason: str
    clause: str | None
    seats: tuple[ReplaySeat, ...]
    steps: tuple[ReplayStep, ...]
    #: How many steps were left out, where there are more than are sent: ask for one terminal.
    left_out: int
    #: The round as notation, or why there is none.
    notation: str | None
    no_notation: str


class File(OutboundMessage, frozen=True, omit_defaults=True, tag="file"):
    """A file to save or print."""

    q: int
    name: str
    #: Its media type.
    type: str
    #: Its bytes in Base64.
    content: str
    #: If the file is one part of several: the position after which the next part is requested.
    more_after: int | None = None


class VerificationResult(OutboundMessage, frozen=True, tag="verified"):
    """The result of a verification of the whole journal."""

    q: int
    sound: bool
    #: How far it was read, the digest of the chain up to there, and the number of signatures.
    entries: int
    pages: int
    head: str
    checkpoints: int
    #: The faults found; the server stops after it has sent them.
    faults: tuple[str, ...]
    took_ms: int


class DisputesResult(OutboundMessage, frozen=True, tag="disputes"):
    """Disputes, the newest first."""

    q: int
    disputes: tuple[DisputeRow, ...]
    #: Whether there are more before these.
    more: bool


class JournalResult(OutboundMessage, frozen=True, tag="journal"):
    """Entries of the journal, the newest first."""

    q: int
    rows: tuple[JournalRow, ...]
    #: How far the search went: continue before the first of them, or after the last.
    first: int
    last: int
    #: Whether there is more in that direction.
    more: bool
    #: The last position of the journal.
    head: int


class TicketResult(OutboundMessage, frozen=True, tag="looked_up"):
    """A slip or ticket that was looked up; nothing was paid."""

    q: int
    ticket: TicketRow


class MetersResult(OutboundMessage, frozen=True, tag="meters"):
    """A terminal's meters since it was set up, and its self-audit."""

    q: int
    terminal: str
    #: By the name of the meter, in cents but for the games.
    meters: dict[str, int]
    #: How many notes of each value.
    notes: dict[str, int]
    #: The total by the meters, and the amount on the terminal.
    by_meters: tuple[AuditLine, ...]
    on_terminal: tuple[AuditLine, ...]
    difference: int
    sound: bool


class DocumentResult(OutboundMessage, frozen=True, tag="paper"):
    """A document as it is printed, as blocks to render."""

    q: int
    title: str
    #: Whether it is handed over the counter, on the narrow roll.
    roll: bool
    blocks: tuple[AnyBlock, ...]


class StaffResult(OutboundMessage, frozen=True, tag="staff"):
    """The staff with their titles, and the enrolled consoles, desks and boards."""

    q: int
    people: tuple[PersonRow, ...]
    #: How many more people there are than are listed.
    more: int
    devices: tuple[str, ...]


class Bye(OutboundMessage, frozen=True, tag="bye"):
    """The connection is closed, with the reason."""

    refusal: RefusalBody


_ENCODER: Final = msgspec.json.Encoder()
encode = _ENCODER.encode


Row = TypeVar("Row", bound=msgspec.Struct)


@cache
def _copied(row: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(each.name for each in fields(row) if each.required)


def project(row: type[Row], source: object, **more: object) -> Row:
    """Build a row of a message from what is named, and each other field without a default from its namesake."""
    return row(**{name: getattr(source, name) for name in _copied(row) - more.keys()}, **more)


def floor_frame(version: int, last_cmd: int, state: msgspec.Raw) -> bytes:
    """Write a console's delta around a state that is encoded already: all consoles of a kind share it."""
    return encode(FloorUpdate(v=version, last_cmd=last_cmd, set=state))  # type: ignore[arg-type]
