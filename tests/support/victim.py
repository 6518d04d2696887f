"""A victim: a process that writes a journal as fast as it can and tells every answer, until somebody kills it."""

import os
import sys
from collections.abc import Iterator
from itertools import count, repeat
from pathlib import Path
from typing import NoReturn

import msgspec

from croupier.engine.ports import Accepted, BatchOutput, Ports, Request, SystemClock
from croupier.engine.run import Run
from croupier.engine.storage import open_storage
from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import SYSTEM, DeviceId, TableId, TerminalId
from croupier.house.play.betting import ClearBets, PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import TableSettings
from croupier.journal.entry import IdempotencyKey
from croupier.journal.keystore import KeyStore
from croupier.rules.geometry import Pocket
from croupier.rules.money import Cents
from tests.conftest import venue
from tests.support.engine_driver import provisioning, stand, start

RULEBOOK = venue("marina-bay-sands-2020")
TABLE, SEAT = TableId("table 1"), TerminalId("seat 1")
#: An interrupted round is void at once, so that the next can be played.
SETTINGS = TableSettings(attest_s=0)
#: How many bets are placed and cleared in one batch.
BETS = 4

Words = list[tuple[AnyCommand, str]]


class Ack(msgspec.Struct, frozen=True, array_like=True):
    """What was told of one command: which entries came of it, if any."""

    device: str
    key: IdempotencyKey
    first: int
    last: int


def report(message: object) -> None:
    """Write a line in one piece: whoever is killed leaves no half of one."""
    os.write(1, msgspec.json.encode(message) + b"\n")


class Pipe:
    """Tells all that is released at once."""

    def publish(self, batch: BatchOutput) -> None:
        for answer in batch.responses:
            requested, outcome = answer.request, answer.outcome
            assert requested.key is not None
            assert isinstance(outcome, Accepted), outcome
            report(Ack(requested.device, requested.key, outcome.first, outcome.last))


def play(data: Path) -> NoReturn:
    """Start on what is there, and play for ever."""
    report(os.getpid())
    storage = open_storage(data, KeyStore.default_for(data))
    standing = stand(storage)
    run = start(storage, Ports(SystemClock(standing.house.now), Pipe()), standing=standing)
    numbers = count(1)
    for batch in batches(run):
        for command, device in batch:
            run.submit(Request(command, DeviceId(device), key=IdempotencyKey(run.epoch, next(numbers))))
        run.step()
    raise AssertionError("the play is over")


def batches(run: Run) -> Iterator[Words]:
    """Continue provisioning the house from where it was left, and play one round after the other."""
    house = run.house
    begun = (house.setup.mode is not None) + (house.day != 0)
    founded = begun + len(house.rulebooks) + len(house.tables) + len(house.terminals)
    for command in provisioning(RULEBOOK, TABLE, (SEAT,), SETTINGS)[founded:]:
        yield [(command, SYSTEM)]
    while True:
        yield [(GrantPlayMoney(SEAT, Cents(10_000)), SYSTEM)]
        yield [(OpenBets(TABLE), SYSTEM)]
        number = house.tables[TABLE].playing.number
        game = (SEAT, TABLE, number, 1)
        both: Words = [(PlaceBets(*game, (("17", 500),)), SEAT), (ClearBets(*game), SEAT)]
        yield from repeat(both * (BETS // 2), 3)
        yield [both[0]]
        yield [(CloseBets(TABLE), SYSTEM)]
        yield [(BallLaunched(TABLE, opposite=True), TABLE)]
        yield [(BallAtRest(TABLE, Pocket("0"), revolutions=9, opposite=True), TABLE)]


def main() -> None:
    """Wait for directories, and have a new process play in each until it is dead."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            play(Path(line.rstrip("\n")))
        _, status = os.waitpid(child, 0)
        report(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
