"""The wheel driver `in-rim`: an in-rim reader on a serial line, 9600 8N1."""

import asyncio
from typing import Final

from serial import Serial, SerialException

from croupier.devices.in_rim_reader import InRimReader, Observation
from croupier.engine.ports import RecordMark, Timer, WheelPort
from croupier.house.ids import SECOND, Instant, TableId

BAUD: Final = 9600
READ_MAX: Final = 4096
#: How often a line that is not there is tried.
RETRY: Final = SECOND


class SerialWheel:
    """Pushes what the wheel sends, and sends nothing itself: the wheel runs its games on its own.

    A line that is unplugged is opened again once it is back. Bytes go to the flight recorder before they are parsed.
    """

    def __init__(self, table: TableId, address: str) -> None:
        self.table, self._address = table, address
        self._serial: Serial | None = None
        self._timers: dict[str, Timer] = {}
        self._unplugged = ""
        self._reader = InRimReader(table, Instant(0))

    @property
    def fault(self) -> str:
        return self._unplugged or self._reader.fault

    def open(self, port: WheelPort) -> None:
        self._reader = InRimReader(self.table, port.clock.now())
        self._connect(port)
        self._watch(port)

    def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._disconnect()

    def _connect(self, port: WheelPort) -> None:
        try:
            self._serial = Serial(self._address, BAUD, timeout=0, exclusive=True)
        except (SerialException, OSError, ValueError) as error:
            self._lost(port, f"{self._address} cannot be opened: {error}")
            return
        self._unplugged = ""
        self._reader.cut()
        port.record(RecordMark.NOTE, b"opened")
        asyncio.get_running_loop().add_reader(self._serial.fileno(), self._read, port, self._serial)

    def _disconnect(self) -> None:
        if self._serial is not None:
            asyncio.get_running_loop().remove_reader(self._serial.fileno())
            self._serial.close()
            self._serial = None

    def _lost(self, port: WheelPort, why: str) -> None:
        """Try again in a moment; when that takes long, the reader reports a silence."""
        if not self._unplugged:
            port.record(RecordMark.NOTE, why.encode("ascii", "backslashreplace"))
        self._unplugged = why
        self._disconnect()
        self._timers["connect"] = port.clock.at(Instant(port.clock.now() + RETRY), lambda: self._connect(port))

    def _read(self, port: WheelPort, line: Serial) -> None:
        try:
            data = line.read(READ_MAX)
        except SerialException as error:
            self._lost(port, f"{self._address} was lost: {error}")
            return
        port.record(RecordMark.RECEIVED, data)
        self._push(port, self._reader.feed(port.clock.now(), data))

    def _push(self, port: WheelPort, observations: list[Observation]) -> None:
        for observation in observations:
            if observation.report is not None:
                port.report(observation.report)
        self._watch(port)

    def _watch(self, port: WheelPort) -> None:
        """Set the timer that finds a silence, unless it is set."""
        due = self._reader.due
        if due is not None and "silence" not in self._timers:
            self._timers["silence"] = port.clock.at(due, lambda: self._ring(port))

    def _ring(self, port: WheelPort) -> None:
        del self._timers["silence"]
        self._push(port, self._reader.advance(port.clock.now()))
