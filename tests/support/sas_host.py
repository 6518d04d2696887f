"""A SAS host, written from the protocol alone: it knows nothing of the slave's code."""

import socket
import time
from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple

from tests.support.connections import LONG_S

#: A byte of the line, and its ninth bit.
Unit = tuple[int, bool]
#: What a slave makes of units of the line.
SlaveLine = Callable[[Iterable[Unit]], bytes]


def checksum(data: bytes) -> bytes:
    """The CRC of the link, bit by bit: reflected, polynomial 8408, the low byte first."""
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x8408 if value & 1 else 0)
    return bytes((value & 0xFF, value >> 8))


def decimal(data: bytes) -> int:
    """Read packed digits."""
    return int("".join(f"{byte >> 4:x}{byte & 15:x}" for byte in data))


def packed(value: int, size: int) -> bytes:
    digits = str(value).zfill(2 * size)
    return bytes(int(digits[at]) * 16 + int(digits[at + 1]) for at in range(0, 2 * size, 2))


class Noise(NamedTuple):
    """A line that loses and doubles bytes, so many in a thousand."""

    chance: Random
    lost: int = 2
    doubled: int = 1

    def units(self, units: list[Unit]) -> list[Unit]:
        passed = list[Unit]()
        for unit in units:
            fate = self.chance.randrange(1_000)
            passed += [] if fate < self.lost else [unit] * (2 if fate < self.lost + self.doubled else 1)
        return passed


class Host:
    """Polls one machine. A poll without a valid response is sent again."""

    def __init__(self, line: SlaveLine, address: int = 1, noise: Noise | None = None) -> None:
        self._line, self.address, self._noise = line, address, noise
        #: Exceptions as they came, and how many polls had to be repeated.
        self.exceptions: list[int] = []
        self.repeated = self.polls = 0

    def _send(self, data: bytes) -> bytes:
        units = [(byte, place == 0) for place, byte in enumerate(data)]
        if self._noise is None:
            return self._line(units)
        response = self._line(self._noise.units(units))
        return bytes(byte for byte, _ in self._noise.units([(byte, False) for byte in response]))

    def synchronise(self) -> None:
        """Poll address 0, where no machine is: the last response was received."""
        self._send(b"\x80")

    def general(self) -> int | None:
        """Send a general poll; None when no response came."""
        self.polls += 1
        response = self._send(bytes((0x80 | self.address,)))
        return response[0] if response else None

    def plain(self, command: int, size: int) -> bytes | None:
        """Send a poll without data; return the data of its response, or None when it is not as it must be."""
        return self._checked(self._send(bytes((self.address, command))), command, size)

    def long(self, command: int, data: bytes = b"", size: int | None = None) -> bytes | None:
        """Send a poll with data and a CRC; without a size the response states it."""
        body = bytes((self.address, command)) + data
        return self._checked(self._send(body + checksum(body)), command, size)

    def _checked(self, response: bytes, command: int, size: int | None) -> bytes | None:
        self.polls += 1
        whole = len(response) >= 4 and checksum(response[:-2]) == response[-2:]
        if not whole or response[0] != self.address or response[1] != command:
            return None
        data = response[2:-2]
        wanted = size if size is not None else 1 + data[0] if data else 1
        return data if len(data) == wanted else None

    def order(self, command: int, data: bytes = b"", most: int | None = None) -> bool:
        """Send a switch until it is acknowledged, so many times or for a long time; return whether it was."""
        body, due = bytes((self.address, command)) + data, time.monotonic() + LONG_S
        for _ in range(most) if most is not None else iter(lambda: time.monotonic() < due, False):  # noqa: FBT003
            self.polls += 1
            if self._send(body + checksum(body)) == bytes((self.address,)):
                return True
        return False

    def must(self, send: Callable[[], bytes | None], most: int = 50) -> bytes:
        """Repeat a poll until its response is valid."""
        for _ in range(most):
            data = send()
            if data is not None:
                return data
            self.repeated += 1
        raise AssertionError("no valid response")

    def meter(self, command: int) -> int:
        return decimal(self.must(lambda: self.plain(command, 4)))

    def cycle(self) -> None:
        """Take one exception, if there is one; it is confirmed by a poll whose response has a CRC."""
        found = self.general()
        if found is None:
            self.repeated += 1
            return
        if found:
            self.exceptions.append(found)
            self.meter(0x1A)
        else:
            self.synchronise()


class LinkedHost(Host):
    """A host at the other end of a network socket; it waits in a thread of its own."""

    def __init__(self, server: socket.socket) -> None:
        super().__init__(self._over_the_line)
        self._server = server
        self._line_end: socket.socket | None = None
        #: Called when a poll was sent, before its response.
        self.sent: Callable[[], None] = lambda: None
        #: The addresses by which machines that are not polled have made themselves known.
        self.found: list[int] = []

    def _over_the_line(self, units: Iterable[Unit]) -> bytes:
        if self._line_end is None:
            self._line_end, _ = self._server.accept()
            self._line_end.settimeout(LONG_S)
        data = b""
        for byte, wakes in units:
            data += bytes((0xFF, 0, byte)) if wakes else bytes((byte,)) * (2 if byte == 0xFF else 1)
        self._line_end.sendall(data)
        self.sent()
        response = b"" if data == b"\xff\x00\x80" else self._line_end.recv(65_536)
        # A machine that was not polled has sent its address until now.
        while response.startswith(b"\xff\x00"):
            self.found.append(response[2])
            response = response[3:] or self._line_end.recv(65_536)
        return response

    def hang_up(self) -> None:
        """Close the line; the next poll waits for another."""
        if self._line_end is not None:
            self._line_end.close()
            self._line_end = None


def authorisation(number: str, amount: int = 2_000, code: int = 0) -> bytes:
    """Write the data of a poll that authorises a ticket, or rejects it by a code."""
    body = bytes((code,)) + packed(amount, 5) + b"\x00" + bytes.fromhex(number)
    return bytes((len(body),)) + body
