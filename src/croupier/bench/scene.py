"""A scene: one server that runs for one measurement, how one speaks to it, and what it has kept in the end."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from croupier.bench.crowd import Crowd, Manners
from croupier.bench.machine import Cores
from croupier.bench.process import Server


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where things are measured: a folder on the disk, and the cores."""

    folder: Path
    cores: Cores

    @contextmanager
    def room(self) -> Iterator[Path]:
        """A folder for one measurement, gone after it."""
        path = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield path
        finally:
            shutil.rmtree(path)


class Scene(Protocol):
    """A server that runs."""

    @property
    def server(self) -> Server: ...

    @property
    def manners(self) -> Manners: ...

    def begin(self, crowd: Crowd, /) -> None:
        """Put everybody where they can bet, each with a command in hand."""


class System(Protocol):
    """Something to be measured."""

    @property
    def name(self) -> str: ...

    def open(self, seats: int, room: Path, cores: Cores, /) -> AbstractContextManager[Scene]:
        """Start it with so many seats."""

    def kept(self, room: Path, /) -> int | None:
        """Count the bets on the disk, once it has stopped; None where nothing is kept."""


@contextmanager
def crowded(server: Server, manners: Manners, count: int) -> Iterator[Crowd]:
    """Bring so many in, and send them away in the end."""
    with closing(Crowd(server.address, manners)) as crowd:
        crowd.grow(count)
        yield crowd
