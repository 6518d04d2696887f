"""What went on record: lost terminals, malfunctions, incidents and disputes."""

from enum import StrEnum

import msgspec

from croupier.house.base import Event, EventTopic, RoundEvent, TableEvent, TerminalEvent, event
from croupier.house.commands.record import DisputeBasis, IncidentFacts, IncidentKind, MalfunctionKind
from croupier.house.ids import Number, RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId


@event("The link to the terminal is gone.", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class TerminalLost(TerminalEvent, frozen=True):
    """A terminal went dark."""


@event("The link to the terminal is back.", EventTopic.INCIDENT)
class TerminalReturned(TerminalEvent, frozen=True):
    """A terminal is back."""


class MalfunctionSign(StrEnum):
    """What shows the house that a terminal malfunctions."""

    LINK_LOST = "link_lost"
    CREDIT_DIFFERS = "credit_differs"
    NUMBER_IMPOSSIBLE = "number_impossible"
    NUMBER_STALE = "number_stale"
    LAYOUT_DIFFERS = "layout_differs"


class MalfunctionEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """What the house detected at a terminal."""

    sign: MalfunctionSign
    #: The credit that it shows, and what is on the meter.
    shown: Cents | None = None
    credit: Cents | None = None
    #: The number that it shows.
    number: str | None = None


@event("Case {case} was opened: {fault}. {text}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class MalfunctionRaised(TerminalEvent, frozen=True, omit_defaults=True):
    """A case was opened and the terminal is blocked; whether its bets were sealed by then decides what follows."""

    case: Number
    fault: MalfunctionKind
    clause: ClauseId
    #: What staff wrote.
    words: str
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: The first case of the line loss that this is part of; None where no link was lost.
    line_loss: Number | None = None
    #: What the house detected, where staff did not raise it.
    evidence: MalfunctionEvidence | None = None


@event("The bets of case {case} were confirmed.", EventTopic.INCIDENT, EventTopic.BETS, EventTopic.SIGNIFICANT)
class BetsConfirmed(Event, frozen=True):
    """The records bear the bets of a case out: they are settled by them."""

    case: Number
    clause: ClauseId
    #: What the terminal got back in each round that was settled without its bets.
    payments: tuple[tuple[TableId, RoundNumber, Cents], ...] = ()


@event("The bets of case {case} are void. {words}", EventTopic.INCIDENT, EventTopic.BETS, EventTopic.SIGNIFICANT)
class BetsVoided(Event, frozen=True):
    """The bets of a case are void, and their stakes go back."""

    case: Number
    clause: ClauseId
    words: str


@event("Case {case} was cleared.", EventTopic.INCIDENT)
class CaseCleared(Event, frozen=True):
    """The terminal works again."""

    case: Number


@event("The cases of line loss {case} were cleared: {cases}.", EventTopic.INCIDENT)
class LineLossCleared(TableEvent, frozen=True):
    """The terminals of these cases, which lost their links together, work again."""

    #: The first case of the line loss.
    case: Number
    cases: tuple[Number, ...]


@event("Incident {incident} about {subject}: {kind}. {text}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class IncidentRaised(Event, frozen=True):
    """Something for staff to see to."""

    incident: Number
    kind: IncidentKind
    #: The table, terminal or person it is about.
    subject: str
    clause: ClauseId | None
    facts: IncidentFacts = IncidentFacts()


@event("Incident {incident} was seen to.", EventTopic.INCIDENT)
class IncidentCleared(Event, frozen=True):
    """Somebody has seen to it."""

    incident: Number


@event("Dispute {dispute} about round {round} was opened. {words}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeOpened(RoundEvent, frozen=True):
    """A round is disputed; its record is frozen."""

    dispute: Number
    terminal: TerminalId | None
    basis: DisputeBasis
    clause: ClauseId
    words: str
    rule: ClauseId | None
    memorandum: str


@event("Dispute {dispute} was decided: {decision}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeDecided(Event, frozen=True):
    """The house's decision."""

    dispute: Number
    decision: str


@event("The complainant of dispute {dispute} was advised.", EventTopic.INCIDENT)
class ComplainantAdvised(Event, frozen=True):
    """The complainant knows of the right to consult an Authorised Officer."""

    dispute: Number
    clause: ClauseId


@event("A review of dispute {dispute} was asked for.", EventTopic.INCIDENT)
class ReviewRequested(Event, frozen=True):
    """The decision goes to review."""

    dispute: Number
    by_house: bool


@event("The review of dispute {dispute}: {outcome}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ReviewRecorded(Event, frozen=True):
    """The reviewer's outcome."""

    dispute: Number
    outcome: str


@event("Dispute {dispute} was closed.", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeClosed(Event, frozen=True):
    """The dispute is closed."""

    dispute: Number
    resolved: bool
