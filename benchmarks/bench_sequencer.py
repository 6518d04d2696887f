"""The sequencer at work: what one accepted bet costs on its way from the queue to the disk, stage by stage."""

import gc
import sys
from collections.abc import Callable
from cProfile import Profile
from itertools import count, islice
from pathlib import Path
from pstats import SortKey, Stats
from statistics import median
from tempfile import TemporaryDirectory
from time import thread_time_ns
from typing import NamedTuple, TypeVar

import msgspec
from tests import driver
from tests.driver import done, memory_archive, provisioning

from croupier import rulebook
from croupier.engine.ports import Accepted, Batch, Request
from croupier.engine.sequencer import IdempotencyCache, request_digest
from croupier.engine.storage import Storage, open_storage
from croupier.house.commands.credit import GrantPlayMoney
from croupier.house.commands.play import PlaceBets
from croupier.house.commands.rounds import OpenBets
from croupier.house.dispatch import apply
from croupier.house.ids import Context, DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.settings import TableSettings
from croupier.journal.entry import EMPTY_HEAD, Cause, Entry, IdempotencyKey, chain_digest, encode, page_after
from croupier.journal.keystore import KeyStore
from croupier.rules.money import Cents

VENUES = ("skycity-adelaide-2003", "clearwater-etg")
TABLE = TableId("table 1")
TERMINALS = [TerminalId(f"terminal {number}") for number in range(2_000)]
SPOTS = 50
BATCHES = (10, 100, 1_000)
#: In each round, for each size of batch.
BETS = 4_000
ROUNDS = 7
MOST_US, GOAL_US = 18, 12
THOUSAND = 1_000

Given = TypeVar("Given")
Result = TypeVar("Result")


class Stages(NamedTuple):
    """What a bet takes of the processor in each stage; while the disk works others have it."""

    decide: float
    keys: float
    draw_up: float
    keep: float
    #: All that is left: the queue, the answers, and what a turn does once.
    rest: float
    #: Not a stage: the same entries written and hashed, and nothing else.
    bare: float

    @property
    def whole(self) -> float:
        return sum(self) - self.bare


class Venue:
    """Two thousand terminals at one table with betting open, and a number for every bet."""

    def __init__(self, name: str, storage: Storage) -> None:
        book = rulebook(name)
        self.run = driver.start(storage)
        self.keys = IdempotencyCache()
        self._spots = list(islice(book.spots, SPOTS))
        self._numbers = count(1)
        granted = (GrantPlayMoney(terminal, Cents(10**12)) for terminal in TERMINALS)
        commands = (*provisioning(book, TABLE, TERMINALS, TableSettings(warning_s=0)), *granted, OpenBets(TABLE))
        for first in range(0, len(commands), THOUSAND):
            done(self.run, *commands[first : first + THOUSAND])

    def bets(self, size: int) -> list[Request]:
        """Make the next bets, of one terminal after the other, each with words of its own as if off a wire."""
        return [self._bet(number) for number in islice(self._numbers, size)]

    def _bet(self, number: int) -> Request:
        seat, spot = TERMINALS[number % len(TERMINALS)], self._spots[number * 7 % SPOTS]
        command = PlaceBets(seat, TABLE, RoundNumber(1), 1, ((spot, 100),))
        came = msgspec.json.decode(msgspec.json.encode(command), type=PlaceBets)
        return Request(came, DeviceId(seat), key=IdempotencyKey(self.run.epoch, number))

    def take(self, bets: list[Request]) -> Batch:
        for asked in bets:
            self.run.submit(asked)
        return self.run.sequencer.build_batch()

    def decide(self, bets: list[Request]) -> None:
        """Do of a turn only what the house does, past the sequencer and the journal."""
        house, now = self.run.house, self.run.house.now
        for asked in bets:
            answer = apply(house, asked.command, Context(now, asked.device))
            assert isinstance(answer, tuple), answer

    def remember(self, bets: list[Request]) -> None:
        """Do of a turn only what is done about keys."""
        for asked in bets:
            assert asked.key is not None
            cause = Cause(asked.key, request_digest(asked))
            assert self.keys.lookup(asked.device, cause, self.run.epoch) is None
            self.keys.store(asked.device, cause, Accepted(1, 1))


def bare(entries: list[Entry]) -> None:
    head = EMPTY_HEAD.digest
    for entry in entries:
        head = chain_digest(head, encode(entry))


def batch(venue: Venue, alone: Venue, size: int) -> Stages:
    """Take one batch. What a turn does at once, another venue that keeps nothing does again stage by stage."""
    sequencer, again = venue.run.sequencer, alone.bets(size)
    turn, take = timed(venue.take, venue.bets(size))
    _, keep = timed(sequencer.commit, turn)
    _, release = timed(sequencer.publish, turn)
    assert all(isinstance(answer.outcome, Accepted) for answer in turn.output.responses)
    _, keys = timed(alone.remember, again)
    _, decide = timed(alone.decide, again)
    _, draw_up = timed(lambda entries: page_after(EMPTY_HEAD, 1, entries), turn.output.entries)
    _, floor = timed(bare, turn.output.entries)
    begin = thread_time_ns()
    # To let go of it is work too.
    del turn
    rest = take + release + thread_time_ns() - begin - keys - decide - draw_up
    return Stages(decide, keys, draw_up, keep, rest, floor)


def timed(work: Callable[[Given], Result], given: Given) -> tuple[Result, int]:
    begin = thread_time_ns()
    result = work(given)
    return result, thread_time_ns() - begin


def measure(name: str, folder: Path) -> None:
    data = folder / name
    venue, alone = Venue(name, open_storage(data, KeyStore.default_for(data))), Venue(name, memory_archive())
    # As the server does once it stands.
    gc.collect()
    gc.freeze()
    measured: dict[int, list[Stages]] = {size: [] for size in BATCHES}
    for _ in range(ROUNDS):
        for size in BATCHES:
            batches = [batch(venue, alone, size) for _ in range(BETS // size)]
            measured[size].append(Stages(*(sum(stage) / THOUSAND / BETS for stage in zip(*batches, strict=True))))
    for size, rounds in measured.items():
        report(name, size, Stages(*map(median, zip(*rounds, strict=True))))
    venue.run.storage.close()


def report(name: str, size: int, stages: Stages) -> None:
    verdict = "goal met" if stages.whole <= GOAL_US else "met, goal missed" if stages.whole <= MOST_US else "MISSED"
    figures = "".join(f"{stage:9.2f}" for stage in stages[:-1])
    ratio = stages.whole / stages.bare
    print(f"  {name:24}{size:6,}{figures}{stages.whole:9.2f}{ratio:8.1f} x   {MOST_US}, goal {GOAL_US}: {verdict}")


def profile(folder: Path) -> None:
    data = folder / "profile"
    venue, profiler = Venue(VENUES[0], open_storage(data, KeyStore.default_for(data))), Profile()
    for _ in range(ROUNDS * BETS // BATCHES[-1]):
        bets = venue.bets(BATCHES[-1])
        with profiler:
            turn = venue.take(bets)
            venue.run.sequencer.commit(turn)
            venue.run.sequencer.publish(turn)
    Stats(profiler).sort_stats(SortKey.TIME).print_stats(30)
    venue.run.storage.close()


def main(*wanted: str) -> None:
    with TemporaryDirectory() as name:
        if "--profile" in wanted:
            profile(Path(name))
            return
        print(f"One bet of {len(TERMINALS):,} terminals, in microseconds of the processor; median of {ROUNDS} rounds")
        print("and beside its entry bare, written and hashed")
        print(f"  {'':24}{'batch':>6}{''.join(f'{stage:>9}' for stage in Stages._fields[:-1])}{'whole':>9}{'bare':>10}")
        for venue in VENUES:
            measure(venue, Path(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
