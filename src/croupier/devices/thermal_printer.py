"""The printer driver `escpos`: a thermal printer with ESC/POS on a serial port, a device file or a network socket."""

from collections import deque
from typing import Final, NamedTuple

from croupier.devices.escpos import NEARLY_OUT, PROCESS_ID, REPORT_STATUS, ResponseReader, done_with, fault_of
from croupier.devices.line import Line, SerialSettings
from croupier.engine.ports import PrinterPort, RecordMark, Timer
from croupier.house.ids import SECOND, Instant, TerminalId

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
        for each in self._reader.feed(data):
            if (process_id := done_with(each)) is not None:
                self._done(process_id)
            else:
                self._reported(each)
        self._next()

    def _reported(self, status: bytes) -> None:
        assert self._port is not None
        self._status, self._status_at = status, self._port.clock.now()
        fault = fault_of(status)
        if fault and self._begun is not None:
            self._failed(fault)

    def _done(self, process_id: bytes) -> None:
        assert self._port is not None
        if self._begun is not None and process_id == self._begun.process_id:
            done, self._begun = self._begun, None
            self._status_at = self._port.clock.now()
            self._port.printed(done.number)

    def _failed(self, words: str) -> None:
        assert self._port is not None
        assert self._begun is not None
        failed, self._begun = self._begun, None
        self._port.failed(failed.number, words)


def _masked(mark: RecordMark, data: bytes) -> bytes:
    """Record how much was sent, and not what: the number of a slip is in no record."""
    return b"%d bytes" % len(data) if mark is RecordMark.SENT else data
