"""The acceptor driver `id003`: a note acceptor on a serial line, 9600 8E1, polled every fifth of a second."""

from typing import Final

from croupier.devices.id003 import Controller, FrameReader
from croupier.devices.line import Line, SerialSettings
from croupier.engine.ports import AcceptorPort, RecordMark, Timer
from croupier.house.ids import SECOND, Instant, TerminalId
from croupier.rules.money import Cents

SERIAL: Final = SerialSettings(9600, "E")
#: How often the acceptor is asked for its status, and after how many polls without a response it is silent.
POLL_EVERY: Final = SECOND // 5
SILENT_AFTER: Final = 10
_DIGITS: Final = bytes.maketrans(b"0123456789", b"#" * 10)


def _masked(_mark: RecordMark, data: bytes) -> bytes:
    """Record no digit: the number of a ticket is in no record."""
    return data.translate(_DIGITS)


class Id003Acceptor:
    """Polls the acceptor, and pushes what it reports. Bytes go to the flight recorder both ways."""

    def __init__(self, terminal: TerminalId, address: str, values: tuple[Cents, ...]) -> None:
        self.terminal, self._address, self._values = terminal, address, values
        self._line: Line | None = None
        self._controller: Controller | None = None
        self._reader = FrameReader()
        self._timer: Timer | None = None
        #: Polls since the last response.
        self.unanswered = 0
        #: What is sent in place of the next poll.
        self._next: bytes | None = None

    @property
    def fault(self) -> str:
        if self._line is None or self._controller is None:
            return ""
        silent = "it does not respond" if self.unanswered > SILENT_AFTER else ""
        return self._line.fault or silent or self._controller.fault

    def open(self, port: AcceptorPort) -> None:
        self._controller = Controller(self._values, port)
        self._line = Line(self._address, SERIAL, self._received, _masked)
        self._line.open(port)
        self._tick(port, self._line, self._controller)

    def close(self) -> None:
        if self._timer is not None and self._line is not None:
            self._timer.cancel()
            self._line.close()

    def accept(self) -> None:
        assert self._controller is not None
        self._controller.accept()

    def reject(self) -> None:
        assert self._controller is not None
        self._controller.reject()

    def acknowledge(self) -> None:
        assert self._controller is not None
        self._controller.acknowledge()

    def _tick(self, port: AcceptorPort, line: Line, controller: Controller) -> None:
        self._reader.cut()
        self.unanswered += 1
        line.send(port, self._next or controller.poll())
        self._next = None
        due = Instant(port.clock.now() + POLL_EVERY)
        self._timer = port.clock.at(due, lambda: self._tick(port, line, controller))

    def _received(self, data: bytes) -> None:
        assert self._controller is not None
        for each in self._reader.feed(data):
            self.unanswered = 0
            self._next = self._controller.receive(each)
