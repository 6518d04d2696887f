"""Events of the venue: tables, terminals, people, settings, signatures and closings."""

from enum import StrEnum

import msgspec

from croupier.house.base import Event, EventTopic, Phase, TableEvent, TerminalEvent, event
from croupier.house.commands import DualControlCommand
from croupier.house.commands.setup import BallMaterial
from croupier.house.ids import Day, DeviceId, DeviceKind, Instant, Number, PersonId, PositionId, RoundNumber, TableId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings
from croupier.rules.refusal import ClauseId


@event("The house was created: {venue}, {mode}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class HouseCreated(Event, frozen=True):
    """The house was created; this is the first entry of its journal."""

    mode: Mode
    venue: str
    timezone: str
    ticket_days: int | None
    records_kept: int = RECORDS_KEPT


@event("A rulebook was adopted: {rulebook}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class RulebookAdopted(Event, frozen=True):
    """A rulebook was adopted; its canonical text is recorded so that old rounds replay under their own rules."""

    rulebook: str
    digest: str
    canonical: str


@event("Table {table} was added.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableAdded(TableEvent, frozen=True):
    """A table was added."""

    rulebook: str
    settings: TableSettings


@event("Terminal {terminal} was added at {tables}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalAdded(TerminalEvent, frozen=True):
    """A terminal was added."""

    tables: tuple[TableId, ...]
    #: Its betting position at each of these tables.
    positions: tuple[PositionId, ...]
    settings: TerminalSettings


@event("Device {device} was enrolled.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class DeviceEnrolled(Event, frozen=True, omit_defaults=True):
    """A console or desk was enrolled, or a released terminal was enrolled again."""

    device: DeviceId
    #: The kind of screen, if the device gets a key with this event.
    kind: DeviceKind | None = None


@event("Device {device} was released.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class DeviceReleased(Event, frozen=True):
    """A device was released; a released terminal stays in the house, out of service."""

    device: DeviceId


@event("{person} holds: {titles}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class PersonEnrolled(Event, frozen=True):
    """A person was enrolled, or given other titles."""

    person: PersonId
    titles: tuple[str, ...]


@event("{person} was released.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class PersonReleased(Event, frozen=True):
    """A person lost all titles."""

    person: PersonId


@event("{person} may sign in again after wrong passwords.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class AccountUnlocked(Event, frozen=True):
    """Two people unlocked a person's account after too many wrong passwords."""

    person: PersonId


@event("{person} acts as {title} for a time.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ActingAppointed(Event, frozen=True):
    """A person was appointed to act in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


@event("Version {version} was approved: {reference}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class BuildApproved(Event, frozen=True):
    """A version of the game system was approved."""

    version: str
    reference: str


@event("Version {version} is running.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class BuildReported(Event, frozen=True):
    """The running version was reported."""

    version: str


@event("Other settings apply from the next round. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class SettingsChanged(TableEvent, frozen=True):
    """A table's settings were changed, from the next round."""

    settings: TableSettings
    words: str


@event("Other rules apply from the next round. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class RulebookChanged(TableEvent, frozen=True):
    """A table's rulebook was changed, from the next round."""

    rulebook: str
    words: str


@event("An officer was notified about {subject}. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class OfficerNotified(Event, frozen=True):
    """An Authorised Officer was notified of a coming closing, or of an arrangement with players."""

    subject: str
    words: str


@event("The table was closed. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableClosed(TableEvent, frozen=True):
    """A table was closed: no new round begins."""

    words: str


@event("The table was opened again.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TableReopened(TableEvent, frozen=True):
    """A closed table was opened again."""


@event("The terminal was taken out of service. {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalClosed(TerminalEvent, frozen=True):
    """A terminal was taken out of service: it accepts no bets and no money; its credits can be collected."""

    words: str


@event("The terminal was put back into service.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalReopened(TerminalEvent, frozen=True):
    """A terminal was put back into service."""


class RecoveryStatus(StrEnum):
    """The status of a round when the system restarted."""

    #: Bets were not sealed yet.
    OPEN = "open"
    #: Bets were sealed, and no number was on record.
    SEALED = "sealed"
    #: The wheel had reported a number that was not yet confirmed.
    REPORTED = "reported"
    #: A result was declared, and not settled.
    RESULT = "result"
    SETTLED = "settled"
    #: The spin was voided.
    NO_SPIN = "no_spin"
    #: The round was suspended and awaited a decision.
    SUSPENDED = "suspended"
    #: An earlier stop had interrupted it, and it awaited the attestation of two people.
    INTERRUPTED = "interrupted"
    VOID = "void"


class RecoveredRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last round of one table at the restart, and the clause by which it is resolved."""

    table: TableId
    round: RoundNumber
    phase: Phase
    state: RecoveryStatus
    clause: ClauseId | None


@event("The system restarted.", EventTopic.STAFF, EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class HouseRecovered(Event, frozen=True):
    """The system restarted: the state of each last round; the actions follow as events of the same decision."""

    found: tuple[RecoveredRound, ...]


@event(
    "The house went on from an older copy: {lost} entries are missing. {words}",
    EventTopic.STAFF,
    EventTopic.INCIDENT,
    EventTopic.SIGNIFICANT,
)
class HistoryAccepted(Event, frozen=True):
    """The house continued from an older copy of its journal: tickets that the lost part may have paid are frozen."""

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
    """A message was sent to terminals."""

    terminals: tuple[str, ...]
    words: str


@event("A copy of the rules was handed out.", EventTopic.STAFF)
class RulesPrinted(TableEvent, frozen=True):
    """A copy of the rules was handed out."""

    rulebook: str
    sold: bool


@event("A first signature was given: proposal {proposal}.", EventTopic.STAFF)
class ProposalMade(Event, frozen=True):
    """The first of two signatures was given: the proposed command, and when the proposal expires."""

    proposal: Number
    command: DualControlCommand
    expires_at: Instant


@event("Proposal {proposal} of {proposer} was signed by {approver} too.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class ProposalApproved(Event, frozen=True):
    """The second signature was given, by another person on another device."""

    proposal: Number
    proposer: PersonId
    proposer_device: DeviceId
    approver: PersonId
    approver_device: DeviceId


@event("Proposal {proposal} was withdrawn.", EventTopic.STAFF)
class ProposalWithdrawn(Event, frozen=True):
    """A proposal was withdrawn."""

    proposal: Number


@event("Wheel head {head} was paired with table {table}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class WheelHeadPaired(TableEvent, frozen=True):
    """A wheel head was paired with a table; its pockets are those of the rules, in their order."""

    head: str
    clause: ClauseId


@event("Ball {ball} was assigned to table {table}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class BallAssigned(TableEvent, frozen=True):
    """A ball was assigned to a table."""

    ball: str
    material: BallMaterial
    #: In micrometres.
    diameter: int
    clause: ClauseId


@event("The wheel head and the ball of table {table} were inspected. {words}", EventTopic.STAFF)
class EquipmentInspected(TableEvent, frozen=True):
    """The wheel head and the ball of a table were inspected, and were in order."""

    day: Day
    words: str


@event("Maintenance of wheel head {head}: {words}", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class MaintenanceRecorded(TableEvent, frozen=True):
    """Work on a wheel head was recorded; it awaits its next inspection."""

    head: str
    words: str
