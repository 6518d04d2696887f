"""Answers: what `decide` gives, events or a refusal, and how a refusal is worded."""

from collections.abc import Callable, Mapping
from typing import Any

from croupier.house.command.base import Command
from croupier.house.event.base import Event
from croupier.house.stamp import Stamp
from croupier.house.state import House
from croupier.rules.clause import ClauseId
from croupier.rules.refusal import Code, Refusal

Events = tuple[Event, ...]
Decision = Events | Refusal

#: How one kind of command is decided, and one kind of event carried out; each takes its own kind.
Decider = Callable[[House, Any, Stamp], Decision]
Evolver = Callable[[House, Any, Stamp], None]
Deciders = Mapping[type[Command], Decider]
Evolvers = Mapping[type[Event], Evolver]


def refuse(code: Code, clause: ClauseId | None, says: str, **facts: object) -> Refusal:
    return Refusal(code, clause, says, facts)
