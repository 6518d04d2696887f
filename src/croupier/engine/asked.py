"""What is asked of the engine, and what it answers."""

from typing import NamedTuple

import msgspec

from croupier.house.command.any import AnyCommand
from croupier.house.name import DeviceId, Instant, PersonId
from croupier.house.stamp import SYSTEM
from croupier.journal.entry import Entry, Key
from croupier.journal.page import Page
from croupier.rules.refusal import Refusal


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A command as it came in: from which device, signed by whom, and under which key."""

    command: AnyCommand
    device: DeviceId = SYSTEM
    person: PersonId = PersonId("")
    #: None for what the house asks of itself.
    key: Key | None = None


class Accepted(msgspec.Struct, frozen=True, gc=False):
    """Yes: the first and last entry that came of it. Where nothing had to change the last is before the first."""

    first: int
    last: int


Outcome = Accepted | Refusal


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What somebody asked, and what the house says to it."""

    asked: Asked
    outcome: Outcome


class Batch(NamedTuple):
    """What leaves the engine at once: entries that are kept, and answers, both in their order."""

    entries: list[Entry]
    answers: list[Answer]


class Turn(NamedTuple):
    """What was decided at one instant: the page that must be kept before anybody is told, and what may be told then."""

    now: Instant
    #: None where nothing has changed.
    page: Page | None
    batch: Batch
