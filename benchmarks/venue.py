"""A venue to measure: two hundred terminals at a random wheel, on a real disk, that play for as long as is asked."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests import driver
from tests.driver import done, provisioning

from croupier import rulebook
from croupier.engine.ports import Request
from croupier.engine.run import Run
from croupier.engine.storage import open_storage
from croupier.house.commands.credit import GrantPlayMoney
from croupier.house.commands.play import ClearBets, PlaceBets
from croupier.house.commands.rounds import BallAtRest, CloseBets, OpenBets
from croupier.house.ids import DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.settings import TableSettings, WheelKind
from croupier.journal.keystore import KeyStore
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents

TABLE = TableId("table 1")
TERMINALS = [TerminalId(f"terminal {number}") for number in range(200)]
SPOTS = 50
#: Each terminal's commands in a round, the last of which takes all chips back now and then.
BETS_PER_ROUND = 25


def start(data: Path) -> Run:
    """Start the system on a data directory."""
    return driver.start(open_storage(data, KeyStore.default_for(data)))


def found(data: Path) -> Run:
    """Start a new venue."""
    run, book = start(data), rulebook("skycity-adelaide-2003")
    settings = TableSettings(wheel=WheelKind.RANDOM, warning_s=0)
    done(
        run,
        *provisioning(book, TABLE, TERMINALS, settings),
        *(GrantPlayMoney(name, Cents(10**12)) for name in TERMINALS),
    )
    return run


def play(run: Run, entries: int) -> None:
    """Play rounds until the journal has so many entries."""
    spots = list(islice(rulebook("skycity-adelaide-2003").spots, SPOTS))
    while run.writer.head.position < entries:
        done(run, OpenBets(TABLE))
        number = run.house.tables[TABLE].rounds
        for turn in range(BETS_PER_ROUND):
            for command in _turn(turn, number, spots):
                run.submit(Request(command, DeviceId(command.terminal)))
            run.step()
        done(run, CloseBets(TABLE))
        done(run, Request(BallAtRest(TABLE, Pocket("17")), DeviceId(TABLE)))


def _turn(turn: int, number: RoundNumber, spots: list[SpotKey]) -> Iterator[PlaceBets | ClearBets]:
    for place, name in enumerate(TERMINALS):
        if turn == 0 and place % 5 == 0:
            yield ClearBets(name, TABLE, number, 1)
        else:
            yield PlaceBets(name, TABLE, number, 1, ((spots[(turn * 7 + place) % SPOTS], 100),))
