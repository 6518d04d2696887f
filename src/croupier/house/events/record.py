"""Events of records: offline terminals, malfunctions, incidents and disputes."""

from enum import StrEnum

import msgspec

from croupier.house.base import Event, EventTopic, RoundEvent, TableEvent, TerminalEvent, event
from croupier.house.commands.record import DisputeBasis, IncidentFacts, IncidentKind, MalfunctionKind, SlotSwitch
from croupier.house.ids import Number, PositionId, RoundNumber, TableId, TerminalId
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId


@event("The link to the terminal is gone.", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class TerminalLost(TerminalEvent, frozen=True):
    """A terminal went offline."""


@event("The link to the terminal is back.", EventTopic.INCIDENT)
class TerminalReturned(TerminalEvent, frozen=True):
    """A terminal is online again."""


class MalfunctionSign(StrEnum):
    """How the house detected the malfunction of a terminal."""

    LINK_LOST = "link_lost"
    CREDIT_DIFFERS = "credit_differs"
    NUMBER_IMPOSSIBLE = "number_impossible"
    NUMBER_STALE = "number_stale"
    LAYOUT_DIFFERS = "layout_differs"


class MalfunctionEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The evidence of a malfunction that the house detected."""

    sign: MalfunctionSign
    #: The credit that the terminal shows, and the credit on the meter.
    shown: Cents | None = None
    credit: Cents | None = None
    #: The number that the terminal shows.
    number: str | None = None


@event("Case {case} was opened: {fault}. {text}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class MalfunctionRaised(TerminalEvent, frozen=True, omit_defaults=True):
    """A case was opened, and the terminal is blocked; its sealed bets may be in question."""

    case: Number
    fault: MalfunctionKind
    clause: ClauseId
    #: The explanation that staff entered.
    words: str
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: The first case of the same line loss; None if no connection was lost.
    line_loss: Number | None = None
    #: The evidence, if the house raised the case and not staff.
    evidence: MalfunctionEvidence | None = None


@event("The bets of case {case} were confirmed.", EventTopic.INCIDENT, EventTopic.BETS, EventTopic.SIGNIFICANT)
class BetsConfirmed(Event, frozen=True):
    """The bets of a case were confirmed by the electronic records, and settled by them."""

    case: Number
    clause: ClauseId
    #: The terminal's return in each round that was settled without its bets.
    payments: tuple[tuple[TableId, RoundNumber, Cents], ...] = ()


@event("The bets of case {case} are void. {words}", EventTopic.INCIDENT, EventTopic.BETS, EventTopic.SIGNIFICANT)
class BetsVoided(Event, frozen=True):
    """The bets of a case are void, and their stakes were returned."""

    case: Number
    clause: ClauseId
    words: str


@event("Case {case} was cleared.", EventTopic.INCIDENT)
class CaseCleared(Event, frozen=True):
    """A case was cleared: its terminal works again."""

    case: Number


@event("The cases of line loss {case} were cleared: {cases}.", EventTopic.INCIDENT)
class LineLossCleared(TableEvent, frozen=True):
    """The cases of one line loss were cleared: their terminals work again."""

    #: The first case of the line loss.
    case: Number
    cases: tuple[Number, ...]


@event("Incident {incident} about {subject}: {kind}. {text}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class IncidentRaised(Event, frozen=True):
    """An incident was raised for staff."""

    incident: Number
    kind: IncidentKind
    #: The table, terminal or person that the incident concerns.
    subject: str
    clause: ClauseId | None
    facts: IncidentFacts = IncidentFacts()


@event("Incident {incident} was cleared.", EventTopic.INCIDENT)
class IncidentCleared(Event, frozen=True):
    """An incident was cleared."""

    incident: Number


@event("Dispute {dispute} about round {round} was opened. {words}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeOpened(RoundEvent, frozen=True):
    """A dispute about a round was opened, and the record of the round was frozen."""

    dispute: Number
    terminal: TerminalId | None
    basis: DisputeBasis
    clause: ClauseId
    words: str
    rule: ClauseId | None
    memorandum: str
    #: The player with chips whose bets are disputed, and how staff referred to the player.
    position: PositionId | None = None
    player: str = ""


@event("Dispute {dispute} was decided: {decision}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeDecided(Event, frozen=True):
    """The house decided a dispute."""

    dispute: Number
    decision: str


@event("The complainant of dispute {dispute} was advised.", EventTopic.INCIDENT)
class ComplainantAdvised(Event, frozen=True):
    """The complainant was advised of the right to consult an Authorised Officer."""

    dispute: Number
    clause: ClauseId


@event("A review of dispute {dispute} was requested.", EventTopic.INCIDENT)
class ReviewRequested(Event, frozen=True):
    """A review of the decision was requested."""

    dispute: Number
    by_house: bool


@event("The review of dispute {dispute}: {outcome}", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class ReviewRecorded(Event, frozen=True):
    """The outcome of a review was recorded."""

    dispute: Number
    outcome: str


@event("Dispute {dispute} was closed.", EventTopic.INCIDENT, EventTopic.SIGNIFICANT)
class DisputeClosed(Event, frozen=True):
    """A dispute was closed."""

    dispute: Number
    resolved: bool


@event("The slot system switched {switch}; on: {on}.", EventTopic.STAFF, EventTopic.SIGNIFICANT)
class TerminalSwitched(TerminalEvent, frozen=True):
    """The slot system switched play or notes off or on at a terminal."""

    switch: SlotSwitch
    on: bool
