"""The sequencer at work: what one accepted bet costs on its way from the queue to the disk, stage by stage."""

import sys
from cProfile import Profile
from itertools import count, islice
from pathlib import Path
from pstats import SortKey, Stats
from statistics import median
from tempfile import TemporaryDirectory
from time import thread_time_ns
from typing import NamedTuple

import msgspec
from tests import driver
from tests.driver import done, founding, memory_archive

from croupier import rulebook
from croupier.engine.archive import Archive, open_archive
from croupier.engine.asked import Accepted, Asked
from croupier.engine.keys import Keys, digest_of
from croupier.house.command.credit import GrantPlayMoney
from croupier.house.command.play import PlaceBets
from croupier.house.command.round import OpenBets
from croupier.house.name import DeviceId, RoundNumber, TableId, TerminalId
from croupier.house.perform import perform
from croupier.house.settings import TableSettings
from croupier.house.stamp import Stamp
from croupier.journal.entry import Cause, Key
from croupier.journal.safe import Safe
from croupier.journal.writer import Draft
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


class Stages(NamedTuple):
    """What one bet takes in each stage."""

    decide: float
    keys: float
    draw_up: float
    keep: float
    #: All that is left: the queue, the answers, and what a turn does once.
    rest: float


class Venue:
    """Two thousand terminals at one table with betting open, and a number for every bet."""

    def __init__(self, name: str, archive: Archive) -> None:
        book = rulebook(name)
        self.run = driver.start(archive)
        self.keys = Keys()
        self._spots = list(islice(book.spots, SPOTS))
        self._numbers = count(1)
        granted = (GrantPlayMoney(terminal, Cents(10**12)) for terminal in TERMINALS)
        commands = (*founding(book, TABLE, TERMINALS, TableSettings(warning_s=0)), *granted, OpenBets(TABLE))
        for first in range(0, len(commands), BATCHES[-1]):
            done(self.run, *commands[first : first + BATCHES[-1]])

    def bets(self, size: int) -> list[Asked]:
        """Make the next bets, of one terminal after the other, with words of their own as if they came off a wire."""
        return [self._bet(number) for number in islice(self._numbers, size)]

    def _bet(self, number: int) -> Asked:
        seat, spot = TERMINALS[number % len(TERMINALS)], self._spots[number * 7 % SPOTS]
        command = PlaceBets(seat, TABLE, RoundNumber(1), 1, ((spot, 100),))
        came = msgspec.json.decode(msgspec.json.encode(command), type=PlaceBets)
        return Asked(came, DeviceId(seat), key=Key(self.run.epoch, number))


def decide(venue: Venue, bets: list[Asked]) -> None:
    house, now = venue.run.house, venue.run.house.now
    for asked in bets:
        answer = perform(house, asked.command, Stamp(now, asked.device))
        assert isinstance(answer, tuple), answer


def remember(venue: Venue, bets: list[Asked]) -> None:
    for asked in bets:
        assert asked.key is not None
        cause = Cause(asked.key, digest_of(asked))
        assert venue.keys.known(asked.device, cause, venue.run.epoch) is None
        venue.keys.remember(asked.device, cause, Accepted(1, 1))


def batch(venue: Venue, alone: Venue, size: int) -> Stages:
    """Take one batch. What happens within a turn is done again, each stage by itself, in a venue that keeps nothing."""
    bets, again, sequencer = venue.bets(size), alone.bets(size), venue.run.sequencer
    times = [thread_time_ns()]
    for asked in bets:
        sequencer.submit(asked)
    turn = sequencer.take()
    times.append(thread_time_ns())
    sequencer.keep(turn)
    times.append(thread_time_ns())
    sequencer.release(turn)
    times.append(thread_time_ns())
    assert all(isinstance(answer.outcome, Accepted) for answer in turn.batch.answers)
    drafts = [Draft(each.day, each.stamp, each.rulebook, each.cause, each.event) for each in turn.batch.entries]
    times.append(thread_time_ns())
    remember(alone, again)
    times.append(thread_time_ns())
    decide(alone, again)
    times.append(thread_time_ns())
    alone.run.writer.draw_up(drafts)
    times.append(thread_time_ns())
    take, keep, release, _, keys, decided, drawn = (after - before for before, after in zip(times, times[1:]))
    return Stages(decided, keys, drawn, keep, take + release - keys - decided - drawn)


def measure(name: str, folder: Path) -> None:
    data = folder / name
    venue, alone = Venue(name, open_archive(data, Safe.beside(data))), Venue(name, memory_archive())
    measured: dict[int, list[Stages]] = {size: [] for size in BATCHES}
    for _ in range(ROUNDS):
        for size in BATCHES:
            batches = [batch(venue, alone, size) for _ in range(BETS // size)]
            measured[size].append(Stages(*(sum(stage) / 1_000 / BETS for stage in zip(*batches, strict=True))))
    for size, rounds in measured.items():
        report(name, size, Stages(*map(median, zip(*rounds, strict=True))))
    venue.run.archive.close()


def report(name: str, size: int, stages: Stages) -> None:
    # The disk works while the rest waits only where nobody else has the time to be served.
    whole = sum(stages)
    verdict = "goal met" if whole <= GOAL_US else "met, goal missed" if whole <= MOST_US else "MISSED"
    figures = "".join(f"{stage:9.2f}" for stage in stages)
    print(f"  {name:24}{size:6,}{figures}{whole:9.2f}   {MOST_US}, goal {GOAL_US}: {verdict}")


def profile(folder: Path) -> None:
    data = folder / "profile"
    venue = Venue(VENUES[0], open_archive(data, Safe.beside(data)))
    profiler = Profile()
    for _ in range(ROUNDS * BETS // BATCHES[-1]):
        bets = venue.bets(BATCHES[-1])
        with profiler:
            for asked in bets:
                venue.run.submit(asked)
            venue.run.step()
    Stats(profiler).sort_stats(SortKey.TIME).print_stats(30)
    venue.run.archive.close()


def main(*wanted: str) -> None:
    with TemporaryDirectory() as name:
        if "--profile" in wanted:
            profile(Path(name))
            return
        print(f"Microseconds of one bet of {len(TERMINALS):,} terminals, by the size of the batch; median of {ROUNDS}")
        print(f"  {'':24}{'batch':>6}{''.join(f'{stage:>9}' for stage in Stages._fields)}{'all':>9}")
        for venue in VENUES:
            measure(venue, Path(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
