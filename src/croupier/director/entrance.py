"""The entrance: where simulated players find the house on its own machine, its wire and its felts."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from ssl import VERIFY_X509_PARTIAL_CHAIN, SSLContext, create_default_context
from typing import Final, Self

import msgspec
from picows import WSError, ws_connect

from croupier.assembly import Venue
from croupier.assembly.address import EVERYWHERE
from croupier.director.line import Line, LineLostError
from croupier.web.cloth import Cloth
from croupier.web.server import WIRE

#: How long a felt may take to be fetched, in seconds.
FETCH_S: Final = 10
#: Who comes and goes is not written down.
_LOG: Final = logging.getLogger("croupier.director")
_LOG.setLevel(logging.WARNING)


@dataclass(slots=True)
class Entrance:
    """An address, and the felts that were fetched from it."""

    host: str
    port: int
    tls: SSLContext | None = None
    _felts: dict[str, Cloth] = field(default_factory=dict)

    @classmethod
    def of(cls, venue: Venue) -> Self:
        """Find the entrance of a house that is open in this process."""
        listen = venue.config.listen
        host = "127.0.0.1" if listen.host == EVERYWHERE else listen.host
        tls = None if listen.tls is None else _trusting(listen.tls.certificate)
        return cls(host, venue.port, tls)

    async def connect(self, made: Callable[[], Line]) -> Line:
        """Open a line; LineLostError where there is none to be had."""
        web, wire = ("http", "ws") if self.tls is None else ("https", "wss")
        headers = {"Origin": f"{web}://{self._place}"}
        try:
            _, line = await ws_connect(
                made, f"{wire}://{self._place}{WIRE}", ssl_context=self.tls, extra_headers=headers, logger_name=_LOG
            )
        except (OSError, WSError) as error:
            raise LineLostError from error
        assert isinstance(line, Line)
        return line

    async def felt(self, name: str) -> Cloth:
        """Fetch a felt by its hash, once."""
        if name not in self._felts:
            self._felts[name] = msgspec.json.decode(await self._fetched(f"/felt/{name}.json"), type=Cloth)
        return self._felts[name]

    async def _fetched(self, path: str) -> bytes:
        """Fetch what is there under a path; LineLostError where it cannot be had."""
        try:
            async with asyncio.timeout(FETCH_S):
                reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._place}\r\nConnection: close\r\n\r\n".encode())
                answer = await reader.read()
                writer.close()
        except OSError as error:
            raise LineLostError from error
        head, _, body = answer.partition(b"\r\n\r\n")
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise LineLostError
        return body

    @property
    def _place(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def _trusting(certificate: Path) -> SSLContext:
    """Trust the house's own certificate and no other, whatever name it is made out to."""
    context = create_default_context(cafile=str(certificate))
    context.verify_flags |= VERIFY_X509_PARTIAL_CHAIN
    context.check_hostname = False
    return context
