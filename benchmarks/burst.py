"""Response times at 5,000 bets a second, before and right after a burst of 200,000 bets, in which a snapshot falls due.

python -m benchmarks burst [ROUNDS [BETS]]
"""

import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.load_client import LoadClient
from benchmarks.loads import Load, closed_loop, load_of, offered_load
from benchmarks.machine import Cores, allow_files
from benchmarks.systems import Croupier, RunningVenue, Workspace, full_venue

TERMINALS: Final = 2_000
BETS: Final = 200_000
RATE: Final = 5_000
#: The length of a window in seconds, and how many follow a burst.
WINDOW_S: Final = 2
WINDOWS: Final = 5
#: How far the 99th percentile of a window may be above its median, in milliseconds.
APART_MAX: Final = 2.0


def main(rounds: int = 3, bets: int = BETS) -> None:
    allow_files(TERMINALS + 1_000)
    cores = Cores.here()
    cores.use_client()
    print(
        f"{TERMINALS} terminals at {RATE} bets a second in windows of {WINDOW_S} s; ms, and memory of the server in MB"
    )
    print(f"  {'window':24}{'p50':>8}{'p99':>8}{'longest':>9}{'client late':>13}{'memory':>8}")
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        full_venue(Croupier(), TERMINALS, Workspace(Path(folder), cores)) as (venue, clients),
    ):
        venue.prepare(clients)
        closed_loop(clients, venue.server, 1)
        for _ in range(rounds):
            _report("before", _window(venue, clients), venue)
            done = 0
            while done < bets:
                done += closed_loop(clients, venue.server, 1).in_time
            for number in range(WINDOWS):
                _report(f"{number * WINDOW_S} s after {done:,} bets", _window(venue, clients), venue)


def _window(venue: RunningVenue, clients: LoadClient) -> Load:
    clients.drain()
    found = offered_load(clients, venue.server, rate=RATE, count=RATE * WINDOW_S)
    return load_of(found.result, offered=RATE, late=found.late)


def _report(name: str, load: Load, venue: RunningVenue) -> None:
    verdict = "met" if load.p99_ms - load.p50_ms <= APART_MAX else "MISSED"
    unclear = " client-limited" * load.limited + " disturbed" * load.disturbed
    memory = venue.server.resident() / 1e6
    figures = f"{load.p50_ms:8.2f}{load.p99_ms:8.2f}{load.most_ms:9.2f}{load.late_ms:13.2f}{memory:8.0f}"
    print(f"  {name:24}{figures}   p99 within {APART_MAX} of p50: {verdict}{unclear}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
