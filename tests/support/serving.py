"""Serving: `croupier serve` as a process of its own, found by the address it prints, and always brought home."""

import os
import re
import resource
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGTERM, Signals
from subprocess import DEVNULL, PIPE
from typing import Any, Final, NamedTuple

import msgspec

from tests.support.connections import LONG_S

_OPEN: Final = re.compile(r" is open: https?://([0-9.]+):(\d+)/$")
_STANDS_BY: Final = "Standing by"


class Ended(NamedTuple):
    """How a process ended: its code, below nothing for a signal, and what nobody had read of its words."""

    code: int
    out: str
    err: str


class Serving:
    """One process of a house, from its start to its end."""

    #: What its command begins with.
    prefix: tuple[str, ...] = ()

    def __init__(
        self,
        config: Path,
        *arguments: str,
        command: str = "serve",
        flags: tuple[str, ...] = (),
        port: int = 0,
        measured: bool = True,
    ) -> None:
        words = [command, "--config", str(config), "--port", str(port), *arguments]
        self._begin(words, flags=flags, measured=measured)

    def _begin(self, words: list[str], *, flags: tuple[str, ...] = (), measured: bool = True) -> None:
        words = [*self.prefix, sys.executable, "-P", *flags, "-m", "croupier", *words]
        environment = _environment(measured=measured)
        # Nothing is read ahead: what is not read while it runs is there when it has ended.
        self._process = subprocess.Popen(words, bufsize=0, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=environment)
        #: Where others find it, once it has said so.
        self.host, self.port = "", 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def stands_by(self) -> bool:
        """Wait until it has said that it stands by."""
        return _STANDS_BY in self._line(lambda _: True)

    def opened(self) -> bool:
        """Wait for the line in which it says where it is, its first but for a standby's; tell whether it did."""
        found = _OPEN.search(self._line(lambda line: _STANDS_BY not in line))
        if found is not None:
            self.host, self.port = found[1], int(found[2])
        return found is not None

    def said(self, word: str) -> str:
        """Wait for a line of its output that has a word in it."""
        return self._line(lambda line: word in line)

    def logged(self, word: str) -> str:
        """Wait for a line of the log that has a word in it."""
        return self._line(lambda line: word in line, err=True)

    def health(self) -> dict[str, Any]:
        """Ask it how it is."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=LONG_S) as answer:
            said: dict[str, Any] = msgspec.json.decode(answer.read())
        return said

    def signal(self, number: Signals) -> None:
        os.kill(self.pid, number)

    def let_write_nothing(self) -> None:
        """Have the kernel refuse whatever it writes to a file from now on."""
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (0, 0))

    def ended(self) -> Ended:
        """Wait until it is gone."""
        with self._in_time():
            out, err = self._process.communicate()
        return Ended(self._process.returncode, out.decode(), err.decode())

    def stopped(self, number: Signals = SIGTERM) -> Ended:
        self.signal(number)
        return self.ended()

    def bring_home(self) -> None:
        """See to it that nothing is left of it."""
        if self._process.returncode is None:
            self._process.kill()
            self._process.communicate()

    def _line(self, wanted: Callable[[str], bool], *, err: bool = False) -> str:
        stream = self._process.stderr if err else self._process.stdout
        assert stream is not None
        with self._in_time():
            lines = (line.decode().rstrip("\n") for line in stream)
            return next((line for line in lines if wanted(line)), "")

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """End what takes longer than anything may."""
        watchdog = threading.Timer(LONG_S, self._process.kill)
        watchdog.start()
        try:
            yield
        finally:
            watchdog.cancel()


def _environment(*, measured: bool) -> dict[str, str]:
    """Take what we have ourselves, but for what has a process written down which lines of it ran, where it cannot."""
    return {name: value for name, value in os.environ.items() if measured or not name.startswith("COVERAGE")}


class ServingGateway(Serving):
    """One process of a gateway."""

    def __init__(self, broker: str, key: Path, *arguments: str, port: int = 0) -> None:
        self._begin(["gateway", "serve", "--broker", broker, "--key", str(key), "--port", str(port), *arguments])


#: Starts a process that is brought home in the end.
Starts = Callable[..., Serving]


@contextmanager
def processes() -> Iterator[Starts]:
    """Start as many processes as are wanted, and leave none behind."""
    started: list[Serving] = []

    def start(config: Path, *arguments: str, kind: type[Serving] = Serving, **more: Any) -> Serving:  # noqa: ANN401 - as the process takes
        started.append(kind(config, *arguments, **more))
        return started[-1]

    try:
        yield start
    finally:
        for each in started:
            each.bring_home()
