"""Malfunction cases, and how the oldest closed records leave the state: the journal still has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import msgspec

from croupier.house.ids import Instant, Number, RoundNumber, TableId, TerminalId
from croupier.house.state.tables import Round
from croupier.rules.money import Cents
from croupier.rules.refusal import ClauseId


class CaseState(StrEnum):
    """The state of a malfunction case."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    VOIDED = "voided"


@dataclass(slots=True)
class MalfunctionCase:
    """A malfunction: the terminal, and the sealed bets that are in question."""

    number: Number
    terminal: TerminalId
    fault: MalfunctionKind
    clause: ClauseId
    words: str
    raised_at: Instant
    #: The games and rounds whose sealed bets are in question.
    questioned: tuple[tuple[TableId, RoundNumber], ...]
    #: Those rounds, stored for as long as the case is.
    rounds: tuple[Round, ...] = ()
    state: CaseState = CaseState.OPEN
    #: Stakes in suspense since the round was settled without them, and their return by the record.
    suspense: int = 0
    returned: int = 0
    cleared: bool = False
    #: The first case of the line loss that this case is part of, if a link was lost.
    line_loss: Number | None = None
    #: The fault that the house detected, if staff did not raise the case.
    evidence: MalfunctionEvidence | None = None


class DerivedOfCases:
    """The cases that are not cleared: a settlement reads only these."""

    if not TYPE_CHECKING:
        __slots__ = ("open",)
    open: dict[Number, MalfunctionCase]


@dataclass(slots=True)
class Cases(DerivedOfCases):
    """The malfunction cases in the state, the number that were raised, and those that are closed, the oldest first."""

    all: dict[Number, MalfunctionCase] = field(default_factory=dict)
    raised: int = 0
    closed: list[Number] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.open = {number: case for number, case in self.all.items() if not case.cleared}


class MalfunctionKind(StrEnum):
    """What is wrong with a terminal or the game system."""

    #: The credits shown are not what was bet and won.
    CREDITS = "credits"
    #: It shows a number that is not on the layout.
    NUMBERS = "numbers"
    #: It is interrupted, or its display is faulty.
    INTERRUPTED = "interrupted"
    #: Staff think so.
    OPINION = "opinion"


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


#: The most records dropped by one event, which bounds its duration. Each event adds one, so two are enough.
RETIRED_AT_ONCE: Final = 2


def take_oldest(closed: list[Number], kept: int) -> list[Number]:
    """Remove and return the oldest records beyond the number that is stored."""
    count = min(RETIRED_AT_ONCE, max(0, len(closed) - kept))
    oldest = closed[:count]
    del closed[:count]
    return oldest
