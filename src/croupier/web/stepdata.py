"""What a dealer is told of the round: its steps by this rulebook and this wheel, and which of them is next."""

from enum import StrEnum

import msgspec

from croupier.web.seatdata import Cited


class StepName(StrEnum):
    """A step of a round, or what has to be done before it goes on."""

    OPEN = "open"
    WARN = "warn"
    CLOSE = "close"
    SPIN = "spin"
    NUMBER = "number"
    CONFIRM = "confirm"
    SETTLE = "settle"
    #: What stands in the way of the others.
    NO_SPIN = "no_spin"
    RESET = "reset"
    ATTEST = "attest"
    DECIDE = "decide"


class By(StrEnum):
    """Who takes a step."""

    DEALER = "dealer"
    #: The house itself, by its clock or as soon as it may.
    AUTO = "auto"
    WHEEL = "wheel"
    PIT = "pit"


class StepRow(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A step of the round that runs or, between two, of the one to come."""

    step: StepName
    words: str
    #: What is announced with it, as the rules word it; nothing where they have no words for it.
    says: str
    clause: str
    by: By
    #: When it was taken, and when it comes by itself, by the house's time.
    at_us: int | None
    due_us: int | None
    #: True of exactly one.
    next: bool
    #: What the dealer may ask for now; it may also be there where the step is not next, or comes by itself.
    command: object | None
    #: The fields of the command that are to be filled in.
    asks: tuple[str, ...]
    #: Why it cannot be taken yet.
    waits: Cited | None
