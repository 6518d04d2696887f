"""Requests, responses, clock, calendar, timers and ports."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from datetime import time as time_of_day
from typing import Final, Generic, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from croupier.house.base import Decision
from croupier.house.commands import AnyCommand
from croupier.house.commands.credit import Validation
from croupier.house.ids import SECOND, SYSTEM, Context, Day, DeviceId, Instant, Number, PersonId, TableId
from croupier.house.state import House
from croupier.journal.entry import Entry, IdempotencyKey, Page
from croupier.rules.refusal import Refusal


class WheelDriver(Protocol):
    """A table's wheel. It is asked between turns, when all that the house shows is kept."""

    table: TableId

    def due(self, house: House) -> Instant | None:
        """Tell when it next wants to act, as the house is now; the instant may be past already."""
        ...

    def act(self, house: House, now: Instant) -> AnyCommand | None:
        """Say what it reports now, to be asked in the name of the table's own device; asked again, the same again."""
        ...


class Request(msgspec.Struct, frozen=True, gc=False):
    """A command as it came in: from which device, signed by whom, and under which key."""

    command: AnyCommand
    device: DeviceId = SYSTEM
    person: PersonId = PersonId("")
    #: None for what the house asks of itself.
    key: IdempotencyKey | None = None


class Accepted(msgspec.Struct, frozen=True, gc=False):
    """Yes: the first and last entry that came of it. Where nothing had to change the last is before the first."""

    first: int
    last: int


Outcome = Accepted | Refusal


class Response(msgspec.Struct, frozen=True, gc=False):
    """What somebody asked, and what the house says to it."""

    request: Request
    outcome: Outcome


class BatchOutput(NamedTuple):
    """What leaves the engine at once: entries that are kept, and answers, both in their order."""

    entries: list[Entry]
    responses: list[Response]


class Batch(NamedTuple):
    """What was decided at one instant: the page that must be kept before anybody is told, and what may be told then."""

    now: Instant
    #: None where nothing has changed.
    page: Page | None
    output: BatchOutput


NANOSECONDS: Final = 1_000


class Clock(Protocol):
    """Tells the time to the engine."""

    def now(self) -> Instant:
        """Tell the house's time, which never goes back."""
        ...

    def wall(self) -> Instant:
        """Tell what the clock on the wall says, which may be anything."""
        ...


class SystemClock:
    """The wall clock as it was at the start, and the time that has gone by since; never before a given instant."""

    def __init__(self, since: Instant) -> None:
        self._began = time.monotonic_ns()
        self._base = max(self.wall(), since)

    def now(self) -> Instant:
        return Instant(self._base + (time.monotonic_ns() - self._began) // NANOSECONDS)

    def wall(self) -> Instant:
        return Instant(time.time_ns() // NANOSECONDS)


#: Names the gaming day of an instant, and when that day ends.
Calendar = Callable[[Instant], tuple[Day, Instant]]
#: Makes what the house may know of the number of a slip or ticket, from its sequence.
Validates = Callable[[Number], Validation]
#: Looks on as commands are decided, before anything is kept or told.
DecisionObserver = Callable[[AnyCommand, Context, Decision], None]


class Outbox(Protocol):
    """Takes what may be told now that it is kept."""

    def publish(self, batch: BatchOutput, /) -> None: ...


Item = TypeVar("Item")


class Feed(Generic[Item]):
    """Passes what is published to its subscribers, in the order in which they subscribed."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[Item], None]] = []

    def subscribe(self, *subscribers: Callable[[Item], None]) -> None:
        self._subscribers += subscribers

    def publish(self, item: Item, /) -> None:
        for subscriber in self._subscribers:
            subscriber(item)


class NullOutbox:
    """An outbox behind which nobody listens: there is no one to tell yet."""

    def publish(self, batch: BatchOutput) -> None:
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
    observer: DecisionObserver | None = None
    #: None where whoever collects brings it along.
    validates: Validates | None = None


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_DAY: Final = timedelta(days=1)


def gaming_calendar(timezone: str, day_begins: time_of_day) -> Calendar:
    """Name gaming days that begin when the clock on the wall there says so, whatever becomes of summer time.

    Where clocks are put forward over that time, the day begins as much later; where it comes twice, with the first.
    """
    # A small machine may have no table of timezones: UTC needs none.
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)

    def gaming_day(now: Instant) -> tuple[Day, Instant]:
        here = (_EPOCH + timedelta(seconds=now // SECOND)).astimezone(zone)
        # A day may be of any length, and once in a while of none: the last that has begun is the one.
        day = here.date() + _ONE_DAY
        while _begins(day, day_begins, zone) > now:
            day -= _ONE_DAY
        return Day(int(f"{day:%Y%m%d}")), _begins(day + _ONE_DAY, day_begins, zone)

    return gaming_day


def _begins(day: date, at: time_of_day, zone: tzinfo) -> Instant:
    return Instant((datetime.combine(day, at, zone) - _EPOCH) // timedelta(microseconds=1))


#: By how much the loop's own alarms may ring too early.
EARLY: Final = SECOND // 1_000


class Timer(Protocol):
    """Something that will ring, unless it is called off."""

    def cancel(self) -> object: ...


class LoopClock(Clock, Protocol):
    """Tells the time, and rings when it has come."""

    def at(self, instant: Instant, ring: Callable[[], None]) -> Timer:
        """Ring at an instant; soon, where it is past."""
        ...


class AsyncioClock(SystemClock):
    """The time of this machine, with alarms on the running loop."""

    def at(self, instant: Instant, ring: Callable[[], None]) -> Timer:
        # The loop counts in whole milliseconds, and may ring within one of them too early.
        ahead = max(0, instant - self.now()) + EARLY
        return asyncio.get_running_loop().call_later(ahead / SECOND, ring)
