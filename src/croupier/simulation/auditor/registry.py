"""What the auditor derives from a command, and how its model follows an event: registered where it is written."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from croupier.house.declare import Command, Event
from croupier.house.ids import Context
from croupier.rules.refusal import Code
from croupier.simulation.auditor.model import Model
from croupier.simulation.invariants import ExpectedEvent

Follower = Callable[[Model, Any, Context], None]
Objection = Callable[[Model, Any, Context], set[Code]]
ModelAction = Callable[[Model, Any, Context], list[ExpectedEvent]]

_FollowerFunction = TypeVar("_FollowerFunction", bound=Follower)
_ActionFunction = TypeVar("_ActionFunction", bound=ModelAction)


class Derivation(NamedTuple):
    """What is derived from a command: its refusals, and its effect if there is none."""

    objections: Objection
    action: ModelAction
    #: The invariant that another effect breaks.
    invariant: str


#: How the model follows each type of event.
FOLLOWERS: Final[dict[type[Event], Follower]] = {}
#: What is derived from each type of command; the other commands are taken by their events.
DERIVED: Final[dict[type[Command], Derivation]] = {}


def follows(*kinds: type[Event]) -> Callable[[_FollowerFunction], _FollowerFunction]:
    """Register the function by which the model follows some types of events."""

    def add(function: _FollowerFunction) -> _FollowerFunction:
        for kind in kinds:
            assert kind not in FOLLOWERS
            FOLLOWERS[kind] = function
        return function

    return add


def derives(
    *kinds: type[Command], unless: Objection = lambda *_: set(), breaks: str
) -> Callable[[_ActionFunction], _ActionFunction]:
    """Register the effect of types of commands, what refuses them, and the invariant that another effect breaks."""

    def add(function: _ActionFunction) -> _ActionFunction:
        for kind in kinds:
            assert kind not in DERIVED
            DERIVED[kind] = Derivation(unless, function, breaks)
        return function

    return add
