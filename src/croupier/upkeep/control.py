"""The control socket: a running system answers its own host there, and nobody else."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol, assert_never

from croupier.journal.safe import Safe
from croupier.upkeep.answer import AnyAnswer, BackedUp, Declined, DeviceFound, Exported, Reloaded, Status, Verdict
from croupier.upkeep.fault import UpkeepFault
from croupier.upkeep.request import (
    LINE_MOST,
    AnyRequest,
    ExportPart,
    FindDevice,
    MakeBackup,
    ReloadSettings,
    Reply,
    TellStatus,
    VerifySoftware,
    address,
    named,
    read_request,
    written,
)

#: How many may be connected at once: a person, a timer, and some that were left open.
CONNECTIONS_MOST: Final = 4
#: How long somebody who is connected may be silent.
PATIENCE_S: Final = 30


class Steward(Protocol):
    """Sees to upkeep in a running system. What it cannot do is an UpkeepFault, which stops nobody."""

    async def backup(self, to: Path, keep: int | None) -> BackedUp: ...

    async def verify(self) -> Verdict: ...

    async def reload(self) -> Reloaded: ...

    def status(self) -> Status: ...

    async def export(self, first: int, last: int | None) -> Exported: ...

    def device(self, device: str) -> DeviceFound: ...


class Control:
    """Answers on the control socket of a safe, from the moment it is opened until it is closed."""

    def __init__(self, steward: Steward, safe: Safe, data: Path, *, patience_s: float = PATIENCE_S) -> None:
        self._steward, self._safe, self._patience_s = steward, safe, patience_s
        self._data = named(data)
        self._server: asyncio.Server | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to answer. A socket that nobody answers on any more is replaced, and one that is alive is left alone.

        UpkeepFault where there can be no socket: a house can be open without one, and is only not asked.
        """
        where = address(self._safe)
        try:
            listener = _bound(where)
        except OSError as error:
            raise UpkeepFault(f"{where} cannot be a socket: {error.strerror}") from error
        self._server = await asyncio.start_unix_server(self._connected, sock=listener, limit=LINE_MOST)

    async def close(self) -> None:
        """Answer nobody any more, and give up what is under way."""
        if self._server is None:
            return
        self._server.close()
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._server.wait_closed()
        address(self._safe).unlink(missing_ok=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        crowded = len(self._under_way) >= CONNECTIONS_MOST
        task = asyncio.create_task(self._serve(reader, writer, crowded=crowded))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, crowded: bool) -> None:
        # Whoever is gone before the answer does not want it.
        with suppress(ConnectionError):
            try:
                if crowded:
                    await self._say(writer, Declined("Too many are connected: try again."))
                else:
                    await self._converse(reader, writer)
            finally:
                writer.close()
                await writer.wait_closed()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (line := await self._line(reader)) is not None:
                await self._say(writer, await self._answer(line))
        except asyncio.LimitOverrunError:
            await self._say(writer, Declined(f"No request is longer than {LINE_MOST} bytes."))

    async def _line(self, reader: asyncio.StreamReader) -> bytes | None:
        """Read a line; None where no more come."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await reader.readuntil()
        except (asyncio.IncompleteReadError, TimeoutError):
            return None

    async def _answer(self, line: bytes) -> AnyAnswer:
        try:
            request = read_request(line)
        except ValueError as error:
            return Declined(f"That is no request: {error}.")
        if request.data not in ("", self._data):
            return Declined(f"This system has its data in {self._data}, not in {request.data}.")
        try:
            return await self._done(request)
        except UpkeepFault as fault:
            return Declined(f"It was not done: {fault}.")

    async def _done(self, request: AnyRequest) -> AnyAnswer:
        match request:
            case MakeBackup(to=to, keep=keep):
                return await self._steward.backup(Path(to), keep)
            case VerifySoftware():
                return await self._steward.verify()
            case ReloadSettings():
                return await self._steward.reload()
            case TellStatus():
                return self._steward.status()
            case ExportPart(first=first, last=last):
                return await self._steward.export(first, last)
            case FindDevice(device=device):
                return self._steward.device(device)
            case _:
                assert_never(request)

    async def _say(self, writer: asyncio.StreamWriter, answer: AnyAnswer) -> None:
        writer.write(written(Reply(self._data, answer)))
        await writer.drain()


def _bound(where: Path) -> socket.socket:
    if _alive(where):
        raise UpkeepFault(f"another system answers on {where}")
    where.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(where))
        # Nobody can connect before there is a listener, and that is after this.
        where.chmod(0o600)
    except OSError:
        listener.close()
        raise
    return listener


def _alive(where: Path) -> bool:
    """Tell whether somebody listens on a socket: one that a dead system has left refuses every connection."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        # A system with a full backlog lets nobody connect at once, and is alive.
        probe.settimeout(0)
        try:
            probe.connect(str(where))
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True
