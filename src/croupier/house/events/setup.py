"""What happened to the venue itself: tables, terminals, people, settings, signatures and closings."""

from enum import StrEnum

import msgspec

from croupier.house.base import Event, EventTopic, Phase, TableEvent, TerminalEvent, event
from croupier.house.commands import DualControlCommand
from croupier.house.ids import DeviceId, DeviceKind, Instant, Number, PersonId, RoundNumber, TableId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings
from croupier.rules.refusal import ClauseId


@event("The house was founded: {venue}, {mode}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class HouseCreated(Event, frozen=True):
    """The first entry: what kind of house this is."""

    mode: Mode
    venue: str
    timezone: str
    ticket_days: int | None
    records_kept: int = RECORDS_KEPT


@event("A rulebook was adopted: {rulebook}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class RulebookAdopted(Event, frozen=True):
    """A rulebook is in use: its whole canonical text, so that old rounds replay under their own rules."""

    rulebook: str
    digest: str
    canonical: str


@event("Table {table} was added.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableAdded(TableEvent, frozen=True):
    """A table stands."""

    rulebook: str
    settings: TableSettings


@event("Terminal {terminal} was added at {tables}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalAdded(TerminalEvent, frozen=True):
    """A terminal stands."""

    tables: tuple[TableId, ...]
    settings: TerminalSettings


@event("Device {device} was enrolled.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class DeviceEnrolled(Event, frozen=True, omit_defaults=True):
    """A console or desk may take part, or a terminal may again."""

    device: DeviceId
    #: What it is there for, where it is given a key with that.
    kind: DeviceKind | None = None


@event("Device {device} was released.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class DeviceReleased(Event, frozen=True):
    """A device takes part no more; a terminal stands there all the same, out of service."""

    device: DeviceId


@event("{person} holds: {titles}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class PersonEnrolled(Event, frozen=True):
    """A person holds titles."""

    person: PersonId
    titles: tuple[str, ...]


@event("{person} was released.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class PersonReleased(Event, frozen=True):
    """A person holds none any more."""

    person: PersonId


@event("{person} may sign in again after wrong passwords.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class AccountUnlocked(Event, frozen=True):
    """Two colleagues ended the throttle of a person's sign-ins."""

    person: PersonId


@event("{person} acts as {title} for a time.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ActingAppointed(Event, frozen=True):
    """A person acts in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


@event("Version {version} was approved: {reference}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class BuildApproved(Event, frozen=True):
    """A version of the game system is approved."""

    version: str
    reference: str


@event("Version {version} is running.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class BuildReported(Event, frozen=True):
    """The version that is running."""

    version: str


@event("Other settings hold from the next round. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class SettingsChanged(TableEvent, frozen=True):
    """A table's settings, from the next round."""

    settings: TableSettings
    words: str


@event("Other rules hold from the next round. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class RulebookChanged(TableEvent, frozen=True):
    """A table's rulebook, from the next round."""

    rulebook: str
    words: str


@event("An officer was told that {subject} closes. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class OfficerNotified(Event, frozen=True):
    """An Authorised Officer was told of a closing to come."""

    subject: str
    words: str


@event("The table was closed. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableClosed(TableEvent, frozen=True):
    """No new round begins."""

    words: str


@event("The table was opened again.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableReopened(TableEvent, frozen=True):
    """Rounds may begin again."""


@event("The terminal was taken out of service. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalClosed(TerminalEvent, frozen=True):
    """Out of service: it takes no bets and no money, and its credits can be collected."""

    words: str


@event("The terminal was put back into service.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalReopened(TerminalEvent, frozen=True):
    """Back in service."""


@event("The player bets straight up only. {words}", EventTopic.STAFF)
class VipArranged(TerminalEvent, frozen=True):
    """The player at a terminal bets straight up only."""

    words: str


@event("The player bets as others do again. {words}", EventTopic.STAFF)
class ArrangementEnded(TerminalEvent, frozen=True):
    """The player at a terminal bets as others do again."""

    words: str


class RecoveryStatus(StrEnum):
    """How a round stood when the system came back."""

    #: Bets were not sealed yet.
    OPEN = "open"
    #: Bets were sealed, and no number was on record.
    SEALED = "sealed"
    #: The wheel had told a number, and nobody had given the word that it awaits.
    REPORTED = "reported"
    #: A result was declared, and not settled.
    RESULT = "result"
    SETTLED = "settled"
    #: The spin was called off.
    NO_SPIN = "no_spin"
    #: Somebody was to decide it.
    SUSPENDED = "suspended"
    #: The system had been interrupted in it before, and two people were to attest where the ball lay.
    INTERRUPTED = "interrupted"
    VOID = "void"


class RecoveredRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last round of one table, as the system found it, and the clause that decides what becomes of it."""

    table: TableId
    round: RoundNumber
    phase: Phase
    state: RecoveryStatus
    clause: ClauseId | None


@event("The system came back.", EventTopic.STAFF, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class HouseRecovered(Event, frozen=True):
    """The system came back, and this is what it found; what it did about it follows in the same answer."""

    found: tuple[RecoveredRound, ...]


@event(
    "The house went on from an older copy: {lost} entries are missing. {words}",
    EventTopic.STAFF,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class HistoryAccepted(Event, frozen=True):
    """The house went on from an older copy of its journal: what may have been paid in the lost part is frozen."""

    #: How many entries are known to be missing.
    lost: int
    people: tuple[PersonId, PersonId]
    words: str
    #: The slips and tickets that were payable by the copy.
    frozen: tuple[Number, ...]
    #: How many ticket numbers are never issued, as the lost part may have issued them.
    skipped: int


@event("A message was sent to {terminals}: {words}", EventTopic.STAFF)
class MessageSent(Event, frozen=True):
    """Words for terminals."""

    terminals: tuple[str, ...]
    words: str


@event("A copy of the rules was handed out.", EventTopic.STAFF)
class RulesPrinted(TableEvent, frozen=True):
    """A copy of the rules was handed out."""

    rulebook: str
    sold: bool


@event("A first signature was given: proposal {proposal}.", EventTopic.STAFF)
class ProposalMade(Event, frozen=True):
    """The first of two signatures: what is proposed, and until when it can be approved."""

    proposal: Number
    command: DualControlCommand
    expires_at: Instant


@event("Proposal {proposal} of {proposer} was signed by {approver} too.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ProposalApproved(Event, frozen=True):
    """The second signature, by another person on another device."""

    proposal: Number
    proposer: PersonId
    proposer_device: DeviceId
    approver: PersonId
    approver_device: DeviceId


@event("Proposal {proposal} was taken back.", EventTopic.STAFF)
class ProposalWithdrawn(Event, frozen=True):
    """A proposal was taken back."""

    proposal: Number
