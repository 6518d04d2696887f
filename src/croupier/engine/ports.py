"""Requests, responses, clock, calendar, timers and ports."""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from datetime import time as time_of_day
from enum import StrEnum
from typing import Final, Generic, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from croupier.house import AnyCommand, House
from croupier.house.credit.tickets import Validation
from croupier.house.declare import Decision
from croupier.house.ids import SECOND, SYSTEM, Context, Day, DeviceId, Instant, Number, PersonId, TableId, TerminalId
from croupier.house.rounds.irregularities import WheelTrouble
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, BallLeftTrack, SignalNoMoreBets
from croupier.journal.entry import IdempotencyKey, Page
from croupier.journal.pages import PageDraft
from croupier.rules.money import Cents
from croupier.rules.refusal import Refusal


class ScheduledWheel(Protocol):
    """A wheel whose next action follows from the house's state: it reads no wire.

    It is asked between two batches, when all of the house's state is committed. Both methods return at once and raise
    nothing.
    """

    table: TableId

    def due(self, house: House) -> Instant | None:
        """Return when it next acts, as the house is now; the instant may be past."""
        ...

    def act(self, house: House, now: Instant) -> AnyCommand | None:
        """Return its report as a command of the table's own device; called again, the same again."""
        ...


#: What a wheel reports.
WheelReport = BallLaunched | SignalNoMoreBets | BallLeftTrack | BallAtRest | WheelTrouble


class RecordMark(StrEnum):
    """What a record of the flight recorder is."""

    RECEIVED = "<"
    SENT = ">"
    NOTE = "="


class DevicePort(Protocol):
    """What every driver may use: a clock with timers, and the flight recorder."""

    @property
    def clock(self) -> "LoopClock": ...

    def record(self, mark: RecordMark, data: bytes) -> None:
        """Store raw bytes with their monotonic and wall time."""
        ...


class WheelPort(DevicePort, Protocol):
    """What the driver of a wheel may use, besides: the engine's queue. It shows no bet."""

    def report(self, command: WheelReport) -> None:
        """Push a report of the table's wheel. The house decides reports in the order in which they are pushed."""
        ...


class WheelDriver(Protocol):
    """The driver of a wheel with sensors. It pushes what the device sends; the engine never polls it.

    All methods run on the event loop: they return at once and raise nothing.
    """

    table: TableId

    @property
    def fault(self) -> str:
        """Why the wheel reports nothing now, in words for staff; empty while it works."""
        ...

    def open(self, port: WheelPort) -> None:
        """Begin. A device that is not there yet is a fault of the driver, which tries again."""
        ...

    def close(self) -> None:
        """Release the device, and report nothing more."""
        ...


#: Makes the driver of a table's wheel, with the address in the configuration.
OpenWheel = Callable[[TableId, str], WheelDriver]


class AcceptorPort(DevicePort, Protocol):
    """What the driver of a note acceptor may use: it pushes what the device holds, and the house answers the driver."""

    def escrow_note(self, value: Cents) -> None:
        """Report a note in escrow; `accept` or `reject` follows, once the decision is durable."""
        ...

    def escrow_ticket(self, number: str) -> None:
        """Report a ticket in escrow, by its eighteen digits; `accept` or `reject` follows."""
        ...

    def stacked(self) -> None:
        """Report that what was accepted cannot be pulled out any more; `acknowledge` follows once it is credit."""
        ...

    def returned(self, *, seen: bool) -> None:
        """Report that the device holds nothing any more: it has returned it, or only has nothing now."""
        ...

    def lock_up(self, words: str) -> None:
        """Report a fault that staff must see to: notes are returned until they clear it, also after a restart."""
        ...


class AcceptorDriver(Protocol):
    """The driver of a note acceptor. All methods run on the event loop: they return at once and raise nothing."""

    terminal: TerminalId

    @property
    def fault(self) -> str:
        """Why it takes nothing now, in words for staff; empty while it works."""
        ...

    def open(self, port: AcceptorPort) -> None:
        """Begin. A device that is not there yet is a fault of the driver, which tries again."""
        ...

    def close(self) -> None:
        """Release the device, and report nothing more."""
        ...

    def accept(self) -> None:
        """Stack what is in escrow."""
        ...

    def reject(self) -> None:
        """Return what is in escrow."""
        ...

    def acknowledge(self) -> None:
        """What was reported as stacked is credit now."""
        ...


#: Makes the driver of a terminal's acceptor, with the address in the configuration and the values of its notes.
OpenAcceptor = Callable[[TerminalId, str, tuple[Cents, ...]], AcceptorDriver]


class PrinterPort(DevicePort, Protocol):
    """What the driver of a printer may use."""

    def printed(self, job: int) -> None:
        """Report that a job is on paper and was dispensed."""
        ...

    def failed(self, job: int, words: str) -> None:
        """Report that a job may be on paper or not: staff must see to it, and it is not printed again by itself."""
        ...


class PrinterDriver(Protocol):
    """The driver of a printer. All methods run on the event loop: they return at once and raise nothing."""

    terminal: TerminalId

    @property
    def fault(self) -> str:
        """Why it prints nothing now, in words for staff; empty while it works."""
        ...

    def open(self, port: PrinterPort) -> None:
        """Begin. A device that is not there yet is a fault of the driver, which tries again."""
        ...

    def close(self) -> None:
        """Release the device, and report nothing more."""
        ...

    def print(self, job: int, data: bytes) -> None:
        """Print a job after those before it: ESC/POS with a cut at the end. One of its reports follows."""
        ...


#: Makes the driver of a terminal's printer, with the address in the configuration.
OpenPrinter = Callable[[TerminalId, str], PrinterDriver]


class Request(msgspec.Struct, frozen=True, gc=False):
    """A command as it was received: its device, the person who signed it, and its idempotency key."""

    command: AnyCommand
    device: DeviceId = SYSTEM
    person: PersonId = PersonId("")
    #: None for the house's own commands.
    key: IdempotencyKey | None = None
    #: Its digest, where the gateway that received it has computed it.
    digest: bytes = b""


class Accepted(msgspec.Struct, frozen=True, gc=False):
    """The command was accepted: its first and last entry. When nothing had to change, the last is before the first."""

    first: int
    last: int


Outcome = Accepted | Refusal


class Response(msgspec.Struct, frozen=True, gc=False):
    """A request and its outcome."""

    request: Request
    outcome: Outcome


class BatchOutput(NamedTuple):
    """What the engine publishes after a commit: entries and responses, both in order."""

    entries: PageDraft
    responses: list[Response]


class Batch(NamedTuple):
    """What was decided at one instant: the page to commit, and the output to publish after the commit."""

    now: Instant
    #: None when nothing has changed.
    page: Page | None
    output: BatchOutput


NANOSECONDS: Final = 1_000


class Clock(Protocol):
    """The engine's clock."""

    def now(self) -> Instant:
        """Return the house's time, which never goes back."""
        ...

    def wall(self) -> Instant:
        """Return the wall clock's time, which may be anything."""
        ...


class SystemClock:
    """The wall clock's time at the start plus the monotonic time since; never before a given instant."""

    def __init__(self, since: Instant) -> None:
        self._began = time.monotonic_ns()
        self._base = max(self.wall(), since)

    def now(self) -> Instant:
        # It is read for many messages, and calling Instant would take most of its time.
        return self._base + (time.monotonic_ns() - self._began) // NANOSECONDS  # type: ignore[return-value]

    def wall(self) -> Instant:
        return Instant(time.time_ns() // NANOSECONDS)


#: Returns the gaming day of an instant, and when that day ends.
Calendar = Callable[[Instant], tuple[Day, Instant]]
#: Returns the digest and last digits of a slip or ticket's number, from its sequence.
Validates = Callable[[Number], Validation]
#: Observes every decision, before it is committed.
DecisionObserver = Callable[[AnyCommand, Context, Decision], None]


class Outbox(Protocol):
    """Receives the output of each batch after its commit."""

    def publish(self, batch: BatchOutput, /) -> "Publishing | None":
        """Publish a batch: at once, or in the steps of the iterator that is returned."""
        ...


#: Publishes a batch step by step; the commit loop runs the steps in slices.
Publishing = Iterator[None]


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


class BatchFeed:
    """Passes each batch to its subscribers, in the order in which they subscribed."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[BatchOutput], Publishing | None]] = []

    def subscribe(self, *subscribers: Callable[[BatchOutput], Publishing | None]) -> None:
        self._subscribers += subscribers

    def publish(self, batch: BatchOutput, /) -> Publishing:
        for subscriber in self._subscribers:
            yield from subscriber(batch) or ()


class NullOutbox:
    """An outbox without subscribers."""

    def publish(self, batch: BatchOutput) -> None:
        """Discard the output."""


#: A start replays at most so many entries, and those of one batch.
SNAPSHOT_EVERY: Final = 50_000


def _plenty() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Ports:
    """The engine's ports to the outside."""

    clock: Clock
    outbox: Outbox
    #: None when staff begin gaming days.
    calendar: Calendar | None = None
    #: Whether the disk has room for new bets.
    has_room: Callable[[], bool] = _plenty
    #: Observes every decision, the house's own commands included.
    observer: DecisionObserver | None = None
    #: None when the Collect command carries its validation.
    validates: Validates | None = None
    #: After how many entries a snapshot is due.
    snapshot_every: int = SNAPSHOT_EVERY
    #: The maximum interval between two commits under load, in microseconds.
    commit_interval: int = 0


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_DAY: Final = timedelta(days=1)


def gaming_calendar(timezone: str, day_begins: time_of_day) -> Calendar:
    """Return a calendar whose days begin at a local time of day, whatever becomes of daylight saving time.

    When clocks go forward past that time, the day begins as much later; when it occurs twice, at the first.
    """
    # A small machine may have no time zone database: UTC needs none.
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)

    def gaming_day(now: Instant) -> tuple[Day, Instant]:
        here = (_EPOCH + timedelta(seconds=now // SECOND)).astimezone(zone)
        # A day may have any length, and rarely none: the gaming day is the last one that has begun.
        day = here.date() + _ONE_DAY
        while _begins(day, day_begins, zone) > now:
            day -= _ONE_DAY
        return Day(int(f"{day:%Y%m%d}")), _begins(day + _ONE_DAY, day_begins, zone)

    return gaming_day


def _begins(day: date, at: time_of_day, zone: tzinfo) -> Instant:
    return Instant((datetime.combine(day, at, zone) - _EPOCH) // timedelta(microseconds=1))


#: By how much the event loop's timers may fire too early.
EARLY: Final = SECOND // 1_000


class Timer(Protocol):
    """A timer that fires unless it is cancelled."""

    def cancel(self) -> object: ...


class LoopClock(Clock, Protocol):
    """A clock with timers."""

    def at(self, instant: Instant, ring: Callable[[], None]) -> Timer:
        """Call a function at an instant; soon, when it is past."""
        ...


def seconds(microseconds: int) -> float:
    """Convert for an event loop, whose timers take seconds."""
    return microseconds / SECOND


class AsyncioClock(SystemClock):
    """This machine's time, with timers on the running event loop."""

    def at(self, instant: Instant, ring: Callable[[], None]) -> Timer:
        # The event loop rounds to milliseconds, and may fire up to one too early.
        ahead = max(0, instant - self.now()) + EARLY
        return asyncio.get_running_loop().call_later(seconds(ahead), ring)
