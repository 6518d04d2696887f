"""What happened to the venue itself: tables, terminals, people, settings, signatures and closings."""

from enum import StrEnum

import msgspec

from croupier.house.base import Event, Phase, TableEvent, TerminalEvent
from croupier.house.commands import Dual
from croupier.house.ids import DeviceId, DeviceKind, Instant, Number, PersonId, RoundNumber, TableId
from croupier.house.settings import RECORDS_KEPT, Mode, TableSettings, TerminalSettings
from croupier.rules.refusal import ClauseId


class HouseCreated(Event, frozen=True):
    """The first entry: what kind of house this is."""

    mode: Mode
    venue: str
    timezone: str
    ticket_days: int | None
    records_kept: int = RECORDS_KEPT


class RulebookAdopted(Event, frozen=True):
    """A rulebook is in use: its whole canonical text, so that old rounds replay under their own rules."""

    rulebook: str
    digest: str
    canonical: str


class TableAdded(TableEvent, frozen=True):
    """A table stands."""

    rulebook: str
    settings: TableSettings


class TerminalAdded(TerminalEvent, frozen=True):
    """A terminal stands."""

    tables: tuple[TableId, ...]
    settings: TerminalSettings


class DeviceEnrolled(Event, frozen=True, omit_defaults=True):
    """A console or desk may take part, or a terminal may again."""

    device: DeviceId
    #: What it is there for, where it is given a key with that.
    kind: DeviceKind | None = None


class DeviceReleased(Event, frozen=True):
    """A device takes part no more; a terminal stands there all the same, out of service."""

    device: DeviceId


class PersonEnrolled(Event, frozen=True):
    """A person holds titles."""

    person: PersonId
    titles: tuple[str, ...]


class PersonReleased(Event, frozen=True):
    """A person holds none any more."""

    person: PersonId


class AccountUnlocked(Event, frozen=True):
    """Two colleagues ended the throttle of a person's sign-ins."""

    person: PersonId


class ActingAppointed(Event, frozen=True):
    """A person acts in a position for a time."""

    person: PersonId
    title: str
    begins_at: Instant
    ends_at: Instant


class BuildApproved(Event, frozen=True):
    """A version of the game system is approved."""

    version: str
    reference: str


class BuildReported(Event, frozen=True):
    """The version that is running."""

    version: str


class SettingsChanged(TableEvent, frozen=True):
    """A table's settings, from the next round."""

    settings: TableSettings
    words: str


class RulebookChanged(TableEvent, frozen=True):
    """A table's rulebook, from the next round."""

    rulebook: str
    words: str


class OfficerNotified(Event, frozen=True):
    """An Authorised Officer was told of a closing to come."""

    subject: str
    words: str


class TableClosed(TableEvent, frozen=True):
    """No new round begins."""

    words: str


class TableReopened(TableEvent, frozen=True):
    """Rounds may begin again."""


class TerminalClosed(TerminalEvent, frozen=True):
    """Out of service: it takes no bets and no money, and its credits can be collected."""

    words: str


class TerminalReopened(TerminalEvent, frozen=True):
    """Back in service."""


class VipArranged(TerminalEvent, frozen=True):
    """The player at a terminal bets straight up only."""

    words: str


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


class HouseRecovered(Event, frozen=True):
    """The system came back, and this is what it found; what it did about it follows in the same answer."""

    found: tuple[RecoveredRound, ...]


class HistoryAccepted(Event, frozen=True):
    """The house went on from an older copy of its journal: what may have been paid in the lost part is frozen."""

    #: How many entries are known to be missing.
    lost: int
    people: tuple[PersonId, PersonId]
    words: str
    #: The slips and tickets that were payable by the copy.
    frozen: tuple[Number, ...]


class MessageSent(Event, frozen=True):
    """Words for terminals."""

    terminals: tuple[str, ...]
    words: str


class RulesPrinted(TableEvent, frozen=True):
    """A copy of the rules was handed out."""

    rulebook: str
    sold: bool


class ProposalMade(Event, frozen=True):
    """The first of two signatures: what is proposed, and until when it can be approved."""

    proposal: Number
    command: Dual
    expires_at: Instant


class ProposalApproved(Event, frozen=True):
    """The second signature, by another person on another device."""

    proposal: Number
    proposer: PersonId
    proposer_device: DeviceId
    approver: PersonId
    approver_device: DeviceId


class ProposalWithdrawn(Event, frozen=True):
    """A proposal was taken back."""

    proposal: Number
