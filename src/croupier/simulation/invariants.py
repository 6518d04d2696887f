"""The invariants and how a violation is reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from croupier.house.declare import Event

#: What must always be true, by the name under which a violation is reported.
INVARIANTS: Final[Mapping[str, str]] = {
    "I1": "All accounts together are nil.",
    "I2": "A terminal's credit is what came in less what went out, and never below nothing.",
    "I3": "A round pays what its sealed bets are due by the rulebook that it was opened under, and no cent else.",
    "I4": "After a round that is void everybody has what they had before it.",
    "I5": "A slip or ticket is worth what was put on it, and is paid once, void or lapsed.",
    "I6": "A drawer holds float, fills and what it took in, less drops and payments, each for one slip, ticket or win.",
    "I7": "What was answered as accepted is in the journal, whatever fails after that.",
    "I8": "What was refused is not in the journal, and nor is what no command asked for.",
    "I9": "Open, close, seal, result, settlement: a round goes in this order, and no chip moves after the seal.",
    "I10": "A spin has one result and a round one settlement. What is corrected later is recorded as a correction.",
    "I11": "The same key gets the same answer, and what was asked twice is done once.",
    "I12": "Entries, pages and positions are numbered without gaps, epochs never fall, and one writer writes at once.",
    "I13": "Every digest follows from the one before it, every signature verifies, and nothing written is lost.",
    "I14": "Reading the journal gives the very house that wrote it, from the first entry and from a snapshot.",
    "I15": "The same seed leaves the same journal, to the byte.",
    "I17": "A result is a number on the wheel, and a random wheel draws once for a spin.",
    "I18": "No bet is taken or sealed against the limits and the risk check, and none is refused within them.",
    "I19": "Only those who may have had it done, and what takes two signatures has two people's on two devices.",
    "I20": "The times of entries never go back.",
    "I21": "Every meter is what the journal adds up to.",
    "I22": "A terminal shows what the journal gives.",
    "I23": "A spin that was called off has no result, and a round that is void is never paid.",
    "I24": "Once nothing fails any more, everybody is answered and every round ends, within a bounded time.",
    "I25": "A colour has one player and one value, its chips out are those sold less redeemed, and floats add up.",
    "guard": "Every command can be worked out: none ends in a fault of the house itself.",
    "recovery": "A start says first how it found every table, and leaves no round as if nothing had been.",
}


class InvariantViolation(AssertionError):  # noqa: N818 - a finding, not an error of the program
    """An invariant does not hold."""

    def __init__(self, invariant: str, words: str) -> None:
        super().__init__(f"{invariant}: {words}")
        self.invariant = invariant
        self.words = words


def check_equal(invariant: str, what: object, found: object, due: object) -> None:
    """Check that a value equals the expected one."""
    if found != due:
        raise InvariantViolation(invariant, f"{what}: found {found}, due {due}")


def check_not(invariant: str, words: str, *, when: bool) -> None:
    """Check that a condition does not hold."""
    if when:
        raise InvariantViolation(invariant, words)


@dataclass(frozen=True, slots=True)
class ExpectedEvent:
    """An expected event, by its type and the fields that are compared."""

    kind: type[Event]
    fields: Mapping[str, object]


def match(invariant: str, events: Sequence[Event], due: Sequence[ExpectedEvent]) -> None:
    """Check a response against the expected events: their number, their order, and the fields given."""
    kinds = [type(event) for event in events]
    if kinds != [each.kind for each in due]:
        raise InvariantViolation(invariant, f"decided {events}, due {due}")
    for event, each in zip(events, due, strict=True):
        for name, value in each.fields.items():
            found = getattr(event, name)
            if (dict(found) if isinstance(value, dict) else found) != value:
                raise InvariantViolation(invariant, f"{event} says {name} is {found}, due {value}")
