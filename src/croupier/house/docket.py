"""The docket: people and their posts, what was proposed, what went wrong and what is disputed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from croupier.house.command.any import Dual
from croupier.house.command.record import Basis, Fault, IncidentKind
from croupier.house.name import DeviceId, Instant, Number, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.table import Round
from croupier.rules.clause import ClauseId


@dataclass(frozen=True, slots=True)
class Acting:
    """A position held for a time."""

    title: str
    begins_at: Instant
    ends_at: Instant


@dataclass(slots=True)
class Person:
    """A member of staff."""

    id: PersonId
    titles: tuple[str, ...]
    acting: list[Acting] = field(default_factory=list)

    def titles_at(self, now: Instant) -> Iterator[str]:
        """Name the titles held now, one's own first."""
        yield from self.titles
        yield from (post.title for post in self.acting if post.begins_at <= now < post.ends_at)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A first signature that waits for the second."""

    number: Number
    command: Dual
    person: PersonId
    device: DeviceId
    expires_at: Instant


class CaseState(StrEnum):
    """Where a malfunction's case stands."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    VOIDED = "voided"


@dataclass(slots=True)
class Case:
    """A malfunction: the terminal, and the sealed bets that are in question."""

    number: Number
    terminal: TerminalId
    fault: Fault
    clause: ClauseId
    words: str
    raised_at: Instant
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: Those rounds, kept for as long as the case is.
    rounds: tuple[Round, ...] = ()
    state: CaseState = CaseState.OPEN
    #: Stakes in suspense since the round was settled without them, and what they bring back by the record.
    suspense: int = 0
    returned: int = 0
    cleared: bool = False
    #: The first case of the line loss that this is part of, where a link was lost.
    line_loss: Number | None = None


@dataclass(slots=True)
class Incident:
    """Something for staff to see to."""

    number: Number
    kind: IncidentKind
    subject: str
    clause: ClauseId | None
    words: str
    at: Instant
    cleared_by: PersonId | None = None


class DisputeState(StrEnum):
    """Where a dispute stands."""

    OPEN = "open"
    FINAL = "final"
    UNDER_REVIEW = "under_review"
    REVIEWED = "reviewed"
    CLOSED = "closed"


@dataclass(slots=True)
class Dispute:
    """A disputed round, with its record as it was when the dispute was opened."""

    number: Number
    table: TableId
    round: RoundNumber
    terminal: TerminalId | None
    basis: Basis
    clause: ClauseId
    words: str
    rule: ClauseId | None
    memorandum: str
    #: The round as it stood when the dispute was opened; None where only the journal still has it whole.
    evidence: Round | None
    opened_at: Instant
    state: DisputeState = DisputeState.OPEN
    opened_by: PersonId = PersonId("")
    decision: str = ""
    decided_at: Instant | None = None
    decided_by: PersonId = PersonId("")
    advised_at: Instant | None = None
    advised_by: PersonId = PersonId("")
    #: Who put it on record that a review is asked for, and whether it is the house that asks.
    review_at: Instant | None = None
    review_by: PersonId = PersonId("")
    review_by_house: bool = False
    outcome: str = ""
    reviewed_at: Instant | None = None
    reviewed_by: PersonId = PersonId("")
    resolved: bool | None = None
    closed_at: Instant | None = None
    closed_by: PersonId = PersonId("")
