"""A venue to measure: two hundred terminals at a random wheel, on a real disk, that play for as long as is asked."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from croupier import rulebook
from croupier.engine.archive import open_archive
from croupier.engine.asked import Asked, Batch
from croupier.engine.handover import read_back
from croupier.engine.port import Ports
from croupier.engine.run import Run
from croupier.house.command.any import AnyCommand
from croupier.house.command.credit import GrantPlayMoney
from croupier.house.command.play import ClearBets, PlaceBets
from croupier.house.command.round import BallAtRest, CloseBets, OpenBets, Tick
from croupier.house.command.venue import AddTable, AddTerminal, AdoptRulebook, FoundHouse
from croupier.house.name import SECOND, Day, DeviceId, Instant, RoundNumber, TableId, TerminalId
from croupier.house.settings import Mode, TableSettings, TerminalSettings, WheelKind
from croupier.journal.safe import Safe
from croupier.rulebooks.canonical import canonical, read_canonical
from croupier.rules.money import Cents
from croupier.rules.pocket import Pocket
from croupier.rules.spot import SpotKey

SOFTWARE = "benchmark"
TABLE = TableId("table 1")
TERMINALS = [TerminalId(f"terminal {number}") for number in range(200)]
SPOTS = 50
#: Each terminal's commands in a round, the last of which takes all chips back now and then.
BETS_PER_ROUND = 25


@dataclass(slots=True)
class HandClock:
    """A clock that is moved by hand."""

    at: int = 1_800_000_000 * SECOND

    def now(self) -> Instant:
        return Instant(self.at)

    wall = now


@dataclass(slots=True)
class Letterbox:
    """Takes what is released, and keeps the last."""

    batches: list[Batch] = field(default_factory=list)

    def release(self, batch: Batch) -> None:
        self.batches = [batch]


def start(data: Path) -> Run:
    """Start the system on a data directory."""
    archive = open_archive(data, Safe.beside(data))
    handover = read_back(archive, read_canonical, SOFTWARE)
    clock = HandClock()
    clock.at = max(clock.at, handover.house.now)
    return Run(archive, handover, Ports(clock, Letterbox()), SOFTWARE)


def found(data: Path) -> Run:
    """Start a new venue."""
    run, book = start(data), rulebook("skycity-adelaide-2003")
    settings = TableSettings(wheel=WheelKind.RANDOM, warning_s=0)
    ask(
        run,
        FoundHouse(Mode.DEMO, book.venue, "UTC"),
        Tick(Day(20261115)),
        AdoptRulebook(canonical(book)),
        AddTable(TABLE, book.digest, settings),
        *(AddTerminal(name, (TABLE,), TerminalSettings()) for name in TERMINALS),
        *(GrantPlayMoney(name, Cents(10**12)) for name in TERMINALS),
    )
    return run


def ask(run: Run, *commands: AnyCommand, device: str = "system") -> None:
    """Have commands taken in one batch."""
    for command in commands:
        run.submit(Asked(command, DeviceId(device)))
    run.step()


def play(run: Run, entries: int) -> None:
    """Play rounds until the journal has so many entries."""
    spots = list(islice(rulebook("skycity-adelaide-2003").spots, SPOTS))
    while run.writer.mark.position < entries:
        ask(run, OpenBets(TABLE))
        number = run.house.tables[TABLE].rounds
        for turn in range(BETS_PER_ROUND):
            for command in _turn(turn, number, spots):
                run.submit(Asked(command, DeviceId(command.terminal)))
            run.step()
        ask(run, CloseBets(TABLE))
        ask(run, BallAtRest(TABLE, Pocket("17")), device=TABLE)


def _turn(turn: int, number: RoundNumber, spots: list[SpotKey]) -> Iterator[PlaceBets | ClearBets]:
    for place, name in enumerate(TERMINALS):
        if turn == 0 and place % 5 == 0:
            yield ClearBets(name, TABLE, number, 1)
        else:
            yield PlaceBets(name, TABLE, number, 1, ((spots[(turn * 7 + place) % SPOTS], 100),))
