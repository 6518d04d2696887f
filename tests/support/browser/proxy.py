"""A TCP proxy between a page and its server that a test can hold, cut and restore."""

import asyncio
from typing import Final

from tests.support.connections import until

_CHUNK: Final = 65_536


class Proxy:
    """Forwards a port to another, and nothing while it is held or cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._directions: set[asyncio.Task[None]] = set()
        #: Whether bytes pass to the server, and from it.
        self._up, self._down = asyncio.Event(), asyncio.Event()
        self._is_cut = False
        self.port = 0
        #: How many bytes from the server wait while they are held.
        self.waiting = 0

    async def open(self) -> None:
        self._up.set()
        self._down.set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        self._server.close()
        await self.cut()

    async def cut(self) -> None:
        """Break every connection, and accept none."""
        self._is_cut = True
        for direction in self._directions:
            direction.cancel()
        await asyncio.gather(*self._directions, return_exceptions=True)
        self._up.set()
        self._down.set()

    async def mend(self) -> None:
        self._is_cut = False

    async def hold_requests(self) -> None:
        """Forward nothing to the server."""
        self._up.clear()

    async def hold_responses(self) -> None:
        """Forward nothing from the server."""
        self._down.clear()
        self.waiting = 0

    async def go_on(self) -> None:
        """Forward everything again, in order."""
        self._up.set()
        self._down.set()

    async def responses_wait(self) -> None:
        """Wait until bytes from the server are held."""
        await until(lambda: self.waiting > 0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
        up = asyncio.create_task(self._forward(reader, server_writer, self._up))
        down = asyncio.create_task(self._forward(server_reader, writer, self._down))
        self._directions |= {up, down}
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._directions -= {up, down}
            for direction in (up, down):
                direction.cancel()
            for end in (writer, server_writer):
                end.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pass_: asyncio.Event) -> None:
        while chunk := await reader.read(_CHUNK):
            if not pass_.is_set():
                self.waiting += len(chunk)
            await pass_.wait()
            writer.write(chunk)
            await writer.drain()
