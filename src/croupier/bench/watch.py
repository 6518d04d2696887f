"""The watch: how long something took, and which share of a core the server, the client and all others had meanwhile."""

import os
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from croupier.bench.machine import Busy
from croupier.bench.process import Server, cpu_s

#: A client with so much of a core, while its server has less than that, is what limits the rate.
CLIENT_FULL: Final = 0.95
SERVER_FULL: Final = 0.90
#: More than this share of a core for others, and a round is disturbed.
OTHERS_MOST: Final = 0.10


@dataclass(frozen=True, slots=True)
class Shares:
    """What was used over a time, in shares of one core."""

    seconds: float
    server: float
    client: float
    others: float

    @property
    def limited(self) -> bool:
        """Whether the client had no more to give while the server still had."""
        return self.client >= CLIENT_FULL and self.server < SERVER_FULL

    @property
    def disturbed(self) -> bool:
        return self.others > OTHERS_MOST


class Watch:
    """Begins when it is made."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._begin, self._used = perf_counter(), self._read()

    def _read(self) -> tuple[float, float, float]:
        busy = Busy.now()
        return self._server.cpu_s(), cpu_s(os.getpid()), busy.used + busy.stolen

    def stop(self) -> Shares:
        seconds = perf_counter() - self._begin
        server, client, used = (now - then for now, then in zip(self._read(), self._used, strict=True))
        others = max(0.0, used - server - client)
        return Shares(seconds, server / seconds, client / seconds, others / seconds)
