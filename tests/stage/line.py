"""A line: a way from a page to its house that a test can hold up, cut and mend."""

import asyncio
from typing import Final

from tests.connections import until

_CHUNK: Final = 65_536


class Line:
    """A port that passes on what comes to another, and nothing of it while it is held up or cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ways: set[asyncio.Task[None]] = set()
        #: What may pass: to the house, and from it.
        self._up, self._down = asyncio.Event(), asyncio.Event()
        self._is_cut = False
        self.port = 0
        #: How many bytes wait on the way back, where it is held up.
        self.waiting = 0

    async def open(self) -> None:
        self._up.set()
        self._down.set()
        self._server = await asyncio.start_server(self._come, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        self._server.close()
        await self.cut()

    async def cut(self) -> None:
        """Break every connection, and let none come about."""
        self._is_cut = True
        for way in self._ways:
            way.cancel()
        await asyncio.gather(*self._ways, return_exceptions=True)
        self._up.set()
        self._down.set()

    async def mend(self) -> None:
        self._is_cut = False

    async def hold_questions(self) -> None:
        """Let nothing through to the house."""
        self._up.clear()

    async def hold_answers(self) -> None:
        """Let nothing through from the house."""
        self._down.clear()
        self.waiting = 0

    async def go_on(self) -> None:
        """Let everything through again, in its order."""
        self._up.set()
        self._down.set()

    async def answers_wait(self) -> None:
        """Wait until something from the house is held up."""
        await until(lambda: self.waiting > 0)

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        there_reader, there = await asyncio.open_connection("127.0.0.1", self._target)
        up = asyncio.create_task(self._pass(reader, there, self._up))
        down = asyncio.create_task(self._pass(there_reader, writer, self._down))
        self._ways |= {up, down}
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._ways -= {up, down}
            for way in (up, down):
                way.cancel()
            for end in (writer, there):
                end.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, may: asyncio.Event) -> None:
        while chunk := await reader.read(_CHUNK):
            if not may.is_set():
                self.waiting += len(chunk)
            await may.wait()
            writer.write(chunk)
            await writer.drain()
