"""Croupier itself: `croupier serve` with the real house on a new data directory, and how its terminals come and bet."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from croupier.access.register import Register
from croupier.bench.crowd import PATIENCE, Crowd
from croupier.bench.desk import CONSOLE, PERSON, SECRET, TABLE, WIRE, Desk, seated
from croupier.bench.fault import BenchFault
from croupier.bench.frames import blank, masked
from croupier.bench.line import Line, read
from croupier.bench.machine import Cores
from croupier.bench.process import Server, running
from croupier.bench.scene import Workplace, crowded
from croupier.engine.archive import JOURNAL
from croupier.house.device import DeviceKind
from croupier.house.name import DeviceId
from croupier.journal.safe import Safe
from croupier.journal.sqlite import SqliteStore
from croupier.rules.refusal import Code
from croupier.web.incoming import PROTOCOL

#: More than anybody stakes in a run, in one note that these terminals take.
NOTE: Final = 10_000_000
STAKE: Final = 1
#: The straight ups, and as many splits.
SPOTS: Final = (*map(str, range(37)), *(f"{low}/{low + 3}" for low in range(1, 34)))
_BET: Final = '"command":{"type":"PlaceBets","terminal":"%s","table":"A","round":%d,"spin":1,"bets":[["%s",%d]]}}'
_PLACED: Final = b'"type":"bets_changed.1"'

_CONFIG: Final = """\
venue = "Benchmark"
data = "data"

[listen]
port = 0

[limits]
commands_per_s = {per_s}
commands_burst = {at_once}
doors_most = {doors}

[log]
path = "croupier.log"
level = "warning"

[[consoles]]
id = "{console}"
role = "dealer"

[[staff]]
person = "{person}"
titles = ["Dealer"]
secret = "{secret}"

[[tables]]
id = "{table}"
rulebook = "skycity-adelaide-2003"
{settings}
"""
_TERMINAL: Final = """
[[terminals]]
id = "{name}"
tables = ["{table}"]
notes = [{note}]
"""


@dataclass(slots=True)
class Terminals:
    """How a terminal comes in: it proves its key and is told everything."""

    keys: Mapping[str, str]
    path: str = WIRE
    field: str = "last_cmd"
    alive: bytes = masked(b'{"t":"ping","c":0}')
    epoch: int = 0

    def name(self, place: int, /) -> str:
        return terminal(place)

    def arrive(self, line: Line, /) -> bool:
        line.send(masked(_hello(line.name, self.keys[line.name])))
        return False

    def told(self, _line: Line, payload: bytes, /) -> bool:
        message = read(payload)
        if message["t"] != "snap":
            return False
        self.epoch = message["epoch"]
        return True


def terminal(place: int) -> str:
    return f"{TABLE}-{place + 1}"


def _hello(device: str, key: str) -> bytes:
    return _json(t="hello", door="terminal", protocol=PROTOCOL, device=device, key=key)


def _json(**message: object) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


@dataclass(slots=True)
class VenueScene:
    """A venue that is open."""

    server: Server
    manners: Terminals
    round: int = 0

    def begin(self, crowd: Crowd, /) -> None:
        """Have the dealer open a round, and give everybody credit and a bet to place in it."""
        self.buy_in(crowd)
        with self.dealer() as desk:
            self.round = desk.open_bets()
        crowd.quieten()
        self.hand_out(crowd)

    def dealer(self) -> AbstractContextManager[Desk]:
        """Seat a dealer at the console."""
        return seated(self.server.address, self.manners.keys[CONSOLE])

    def buy_in(self, crowd: Crowd) -> None:
        """Put a note into every terminal; once more where the house was held up."""
        waiting = dict.fromkeys(crowd.lines, 1)
        for line in waiting:
            self._insert_note(line, 1)
        for line, payload in crowd.listen(PATIENCE):
            number = waiting.get(line, 0)
            answer = _answer(payload, number)
            if answer == Code.BUSY:
                waiting[line] = number + 1
                self._insert_note(line, number + 1)
            elif answer is not None and waiting.pop(line, 0) and not waiting:
                return
        raise BenchFault(f"{len(waiting)} terminals could not be given credit")

    def _insert_note(self, line: Line, number: int) -> None:
        line.send(masked(_json(t="note", id=number, epoch=self.manners.epoch, value=NOTE)))

    def hand_out(self, crowd: Crowd) -> None:
        for line in crowd.lines:
            line.ask = self.bet(line)

    def bet(self, line: Line) -> bytes:
        spot = SPOTS[line.place % len(SPOTS)]
        command = _BET % (line.name, self.round, spot, STAKE)
        return blank(b'{"t":"ask","id":%%d,"epoch":%d,%b' % (self.manners.epoch, command.encode()))


def _answer(payload: bytes, number: int) -> str | None:
    """Tell what a terminal's command was refused for, nothing where it was accepted, None where this is no answer."""
    message = read(payload)
    if message["t"] != "seat":
        return None
    refused: dict[int, str] = {no["id"]: no["code"] for no in message.get("refused", ())}
    if refused.get(number, Code.BUSY) != Code.BUSY:
        raise BenchFault(f"a note was refused: {refused[number]}")
    return refused.get(number, "" if message["last_cmd"] >= number else None)


@dataclass(frozen=True, slots=True)
class Croupier:
    """A venue with one table at which everybody sits."""

    #: What the table's settings are besides the rules.
    settings: str = 'wheel = "random"\nwarning_s = 0'
    #: How many commands a door may send a second, and how many at once: a load client is no finger.
    per_s: int = 999_999
    at_once: int = 999_999
    #: What the configuration says besides.
    more: str = ""
    #: What runs as the server: a benchmark may have it watched.
    module: str = "croupier"
    #: Consoles besides the dealer's.
    consoles: tuple[tuple[str, DeviceKind], ...] = ()
    name: ClassVar = "croupier"

    @contextmanager
    def open(self, seats: int, room: Path, cores: Cores, /) -> Iterator[VenueScene]:
        config, names = room / "croupier.toml", [terminal(place) for place in range(seats)]
        config.write_text(self._written(names), "utf-8")
        keys = _enrolled(room / "data.safe", names, self.consoles)
        arguments = ("serve", "--config", str(config))
        with running(self.module, *arguments, output=room / "serve.log", cores=cores, folder=room) as server:
            yield VenueScene(server, Terminals(keys))

    def _written(self, names: list[str]) -> str:
        head = _CONFIG.format(
            per_s=self.per_s,
            at_once=self.at_once,
            doors=len(names) + 10,
            console=CONSOLE,
            person=PERSON,
            secret=SECRET,
            table=TABLE,
            settings=self.settings,
        )
        return head + self.more + "".join(_TERMINAL.format(name=name, table=TABLE, note=NOTE // 100) for name in names)

    def kept(self, room: Path, /) -> int:
        with closing(SqliteStore(room / "data" / JOURNAL, writing=False)) as store:
            return sum(page.lines.count(_PLACED) for page in store.pages())


@contextmanager
def full_house(venue: Croupier, terminals: int, workplace: Workplace) -> Iterator[tuple[VenueScene, Crowd]]:
    """Open a venue in which every seat is taken."""
    with (
        workplace.room() as room,
        venue.open(terminals, room, workplace.cores) as scene,
        crowded(scene.server, scene.manners, terminals) as crowd,
    ):
        yield scene, crowd


def _enrolled(safe: Path, names: list[str], consoles: Iterable[tuple[str, DeviceKind]]) -> dict[str, str]:
    """Give every terminal and console its key beforehand, as a venue does that has so many."""
    safe.mkdir(mode=0o700)
    kinds = {DeviceId(name): DeviceKind.TERMINAL for name in names} | {DeviceId(CONSOLE): DeviceKind.DEALER}
    kinds |= {DeviceId(name): kind for name, kind in consoles}
    keys = Register.within(Safe(safe)).enrol(kinds)
    assert isinstance(keys, dict)
    return {str(device): key for device, key in keys.items()}
