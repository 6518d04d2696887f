"""The invariants and how a violation is reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from croupier.house.declare import Event

#: What must always be true, by the name under which a violation is reported.
INVARIANTS: Final[Mapping[str, str]] = {
    "I1": "All ledger accounts sum to zero.",
    "I2": "A terminal's credit is what came in minus what went out, and is never negative.",
    "I3": "A round pays exactly what its sealed bets are due by the rulebook under which it was opened.",
    "I4": "After a void round every player has what they had before it.",
    "I5": "A slip or ticket is worth the amount it was issued for, and ends once: paid, void or lapsed.",
    "I6": "A drawer holds float, fills and takings, minus drops and payments, each for one slip, ticket or win.",
    "I7": "What was acknowledged as accepted is in the journal, whatever fails afterwards.",
    "I8": "What was refused is not in the journal, and neither is an event that no command caused.",
    "I9": "Open, close, seal, result, settlement: a round has this order, and no stake changes after the seal.",
    "I10": "A spin has one result and a round one settlement. What is corrected later is recorded as a correction.",
    "I11": "A key that is sent again gets the same response, and its request is performed once.",
    "I12": "Entries, pages and positions have no gaps, epochs never fall, and there is one writer at a time.",
    "I13": "Every digest includes the one before it, every signature verifies, and nothing committed is lost.",
    "I14": "Replaying the journal, from the first entry or from a snapshot, gives exactly the house that wrote it.",
    "I15": "The same seed gives the same journal, byte for byte.",
    "I17": "A result is a number on the wheel, and a random wheel draws once for a spin.",
    "I18": "No bet is accepted or sealed against the limits or the risk check, and none within them is refused.",
    "I19": "Only a permitted sender has a command performed, and two signatures are two people's on two devices.",
    "I20": "The times of entries never decrease.",
    "I21": "Every meter is the sum of its events in the journal.",
    "I22": "A terminal shows the state that the journal gives.",
    "I23": "A spin that was called off has no result, and a void round is never paid.",
    "I24": "Once faults have ended, every request is answered and every round ends, within a bounded time.",
    "I25": "A colour has one player and one value, its chips out are those sold minus redeemed, and floats add up.",
    "guard": "Every command is decided: none ends in a fault of the house itself.",
    "recovery": "A start records first how it found every table, and leaves no round running that must be void.",
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
