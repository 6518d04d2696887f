"""A table's wheel port, and the flight recorder of devices: bytes with their times in bounded files."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

import structlog
from msgspec.structs import replace

from croupier.engine.ports import LoopClock, RecordMark, Request, Timer, WheelReport
from croupier.house.ids import SECOND, DeviceId, Instant, TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched, SignalNoMoreBets
from croupier.house.settings import SPIN_MIN_S
from croupier.rules.refusal import Refusal

_LOG = structlog.get_logger()
#: The directory of recordings in the data directory.
DIRECTORY: Final = "wheels"
#: The same for acceptors and printers.
PERIPHERALS: Final = "devices"
#: A table has so many files of so many bytes: some 2,000 games of an in-rim reader, or 20 hours.
FILES_MAX: Final = 16
FILE_BYTES_MAX: Final = 1024 * 1024
#: Queues a command for the next batch, or refuses it.
Submit = Callable[[Request], Refusal | None]
#: After a refusal, a report is pushed again.
RETRY: Final = SECOND // 20


class Record(NamedTuple):
    """One record: monotonic time, wall time, what it is, and its bytes."""

    at: Instant
    wall: Instant
    mark: RecordMark
    data: bytes

    def line(self) -> bytes:
        """Write it as one line of printable ASCII."""
        escaped = self.data.decode("latin-1").encode("unicode_escape")
        return b"%d %d %s %s\n" % (self.at, self.wall, self.mark.encode(), escaped)


#: The second is a time that a date can show.
_LINE: Final = re.compile(rb"(\d{1,18}) (\d{1,17}) ([<>=]) ([ -~]*)")


def read_records(lines: Iterable[bytes]) -> Iterator[Record]:
    """Read a recording. A line that is damaged, as the last one after a power failure, is skipped."""
    for line in lines:
        found = _LINE.fullmatch(line.rstrip(b"\n"))
        if found is None:
            continue
        at, wall, mark, escaped = found.groups()
        try:
            data = escaped.decode("unicode_escape").encode("latin-1")
        except UnicodeError:
            continue
        yield Record(Instant(int(at)), Instant(int(wall)), RecordMark(mark.decode()), data)


#: The time at the beginning of a line in a program's log: a date and a time, a time of day, or seconds since 1970.
_TIMED: Final = re.compile(
    rb"[\[({\"']*(?:(?:(\d{4})[-/.](\d\d)[-/.](\d\d)|(\d\d)[-/.](\d\d)[-/.](\d{4}))[ T_]+)?"
    rb"(\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?[\])}\"':;,|\t ]*"
)
_SINCE_1970: Final = re.compile(rb"[\[({\"']*(\d{10})(?:\.(\d{1,9})|(\d{3}))?[\])}\"':;,|\t ]+")
#: What was said at the end of a line, perhaps in quotes or with its line end written out: a telegram, or a number.
_SAID: Final = re.compile(rb"(\*[A-Za-z][^*]*?|(?<![\w.,:;+-])\d\d?)(?:\\[rn])*[\"')\]},]*\s*$")
#: To search a line takes time by the square of its length.
_LINE_MAX: Final = 2_000
_STATUS: Final = re.compile(rb"\*X;")
_RECEIVE: Final = re.compile(rb"\b(?:receive[ds]?|recv|rcvd|rx|read|in|from)\b", re.IGNORECASE)
_SEND: Final = re.compile(rb"\b(?:sen[dt]|tx|write|wrote|out|to)\b", re.IGNORECASE)
_LONE_DIGIT: Final = re.compile(rb"\d")
_PADDED_DIGIT: Final = re.compile(rb" \d")
#: A clock that goes back by more than daylight saving time does begins another recording.
_SET_BACK: Final = 3 * 3600 * SECOND
_DAY: Final = 24 * 3600 * SECOND
#: The note in a recording when the driver is started: nothing is known of the wheel.
STARTED: Final = b"started"


class LoggedLine(NamedTuple):
    """A line of a log: its time in microseconds and whether it has a date, what was said, and the text before that."""

    wall: int
    has_date: bool
    before: bytes
    said: bytes

    @property
    def route(self) -> bytes:
        """The words and arrows before what was said: all that came by one route has the same."""
        return re.sub(rb"[\d\s]+", b"", self.before)

    @property
    def way(self) -> RecordMark | None:
        """Which way it went, by its words; None if they do not say. Arrows alone say nothing: a status is received."""
        if re.search(rb"[A-Za-z]", self.before) is None or _RECEIVE.search(self.before):
            return RecordMark.RECEIVED
        return RecordMark.SENT if _SEND.search(self.before) else None


def _logged(line: bytes) -> LoggedLine | None:
    """Read a line of a log; None if it does not begin with a time, or is longer than any."""
    if len(line) > _LINE_MAX:
        return None
    wall, has_date = None, True
    if found := _TIMED.match(line):
        year, month, day, first, second, last, *clock, part = found.groups()
        date = (year or last, month or second, day or first)
        has_date = date[0] is not None
        wall = _microseconds(date if has_date else (b"1970", b"1", b"1"), clock, part)
    elif found := _SINCE_1970.match(line):
        wall = int(found[1]) * SECOND + _part(found[2] or found[3])
    if found is None or wall is None:
        return None
    rest = line[found.end() :]
    said = _SAID.search(rest)
    return (
        LoggedLine(wall, has_date, rest, b"")
        if said is None
        else LoggedLine(wall, has_date, rest[: said.start()], said[1])
    )


def _microseconds(date: Iterable[bytes], clock: Iterable[bytes], part: bytes | None) -> int | None:
    year, month, day, hour, minute, second = (int(each) for each in (*date, *clock))
    try:
        time = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    return int(time.timestamp()) * SECOND + _part(part)


def _part(digits: bytes | None) -> int:
    """Read the digits after the point of a second."""
    return int((digits or b"0").ljust(6, b"0")[:6])


def read_log(lines: Iterable[bytes]) -> Iterator[Record]:
    """Read what programs have logged of a wheel, such as `[2026-11-18 20:30:00.500] Receive >>> *X;2;011;34;0;154;0`.

    A number is a result if it came by the route of the statuses: after the same words and arrows. Logs leave out the
    space before a single digit. A line without a time belongs to the time before it. A clock that was set back stands
    still for one line; one that goes back further begins another recording, as where one file has the logs of several
    days.
    """
    logged = [(line, _logged(line)) for line in lines]
    statuses = [each for _, each in logged if each is not None and _STATUS.match(each.said)]
    named = any(each.way is RecordMark.RECEIVED for each in statuses)
    routes = {each.route for each in statuses if each.way is RecordMark.RECEIVED or not (named or each.way)}
    at = wall = 0
    for line, each in logged:
        if each is None:
            yield Record(Instant(at), Instant(wall), RecordMark.RECEIVED, pad_digit(line.strip(b"\r")) + b"\n")
            continue
        before, wall = wall, each.wall
        if not each.has_date and before:
            # A time of day alone: after midnight another day has begun.
            wall += before // _DAY * _DAY
            wall += _DAY if before - wall > _DAY // 2 else 0
        if before - wall > _SET_BACK:
            yield Record(Instant(at), Instant(wall), RecordMark.NOTE, STARTED)
        at += max(0, wall - before) if before else wall
        received = each.route in routes
        data = pad_digit(each.said) if each.said and received else line
        mark = RecordMark.RECEIVED if received else each.way or RecordMark.NOTE
        yield Record(Instant(at), Instant(wall), mark, data + b"\n")


def pad_digit(line: bytes) -> bytes:
    """Put back the space before a single digit, which logs leave out."""
    return b" " + line if _LONE_DIGIT.fullmatch(line) else line


def is_stripped(lines: Iterable[bytes]) -> bool:
    """Return whether spaces were stripped from lines: none of them is a digit with its space."""
    return not any(map(_PADDED_DIGIT.fullmatch, lines))


def is_log(lines: Iterable[bytes]) -> bool:
    """Return whether lines are those of a program's log: any of them begins with a time."""
    return any(_logged(line) is not None for line in lines)


class FlightRecorder:
    """Appends records to a file, and rotates it: the oldest file is replaced.

    A disk that cannot be written ends the recording, and not the game: the next file is tried after the next start.
    """

    def __init__(
        self, data: Path, name: str, files: int = FILES_MAX, size: int = FILE_BYTES_MAX, directory: str = DIRECTORY
    ) -> None:
        self.path = data / directory / f"{quote(name, safe='')}.log"
        self._files, self._size = files, size
        #: Why nothing is recorded any more; empty while it is.
        self.fault = ""

    def write(self, record: Record) -> None:
        if self.fault:
            return
        try:
            self._append(record.line())
        except OSError as error:
            self.fault = str(error)
            _LOG.error("recording_stopped", file=str(self.path), words=self.fault)

    def _append(self, line: bytes) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size + len(line) > self._size:
            self._rotate()
        with self.path.open("ab") as file:
            file.write(line)

    def _rotate(self) -> None:
        """Number the older files: 1 is the last one that was full."""
        for number in reversed(range(1, self._files - 1)):
            older = self.rotated(number)
            if older.exists():
                older.replace(self.rotated(number + 1))
        self.path.replace(self.rotated(1))

    def rotated(self, number: int) -> Path:
        return self.path.with_suffix(f".{number}.log")


class WheelTerms(NamedTuple):
    """What a venue has chosen for the wheel of a table."""

    #: The least time from launch to rest.
    spin_min_s: int = SPIN_MIN_S
    #: Whether the wheel's own announcement of no more bets closes betting.
    closes: bool = False


class TablePort:
    """The wheel port of one table: pushes reports to the engine's queue, and records what the device sends."""

    #: The venue may change them while the driver is open.
    terms = WheelTerms()

    def __init__(self, table: TableId, clock: LoopClock, submit: Submit, recorder: FlightRecorder) -> None:
        self.table, self._clock, self._submit, self.recorder = table, clock, submit, recorder
        self._waiting: deque[WheelReport] = deque()
        self._retry: Timer | None = None
        #: When the driver reported the last launch, until its number.
        self._launched_at: Instant | None = None

    @property
    def clock(self) -> LoopClock:
        return self._clock

    def report(self, command: WheelReport) -> None:
        assert command.table == self.table
        self._waiting.append(self._completed(command))
        if self._retry is None:
            self._push()

    def _completed(self, command: WheelReport) -> WheelReport:
        """Add what the venue has chosen, and the time from launch to rest where the driver names no launch."""
        if isinstance(command, SignalNoMoreBets):
            return replace(command, closes=self.terms.closes)
        if isinstance(command, BallLaunched):
            self._launched_at = self._clock.now()
        if not isinstance(command, BallAtRest):
            return command
        launched_at, self._launched_at = self._launched_at, None
        took = command.took_ms
        if took is None and command.launch is None and launched_at is not None:
            took = (self._clock.now() - launched_at) // 1_000
        return replace(command, took_ms=took, least_ms=self.terms.spin_min_s * 1_000)

    def record(self, mark: RecordMark, data: bytes) -> None:
        self.recorder.write(Record(self._clock.now(), self._clock.wall(), mark, data))

    def close(self) -> None:
        """Drop what the engine has not taken."""
        self._waiting.clear()
        if self._retry is not None:
            self._retry.cancel()

    def _push(self) -> None:
        """Push reports in their order; when the queue is full, the first one is pushed again in a moment."""
        self._retry = None
        while self._waiting:
            if self._submit(Request(self._waiting[0], DeviceId(self.table))) is not None:
                self._retry = self._clock.at(Instant(self._clock.now() + RETRY), self._push)
                return
            self._waiting.popleft()
