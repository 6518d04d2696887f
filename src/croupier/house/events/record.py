"""What went on record: lost terminals, malfunctions, incidents and disputes."""

from croupier.house.base import Event, RoundEvent, TableEvent, TerminalEvent
from croupier.house.commands.record import DisputeBasis, IncidentKind, MalfunctionKind
from croupier.house.ids import Number, RoundNumber, TableId, TerminalId
from croupier.rules.refusal import ClauseId


class TerminalLost(TerminalEvent, frozen=True):
    """A terminal went dark."""


class TerminalReturned(TerminalEvent, frozen=True):
    """A terminal is back."""


class MalfunctionRaised(TerminalEvent, frozen=True, omit_defaults=True):
    """A case was opened and the terminal is blocked; whether its bets were sealed by then decides what follows."""

    case: Number
    fault: MalfunctionKind
    clause: ClauseId
    words: str
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: The first case of the line loss that this is part of; None where no link was lost.
    line_loss: Number | None = None


class BetsConfirmed(Event, frozen=True):
    """The records bear the bets of a case out: they are settled by them."""

    case: Number
    clause: ClauseId


class BetsVoided(Event, frozen=True):
    """The bets of a case are void, and their stakes go back."""

    case: Number
    clause: ClauseId
    words: str


class CaseCleared(Event, frozen=True):
    """The terminal works again."""

    case: Number


class LineLossCleared(TableEvent, frozen=True):
    """The terminals of these cases, which lost their links together, work again."""

    #: The first case of the line loss.
    case: Number
    cases: tuple[Number, ...]


class IncidentRaised(Event, frozen=True):
    """Something for staff to see to."""

    incident: Number
    kind: IncidentKind
    #: The table, terminal or person it is about.
    subject: str
    clause: ClauseId | None
    words: str


class IncidentCleared(Event, frozen=True):
    """Somebody has seen to it."""

    incident: Number


class DisputeOpened(RoundEvent, frozen=True):
    """A round is disputed; its record is frozen."""

    dispute: Number
    terminal: TerminalId | None
    basis: DisputeBasis
    clause: ClauseId
    words: str
    rule: ClauseId | None
    memorandum: str


class DisputeDecided(Event, frozen=True):
    """The house's decision."""

    dispute: Number
    decision: str


class ComplainantAdvised(Event, frozen=True):
    """The complainant knows of the right to consult an Authorised Officer."""

    dispute: Number
    clause: ClauseId


class ReviewRequested(Event, frozen=True):
    """The decision goes to review."""

    dispute: Number
    by_house: bool


class ReviewRecorded(Event, frozen=True):
    """The reviewer's outcome."""

    dispute: Number
    outcome: str


class DisputeClosed(Event, frozen=True):
    """The dispute is closed."""

    dispute: Number
    resolved: bool
