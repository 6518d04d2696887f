"""Ten million bets as Parquet files: the processor time of the export, and DuckDB's day report beside the house's.

python -m benchmarks export DIRECTORY [BETS]

The journal in the directory is built first, or continued until it has so many bets. That takes longer than the export.
"""

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final

import duckdb
from tests.support.engine_driver import HandClock, NullOutbox, done, enrolling, provisioning, stand, start

from benchmarks.machine import BenchmarkError
from croupier import rulebook
from croupier.engine.journal_reader import JournalReader
from croupier.engine.places import open_store
from croupier.engine.ports import Ports, Request
from croupier.engine.replay import apply_page, gc_paused
from croupier.engine.storage import open_storage
from croupier.house import AnyCommand
from croupier.house.credit.notes import GrantPlayMoney
from croupier.house.ids import Day, DeviceId, Instant, PersonId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import PlaceBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.opening import OpenBets
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import SpinBall
from croupier.house.settings import TableSettings
from croupier.house.timers import Tick
from croupier.journal.entry import IdempotencyKey
from croupier.journal.keystore import KeyStore
from croupier.journal.pages import BetRow
from croupier.reports.day_projection import Projections, day_report
from croupier.reports.summaries import DayReport
from croupier.rulebooks.schema import read_canonical
from croupier.rules.geometry import Pocket, SpotKey
from croupier.rules.money import Cents

#: The goal: seconds of processor time, user and system, of the command.
GOAL_S: Final = 60.0
BETS: Final = 10_000_000
TERMINALS: Final = [TerminalId(f"terminal {number}") for number in range(2_000)]
#: Changes of bets of each terminal in a round, each of two spots, and how many are committed in one page.
CHANGES: Final = 20
AT_ONCE: Final = 1_000
#: The first gaming day, and the rounds of each day.
DAY: Final = 20261115
ROUNDS: Final = 125
TABLE: Final = TableId("table 1")
CURRENCY: Final = "AUD"
CONSOLE: Final = DeviceId("console")
DEALER: Final = PersonId("dealer")


class Venue:
    """A venue whose terminals all bet in every round."""

    def __init__(self, folder: Path) -> None:
        self._numbers, self._keys = count(1), count(1)
        book = rulebook("skycity-adelaide-2003")
        storage = open_storage(folder / "data", KeyStore(folder / "keys"))
        standing = stand(storage)
        self._clock = HandClock(max(HandClock().at, standing.house.now))
        self.run = start(storage, Ports(self._clock, NullOutbox()), standing=standing)
        self._spots = list(book.spots)
        if self.run.house.tables:
            return
        granted = (GrantPlayMoney(terminal, Cents(10**12)) for terminal in TERMINALS)
        staff = enrolling((CONSOLE,), {DEALER: "Dealer"})
        commands = (*provisioning(book, TABLE, TERMINALS, TableSettings(warning_s=0)), *staff, *granted)
        for first in range(0, len(commands), AT_ONCE):
            done(self.run, *commands[first : first + AT_ONCE])

    def _bet(self, number: int) -> Request:
        terminal = TERMINALS[next(self._numbers) % len(TERMINALS)]
        spots = (self._spots[number * 7 % len(self._spots)], self._spots[number * 11 % len(self._spots)])
        bets = tuple((SpotKey(spot), Cents(500)) for spot in sorted({*spots}))
        command = PlaceBets(terminal, TABLE, RoundNumber(self.run.house.tables[TABLE].rounds), 1, bets)
        return Request(command, DeviceId(terminal), key=IdempotencyKey(self.run.epoch, number))

    def deal(self, command: AnyCommand, device: DeviceId = CONSOLE) -> None:
        self._clock.pass_s(1)
        key = IdempotencyKey(self.run.epoch, next(self._keys)) if device == CONSOLE else None
        done(self.run, Request(command, device, DEALER if device == CONSOLE else PersonId(""), key))

    def play(self, first: int) -> None:
        """Play a round, with bets from this number on."""
        self.deal(OpenBets(TABLE))
        for batch in range(first, first + CHANGES * len(TERMINALS), AT_ONCE):
            self._clock.pass_s(1)
            done(self.run, *(self._bet(number) for number in range(batch, batch + AT_ONCE)))
        self.deal(CloseBets(TABLE))
        self.deal(SpinBall(TABLE))
        self.deal(BallAtRest(TABLE, Pocket(str(first // 1000 % 37)), 5, opposite=True), DeviceId(TABLE))


def build(folder: Path, bets: int) -> None:
    """Continue the journal until it has so many bets."""
    folder.mkdir(parents=True, exist_ok=True)
    venue = Venue(folder)
    house, each = venue.run.house, CHANGES * len(TERMINALS)
    with gc_paused():
        while (rounds := house.tables[TABLE].rounds) * each < bets:
            if house.day < DAY + rounds // ROUNDS:
                done(venue.run, Tick(Day(DAY + rounds // ROUNDS)))
            venue.play(rounds * each + 1)
    venue.run.stop()


def exported(folder: Path) -> tuple[float, float]:
    """Run the command; return its processor time and its duration in seconds."""
    shutil.rmtree(folder / "tables", ignore_errors=True)
    command = [
        sys.executable,
        "-P",
        "-m",
        "croupier",
        "export",
        "--data",
        "data",
        "--key-store",
        "keys",
        "--parquet",
        "tables",
    ]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), monotonic()
    done_ = subprocess.run(command, cwd=folder, check=False, env={**os.environ, "NO_COLOR": "1"})  # noqa: S603 - ours
    took, after = monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done_.returncode:
        raise BenchmarkError("the export failed")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def computed(folder: Path) -> tuple[int, dict[tuple[int, str], tuple[Any, ...]]]:
    """Let DuckDB count the bets and compute the day report: turnover, returns and refunds by day and table."""
    with duckdb.connect() as connection:
        for name in ("bets", "rounds"):
            connection.read_parquet(f"{folder}/tables/{name}/*/*.parquet", hive_partitioning=True).create_view(name)
        text = files("croupier.analysis").joinpath("reports", "day_tables.sql").read_text("utf-8")
        rows = connection.execute(text).fetchall()
        (bets,) = connection.execute("SELECT count(DISTINCT position) FROM bets").fetchone() or (0,)
    return bets, {(row[1], row[3]): row[4:7] for row in rows}


def reported(folder: Path) -> tuple[int, dict[tuple[int, str], tuple[Any, ...]]]:
    """Let the house count the bets and report the same from its journal."""
    ledger, bets = Projections(read_canonical), 0
    with closing(open_store(folder / "data", writing=False)) as store, gc_paused():
        for page in JournalReader(store):
            found = sum(type(row) is BetRow for row in page.body.rows)
            bets += found
            if found == len(page.body.rows):
                apply_page(ledger.house, page)
                ledger.position = page.page.last
            else:
                for entry in page.entries:
                    ledger.apply(entry)
    return bets, dict(_totals(ledger))


def _totals(ledger: Projections) -> Iterator[tuple[tuple[int, str], tuple[int, ...]]]:
    for day in ledger.days.known:
        report = day_report(ledger, day, CURRENCY, Instant(0))
        assert isinstance(report, DayReport)
        for table, totals in report.tables:
            yield (day, table), (totals.turnover, totals.returned, totals.refunded)


def main() -> int:
    folder, bets = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else BETS  # noqa: PLR2004 - an argument
    build(folder, bets)
    cpu_s, took_s = exported(folder)
    by_house, by_duckdb = reported(folder), computed(folder)
    number = by_house[0]
    print(f"{number} bets: {cpu_s:.1f} s of processor time, {1e6 * cpu_s / number:.2f} us each, in {took_s:.1f} s")
    for (day, table), totals in sorted(by_house[1].items()):
        print(f"  {day} {table}: turnover, returned and refunded in cents {totals}")
    if by_house != by_duckdb:
        raise BenchmarkError(f"the house reports {by_house}, and DuckDB {by_duckdb}")
    print("DuckDB's day report is equal")
    return 0 if cpu_s <= GOAL_S * number / BETS else 1


if __name__ == "__main__":
    sys.exit(main())
