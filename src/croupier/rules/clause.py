"""Clauses: the numbered rules of a venue's document, in our words, with what the software does about each."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NewType, TypeVar

#: A clause as its document numbers it, byte for byte: "7(h)iii", "3.4.2", "Pay Table Straight".
ClauseId = NewType("ClauseId", str)

Behaviour = TypeVar("Behaviour")


@dataclass(frozen=True, slots=True)
class Ruling(Generic[Behaviour]):
    """A behaviour that a venue's rules choose by name, and the clause that chooses it."""

    does: Behaviour
    clause: ClauseId


class Topic(StrEnum):
    """What a clause is about."""

    BET_GEOMETRY = "bet-geometry"
    CREDIT_AND_PAYMENT = "credit-and-payment"
    DISPUTE_AND_RECORD = "dispute-and-record"
    IRREGULARITY = "irregularity"
    LIMIT = "limit"
    LIVE_TABLE = "live-table"
    MALFUNCTION_AND_RECOVERY = "malfunction-and-recovery"
    PAYOUT = "payout"
    PHYSICAL_ONLY = "physical-only"
    ROUND_LIFECYCLE = "round-lifecycle"
    SPECIAL_BET = "special-bet"
    STAFF_ROLE = "staff-role"
    TERMINAL_UI = "terminal-ui"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: what it says, what the software does about it, and the code that does it or why none does."""

    clause: ClauseId
    topic: Topic
    says: str
    does: str
    code: tuple[str, ...] = ()
    no_code: str = ""
    #: What of it the code does not do yet.
    awaits: str = ""
    tests: tuple[str, ...] = ()
