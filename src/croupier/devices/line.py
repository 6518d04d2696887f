"""Lines to devices: a serial port, a device file or a network socket, opened again when it is lost; and their CRC."""

import asyncio
import errno
import os
import socket
import termios
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from typing import Final, NamedTuple, Protocol

from serial import Serial

from croupier.engine.ports import DevicePort, RecordMark, Timer
from croupier.house.ids import SECOND, Instant

READ_MAX: Final = 4096
#: How often a line that is not there is tried.
RETRY: Final = SECOND
#: What the addresses of device files and of network sockets begin with: `file:/dev/usb/lp0`, `tcp:192.0.2.7:9100`.
FILE, TCP = "file:", "tcp:"
#: What an operator can do about a device that the server may not open: docs/operating.md shows both.
_NOT_ALLOWED: Final = (
    "permission denied; the user of the server must be in the group of the device, dialout for serial lines, and"
    " its unit must allow the device (DeviceAllow)"
)
#: A device that leaves so many bytes unread is not there.
UNSENT_MAX: Final = 1024 * 1024


def crc16(data: bytes) -> bytes:
    """Compute the CRC-16/Kermit of some bytes, the low byte first."""
    crc = 0
    for byte in data:
        crc = crc >> 8 ^ _CRC[(crc ^ byte) & 0xFF]
    return crc.to_bytes(2, "little")


def _remainder(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0x8408 if byte & 1 else 0)
    return byte


_CRC: Final = tuple(map(_remainder, range(256)))


class SerialSettings(NamedTuple):
    """How a serial port is opened."""

    baud: int
    #: N for none, E for even, S for space: a ninth bit that is 0.
    parity: str = "N"


SPACE: Final = "S"


class Channel(Protocol):
    """An open descriptor."""

    def fileno(self) -> int: ...

    def close(self) -> None: ...


def open_channel(address: str, settings: SerialSettings) -> Channel:
    """Open a serial port, a device file or a network socket, without blocking; OSError when it is not there."""
    try:
        if address.startswith(TCP):
            return _connecting(address.removeprefix(TCP))
        if address.startswith(FILE):
            return FileIO(address.removeprefix(FILE), "r+", opener=_without_blocking)
        port = _serial(address, settings)
    except OSError as error:
        raise OSError(_NOT_ALLOWED if error.errno in {errno.EACCES, errno.EPERM} else str(error)) from error
    except (ValueError, termios.error) as error:
        raise OSError(str(error)) from error
    if settings.parity == SPACE:
        _mark_parity(port.fileno())
    channel: Channel = port
    return channel


def _serial(address: str, settings: SerialSettings) -> Serial:
    try:
        return Serial(address, settings.baud, parity=settings.parity, timeout=0, exclusive=True)
    except termios.error:
        # A pseudo-terminal has no parity, and refuses it when nothing else is to be changed.
        return Serial(address, settings.baud, timeout=0, exclusive=True)


def _mark_parity(descriptor: int) -> None:
    """Have bytes with the other parity marked: FF 00 byte, and FF FF for a plain FF."""
    attributes = termios.tcgetattr(descriptor)
    attributes[0] = (attributes[0] | termios.INPCK | termios.PARMRK) & ~termios.IGNPAR
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _write_marked(descriptor: int, data: bytes) -> None:
    """Write with mark parity, the ninth bit as 1: at 19,200 baud a byte takes half a millisecond."""
    attributes = termios.tcgetattr(descriptor)
    before = attributes[2]
    # A pseudo-terminal has no parity, and may refuse to change it.
    with suppress(termios.error):
        termios.tcsetattr(descriptor, termios.TCSADRAIN, [*attributes[:2], before | termios.PARODD, *attributes[3:]])
    os.write(descriptor, data)
    with suppress(termios.error):
        termios.tcsetattr(descriptor, termios.TCSADRAIN, [*attributes[:2], before, *attributes[3:]])


def _without_blocking(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _connecting(address: str) -> socket.socket:
    """Begin to connect to an IP address: a failure shows when the socket is read."""
    host, _, port = address.rpartition(":")
    plain = host.strip("[]")
    connection = socket.socket(socket.AF_INET6 if ":" in plain else socket.AF_INET)
    connection.setblocking(False)  # noqa: FBT003 - the standard library has no keyword for it
    try:
        with suppress(BlockingIOError):
            connection.connect((plain, int(port)))
    except BaseException:
        connection.close()
        raise
    return connection


#: Replaces what no recording may have: the numbers of slips and tickets.
Masked = Callable[[RecordMark, bytes], bytes]


class Line:
    """Bytes to and from a device, recorded both ways. A line that is lost is opened again after a second."""

    def __init__(
        self, address: str, settings: SerialSettings, received: Callable[[bytes], None], masked: Masked
    ) -> None:
        self._address, self._settings, self._received, self._masked = address, settings, received, masked
        #: Why the line is not there; empty while it is.
        self.fault = ""
        #: Called when the line was opened.
        self.opened: Callable[[], None] = lambda: None
        self._channel: Channel | None = None
        self._unsent = b""
        self._retry: Timer | None = None

    @property
    def is_open(self) -> bool:
        return self._channel is not None

    @property
    def unsent(self) -> int:
        """How many bytes the device has not taken yet."""
        return len(self._unsent)

    def open(self, port: DevicePort) -> None:
        self._retry = None
        try:
            self._channel = open_channel(self._address, self._settings)
            asyncio.get_running_loop().add_reader(self._channel.fileno(), self._read, port)
        except OSError as error:
            self._lost(port, f"{self._address} cannot be opened: {error}")
            return
        self.fault = ""
        port.record(RecordMark.NOTE, b"opened")
        self.opened()

    def close(self) -> None:
        if self._retry is not None:
            self._retry.cancel()
        self._disconnect()

    def signal(self, byte: int) -> None:
        """Send one byte with the ninth bit: FF 00 and the byte on a socket. It is not recorded, and may be lost."""
        if self._channel is not None and not self._unsent:
            descriptor = self._channel.fileno()
            with suppress(OSError):
                if os.isatty(descriptor):
                    _write_marked(descriptor, bytes((byte,)))
                else:
                    os.write(descriptor, bytes((0xFF, 0x00, byte)))

    def send(self, port: DevicePort, data: bytes) -> None:
        """Send bytes in their order, as the device takes them; they are dropped while the line is not there."""
        if self._channel is None:
            return
        port.record(RecordMark.SENT, self._masked(RecordMark.SENT, data))
        self._unsent += data
        if len(self._unsent) > UNSENT_MAX:
            self._lost(port, f"{self._address} takes nothing")
        else:
            self._write(port)

    def _write(self, port: DevicePort) -> None:
        assert self._channel is not None
        loop, descriptor = asyncio.get_running_loop(), self._channel.fileno()
        try:
            self._unsent = self._unsent[os.write(descriptor, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lost(port, f"{self._address} was lost: {error}")
            return
        if self._unsent:
            loop.add_writer(descriptor, self._write, port)
        else:
            loop.remove_writer(descriptor)

    def _read(self, port: DevicePort) -> None:
        assert self._channel is not None
        try:
            data = os.read(self._channel.fileno(), READ_MAX)
        except OSError as error:
            self._lost(port, f"{self._address} was lost: {error}")
            return
        if not data:
            self._lost(port, f"{self._address} was closed")
            return
        port.record(RecordMark.RECEIVED, self._masked(RecordMark.RECEIVED, data))
        self._received(data)

    def _disconnect(self) -> None:
        if self._channel is not None:
            loop, descriptor = asyncio.get_running_loop(), self._channel.fileno()
            loop.remove_reader(descriptor)
            loop.remove_writer(descriptor)
            self._channel.close()
        self._channel, self._unsent = None, b""

    def _lost(self, port: DevicePort, why: str) -> None:
        if not self.fault:
            port.record(RecordMark.NOTE, why.encode("ascii", "backslashreplace"))
        self.fault = why
        self._disconnect()
        self._retry = port.clock.at(Instant(port.clock.now() + RETRY), lambda: self.open(port))
