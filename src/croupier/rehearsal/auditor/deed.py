"""Deeds: what a command must lead to, held against the events that the house tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from croupier.house.event.base import Event
from croupier.rehearsal.auditor.finding import Finding


@dataclass(frozen=True, slots=True)
class Told:
    """An event that must be told, by its kind and the fields that matter."""

    kind: type[Event]
    says: Mapping[str, object]


def match(invariant: str, events: Sequence[Event], due: Sequence[Told]) -> None:
    """Hold an answer against what is due: as many events, in that order, that say as much."""
    told = [type(event) for event in events]
    if told != [each.kind for each in due]:
        raise Finding(invariant, f"told {events}, due {due}")
    for event, each in zip(events, due, strict=True):
        for name, value in each.says.items():
            found = getattr(event, name)
            if (dict(found) if isinstance(value, dict) else found) != value:
                raise Finding(invariant, f"{event} says {name} is {found}, due {value}")
