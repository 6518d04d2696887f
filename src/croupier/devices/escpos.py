"""The printer driver `escpos`: a thermal printer on a serial port, a device file or a socket; and an emulated one."""

import re
from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from croupier.devices.line import Line, SerialSettings
from croupier.engine.ports import PrinterPort, RecordMark, Timer
from croupier.house.ids import SECOND, Instant, TerminalId

#: Send the status now, and whenever it changes.
REPORT_STATUS: Final = b"\x1da\x0f"
#: Send back four characters once everything before them was printed.
PROCESS_ID: Final = b"\x1d(H\x06\x000%s"
#: The four bytes of a status, and the response to a process id, which is any four printable characters.
_STATUS: Final = re.compile(
    rb"[\x10\x14\x18\x1c\x30\x34\x38\x3c\x50\x54\x58\x5c\x70\x74\x78\x7c][\x00-\x0f\x20-\x2f\x40-\x4f\x60-\x6f]{3}"
)
_DONE: Final = re.compile(rb"\x37\x22([ -~]{4})\x00")
_FRAME: Final = re.compile(rb"(?s)\x37\x22[ -~]{4}\x00|" + _STATUS.pattern)
FRAME_MAX: Final = 7


class StatusBit(NamedTuple):
    """A bit of the status: its byte, its mask, and what it means."""

    byte: int
    mask: int
    words: str


#: The faults of a printer, the most exact first.
FAULTS: Final = (
    StatusBit(1, 0x08, "the paper is jammed at the cutter"),
    StatusBit(1, 0x20, "it has an error that switching off and on may end"),
    StatusBit(1, 0x44, "the paper is jammed"),
    StatusBit(2, 0x0C, "it is out of paper"),
    StatusBit(0, 0x20, "its cover is open"),
    StatusBit(0, 0x08, "it is offline"),
)
#: The bits of the third byte while the paper is nearly at its end.
NEARLY_OUT: Final = 0x03


def fault_of(status: bytes) -> str:
    """Describe why a printer prints nothing, from the four bytes of its status; empty when it can print."""
    return next((each.words for each in FAULTS if status[each.byte] & each.mask), "")


def done_with(response: bytes) -> bytes | None:
    """Return the process id that a response confirms; None for a status."""
    done = _DONE.fullmatch(response)
    return None if done is None else done[1]


class ResponseReader:
    """Finds statuses and process ids in bytes as they come; what is neither is skipped."""

    def __init__(self) -> None:
        self._unread = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._unread += data
        while found := _FRAME.search(self._unread):
            self._unread = self._unread[found.end() :]
            yield found[0]
        self._unread = self._unread[-FRAME_MAX:]

    def cut(self) -> None:
        self._unread = b""


SERIAL: Final = SerialSettings(19_200)
#: How often the status is asked for while nothing is printed, and how long a printer may be silent.
STATUS_EVERY: Final = 2 * SECOND
SILENCE: Final = 3 * STATUS_EVERY
#: How long a job may take.
JOB_MAX: Final = 20 * SECOND


class Job(NamedTuple):
    """Something to print."""

    number: int
    data: bytes

    @property
    def process_id(self) -> bytes:
        return b"%04d" % (self.number % 10_000)


class EscPosPrinter:
    """Prints one job at a time. A job begins when the printer reports that it can print.

    A job is printed when the printer sends back its process id, with no fault since its first byte. A job that has
    begun and did not end so may be on paper or not: it is reported as failed, and never sent again by itself.
    """

    def __init__(self, terminal: TerminalId, address: str) -> None:
        self.terminal = terminal
        self._line = Line(address, SERIAL, self._received, _masked)
        self._port: PrinterPort | None = None
        self._reader = ResponseReader()
        self._waiting: deque[Job] = deque()
        #: The job whose bytes are on their way, and by when it must be done.
        self._begun: Job | None = None
        self._due = Instant(0)
        #: The last status, and when it came.
        self._status = b""
        self._status_at = Instant(0)
        self._timer: Timer | None = None

    @property
    def fault(self) -> str:
        if self._port is None:
            return ""
        silent = self._port.clock.now() - self._status_at > SILENCE and self._begun is None
        known = fault_of(self._status) if self._status else "it has not reported its status"
        return self._line.fault or ("it does not respond" if silent else known)

    @property
    def nearly_out(self) -> bool:
        """Whether the paper is nearly at its end."""
        return bool(self._status) and bool(self._status[2] & NEARLY_OUT)

    def open(self, port: PrinterPort) -> None:
        self._port, self._status_at = port, port.clock.now()
        self._line.opened = self._opened
        self._line.open(port)
        self._tick()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._line.close()
        self._port = None

    def print(self, job: int, data: bytes) -> None:
        self._waiting.append(Job(job, data))
        self._next()

    def _opened(self) -> None:
        """Know nothing of a printer that was not there: it may have been switched off."""
        assert self._port is not None
        self._reader.cut()
        self._status, self._status_at = b"", self._port.clock.now()
        self._line.send(self._port, REPORT_STATUS)

    def _tick(self) -> None:
        assert self._port is not None
        now = self._port.clock.now()
        if self._begun is not None and (not self._line.is_open or now >= self._due):
            self._failed(self._line.fault or "the printer did not confirm it")
        if self._begun is None:
            self._line.send(self._port, REPORT_STATUS)
        self._timer = self._port.clock.at(Instant(now + STATUS_EVERY), self._tick)

    def _next(self) -> None:
        if self._port is None or self._begun is not None or not self._waiting or self.fault:
            return
        self._begun = job = self._waiting.popleft()
        self._due = Instant(self._port.clock.now() + JOB_MAX)
        self._port.record(RecordMark.NOTE, b"job %d" % job.number)
        self._line.send(self._port, job.data + PROCESS_ID % (b"0" + job.process_id))

    def _received(self, data: bytes) -> None:
        assert self._port is not None
        for each in self._reader.feed(data):
            if (process_id := done_with(each)) is not None:
                if self._begun is not None and process_id == self._begun.process_id:
                    done, self._begun = self._begun, None
                    self._status_at = self._port.clock.now()
                    self._port.printed(done.number)
            else:
                self._status, self._status_at = each, self._port.clock.now()
                fault = fault_of(each)
                if fault and self._begun is not None:
                    self._failed(fault)
        self._next()

    def _failed(self, words: str) -> None:
        assert self._port is not None
        assert self._begun is not None
        failed, self._begun = self._begun, None
        self._port.failed(failed.number, words)


def _masked(mark: RecordMark, data: bytes) -> bytes:
    """Record how much was sent, and not what: the number of a slip is in no record."""
    return b"%d bytes" % len(data) if mark is RecordMark.SENT else data


#: The commands that documents use, and those of the driver; their lengths follow from their first bytes.
_COMMANDS: Final = re.compile(
    rb"(?s)\x1b@|\x1b[tE].|\x1d[!Ba].|\x1dVB.|\x1d\(H\x06\x00.{6}|\x1dv0.(?P<width>..)(?P<height>..)|[^\x1b\x1d]"
)
ONLINE: Final = b"\x10\x00\x00\x00"
#: The status of each fault that lasts until staff end it.
STATUSES: Final = {
    "paper-out": b"\x18\x00\x0c\x00",
    "jam": b"\x18\x08\x00\x00",
    "cover": b"\x38\x00\x00\x00",
    "near-end": b"\x10\x00\x03\x00",
}
#: What can go wrong, in words.
SPOILED: Final = {
    "paper-out": "the roll ends in the middle of the next slip",
    "jam": "the next slip is jammed at the cutter",
    "cover": "the cover is opened during the next slip",
    "power": "power is lost in the middle of the next slip",
    "unconfirmed": "power is lost after the next slip, before it is confirmed",
}
#: How much of a slip is on paper when a fault stops it.
HALF: Final = 200


class EmulatedPrinter:
    """Keeps each slip that was cut as the bytes that it was printed from."""

    def __init__(self) -> None:
        self.status = ONLINE
        #: What was cut and dispensed, and what came to nothing.
        self.slips: list[bytes] = []
        self.spoiled: list[bytes] = []
        #: The fault that happens with the next slip.
        self.fault = ""
        self.powered = True
        self._unread = self._slip = b""
        self._reports = False

    def set_status(self, status: bytes) -> bytes:
        """Change the status, as staff do; return what is sent because of it."""
        self.status = status
        return status if self._reports and self.powered else b""

    def restore(self) -> bytes:
        """Have staff load paper, remove a jam, close the cover or switch it on."""
        self._reports, self.powered = self._reports and self.powered, True
        return self.set_status(ONLINE)

    def feed(self, data: bytes) -> bytes:
        """Read what is sent, and return the responses. A printer that is off or has a fault loses it."""
        self._unread += data
        return b"".join(map(self._carry_out, self._commands()))

    def _commands(self) -> Iterator[bytes]:
        while self.powered and (found := _COMMANDS.match(self._unread)) is not None:
            length = found.end() + _data_length(found)
            if len(self._unread) < length:
                return
            command, self._unread = self._unread[:length], self._unread[length:]
            yield command
        if not self.powered:
            self._unread = b""

    def _carry_out(self, command: bytes) -> bytes:
        if command.startswith(b"\x1da"):
            self._reports = True
            return self.status
        if command.startswith(b"\x1d(H"):
            return b"\x37\x22" + command[-4:] + b"\x00" if self._works else b""
        if not self._works:
            return b""
        self._slip += command
        if self.fault not in ("", "jam", "unconfirmed") and len(self._slip) >= HALF:
            return self._spoil()
        if command.startswith(b"\x1dV"):
            return self._cut()
        return b""

    @property
    def _works(self) -> bool:
        return self.status not in (STATUSES["paper-out"], STATUSES["jam"], STATUSES["cover"])

    def _cut(self) -> bytes:
        if self.fault == "jam":
            return self._spoil()
        self.slips.append(self._slip)
        self._slip = b""
        if self.fault == "unconfirmed":
            self._lose_power()
        return b""

    def _spoil(self) -> bytes:
        self.spoiled.append(self._slip)
        self._slip = b""
        fault, self.fault = self.fault, ""
        if fault == "power":
            self._lose_power()
            return b""
        return self.set_status(STATUSES[fault])

    def _lose_power(self) -> None:
        self.powered, self.fault = False, ""


def slip_text(slip: bytes) -> str:
    """Return the letters of a slip, without its pictures and the commands of the printer."""
    letters, at = bytearray(), 0
    while (found := _COMMANDS.match(slip, at)) is not None:
        at = found.end() + _data_length(found)
        if found[0][:1] not in (b"\x1b", b"\x1d"):
            letters += found[0]
    return letters.decode("windows-1252")


def _data_length(found: "re.Match[bytes]") -> int:
    """Return the length of the bitmap that follows a command."""
    if found["width"] is None:
        return 0
    return int.from_bytes(found["width"], "little") * int.from_bytes(found["height"], "little")
