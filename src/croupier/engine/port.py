"""Ports: what the engine asks of the world around it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from croupier.engine.asked import Batch
from croupier.engine.clock import Clock
from croupier.house.answer import Decision
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import Validation
from croupier.house.name import Day, Instant, Number
from croupier.house.stamp import Stamp

#: Names the gaming day of an instant, and when that day ends.
Calendar = Callable[[Instant], tuple[Day, Instant]]
#: Makes what the house may know of the number of a slip or ticket, from its sequence.
Validates = Callable[[Number], Validation]
#: Looks on as commands are decided, before anything is kept or told.
Witness = Callable[[AnyCommand, Stamp, Decision], None]


class Outbox(Protocol):
    """Takes what may be told now that it is kept."""

    def release(self, batch: Batch) -> None: ...


class Nobody:
    """An outbox behind which nobody listens: there is no one to tell yet."""

    def release(self, batch: Batch) -> None:
        """Let what was kept be."""


def _plenty() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Ports:
    """The world as the engine sees it."""

    clock: Clock
    outbox: Outbox
    #: None where gaming days are named by hand.
    calendar: Calendar | None = None
    #: Whether the disk has room for more than what is under way.
    has_room: Callable[[], bool] = _plenty
    #: Sees every decision, the house's own commands among them; None where nobody looks on.
    witness: Witness | None = None
    #: None where whoever collects brings it along.
    validates: Validates | None = None
