"""The sequencer: the processor time of one accepted bet from the queue to the disk, stage by stage."""

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
from tests.support import engine_driver
from tests.support.engine_driver import done, memory_storage, provisioning

from croupier import rulebook
from croupier.engine.ports import Accepted, Batch, Request
from croupier.engine.sequencer import IdempotencyCache, request_digest
from croupier.engine.storage import Storage, open_storage
from croupier.house import apply
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import Context, DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.settings import TableSettings
from croupier.journal.entry import EMPTY_HEAD, IdempotencyKey
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import PageDraft, chain_digest, encode_body, page_after
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
    """Processor time of a bet in each stage; waiting for the disk is not counted."""

    decide: float
    keys: float
    build_page: float
    commit: float
    #: The rest: the queue, the responses, and what a batch does once.
    rest: float
    #: Not a stage: the same entries encoded and hashed, and nothing else.
    bare: float

    @property
    def whole(self) -> float:
        return sum(self) - self.bare


class Venue:
    """Two thousand terminals at one table with betting open, and a number for every bet."""

    def __init__(self, name: str, storage: Storage) -> None:
        book = rulebook(name)
        self.run = engine_driver.start(storage)
        self.keys = IdempotencyCache()
        self._spots = list(islice(book.spots, SPOTS))
        self._numbers = count(1)
        granted = (GrantPlayMoney(terminal, Cents(10**12)) for terminal in TERMINALS)
        commands = (*provisioning(book, TABLE, TERMINALS, TableSettings(warning_s=0)), *granted, OpenBets(TABLE))
        for first in range(0, len(commands), THOUSAND):
            done(self.run, *commands[first : first + THOUSAND])

    def bets(self, size: int) -> list[Request]:
        """Build the next bets, of one terminal after the other, each decoded as from the wire."""
        return [self._bet(number) for number in islice(self._numbers, size)]

    def _bet(self, number: int) -> Request:
        seat, spot = TERMINALS[number % len(TERMINALS)], self._spots[number * 7 % SPOTS]
        command = PlaceBets(seat, TABLE, RoundNumber(1), 1, ((spot, 100),))
        decoded = msgspec.json.decode(msgspec.json.encode(command), type=PlaceBets)
        return Request(decoded, DeviceId(seat), key=IdempotencyKey(self.run.epoch, number))

    def take(self, bets: list[Request]) -> Batch:
        for request in bets:
            self.run.submit(request)
        return self.run.sequencer.build_batch()

    def decide(self, bets: list[Request]) -> None:
        """Run only the house's part of a batch, without the sequencer and the journal."""
        house, now = self.run.house, self.run.house.now
        for request in bets:
            events = apply(house, request.command, Context(now, request.device))
            assert isinstance(events, tuple), events

    def remember(self, bets: list[Request]) -> None:
        """Run only the idempotency cache's part of a batch."""
        for request in bets:
            assert request.key is not None
            digest = request_digest(request)
            known = self.keys.devices.get(request.device) or self.keys.add(request.device)
            assert request.key.number > known.number
            known.store(request.key, digest, Accepted(1, 1))


def bare(entries: PageDraft) -> None:
    chain_digest(EMPTY_HEAD.digest, encode_body(EMPTY_HEAD, entries[0].epoch, entries))


def batch(venue: Venue, alone: Venue, size: int) -> Stages:
    """Process one batch; a second venue without a journal repeats it stage by stage."""
    sequencer, again = venue.run.sequencer, alone.bets(size)
    batch_, take = timed(venue.take, venue.bets(size))
    _, commit = timed(sequencer.commit, batch_)
    _, release = timed(sequencer.publish, batch_)
    assert all(isinstance(each.outcome, Accepted) for each in batch_.output.responses)
    _, keys = timed(alone.remember, again)
    _, decide = timed(alone.decide, again)
    _, build_page = timed(lambda entries: page_after(EMPTY_HEAD, entries[0].epoch, entries), batch_.output.entries)
    _, floor = timed(bare, batch_.output.entries)
    begin = thread_time_ns()
    # Freeing it takes time too.
    del batch_
    rest = take + release + thread_time_ns() - begin - keys - decide - build_page
    return Stages(decide, keys, build_page, commit, rest, floor)


def timed(work: Callable[[Given], Result], given: Given) -> tuple[Result, int]:
    begin = thread_time_ns()
    result = work(given)
    return result, thread_time_ns() - begin


def measure(name: str, folder: Path) -> None:
    data = folder / name
    venue, alone = Venue(name, open_storage(data, KeyStore.default_for(data))), Venue(name, memory_storage())
    # As the server does after its start.
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
            batch_ = venue.take(bets)
            venue.run.sequencer.commit(batch_)
            venue.run.sequencer.publish(batch_)
    Stats(profiler).sort_stats(SortKey.TIME).print_stats(30)
    venue.run.storage.close()


def main(*options: str) -> None:
    with TemporaryDirectory() as name:
        if "--profile" in options:
            profile(Path(name))
            return
        print(f"One bet of {len(TERMINALS):,} terminals, in microseconds of the processor; median of {ROUNDS} rounds")
        print("the last column is the ratio to its entry encoded and hashed")
        print(f"  {'':24}{'batch':>6}{''.join(f'{stage:>9}' for stage in Stages._fields[:-1])}{'whole':>9}{'bare':>10}")
        for venue in VENUES:
            measure(venue, Path(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
