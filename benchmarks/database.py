"""PostgreSQL beside SQLite: bets a second of one house, and its response times at a fixed rate, in turn."""

import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.support.database import new_venue, running_server

from benchmarks.loads import Load, closed_loop, load_of, offered_load
from benchmarks.machine import Cores, allow_files
from benchmarks.systems import Croupier, Workspace, full_venue
from croupier.journal.stores.database import prepare

#: The goals: PostgreSQL's share of SQLite's rate, and how much later its 99th percentile may be, in milliseconds.
SHARE_MIN: Final = 0.75
LATER_MAX_MS: Final = 5.0
TERMINALS: Final = 2_000
RATE: Final = 5_000
SECONDS: Final = 4
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3


@dataclass(frozen=True, slots=True)
class OnDatabase(Croupier):
    """A venue whose journal is in a database."""

    address: str = ""
    #: The data directory, and the key store where it is not beside it.
    places: str = 'data = "data"'

    def _config(self, names: list[str]) -> str:
        text = Croupier._config(self, names).replace('venue = "Benchmark"', f'venue = "{new_venue()}"', 1)  # noqa: SLF001 - its own
        return text.replace('data = "data"', f'{self.places}\njournal = "{self.address}"', 1)


def measured(system: Croupier, workspace: Workspace) -> tuple[Load, Load]:
    """Measure a closed loop of all terminals, and a load at the fixed rate."""
    with full_venue(system, TERMINALS, workspace) as (venue, clients):
        venue.prepare(clients)
        closed_loop(clients, venue.server, 1)
        clients.drain()
        closed = load_of(closed_loop(clients, venue.server, SECONDS))
        clients.drain()
        found = offered_load(clients, venue.server, rate=RATE, count=RATE * SECONDS)
        return closed, load_of(found.result, offered=RATE, late=found.late)


def main() -> int:
    allow_files(2 * TERMINALS + 1_000)
    cores = Cores.here()
    shares, later = list[float](), list[float]()
    print(f"{TERMINALS} terminals; bets a second in a closed loop, and p99 in ms at {RATE} a second")
    # The database runs on the cores of the house: the load client has its own to itself, and never waits there.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, ExitStack() as started:
        with cores.of_server():
            server = started.enter_context(running_server())
        cores.use_client()
        prepare(server.address())
        workspace = Workspace(Path(folder), cores)
        systems = {"SQLite": Croupier(), "PostgreSQL": OnDatabase(address=server.address())}
        for number in range(ROUNDS):
            order = sorted(systems, reverse=bool(number % 2))
            found = {name: measured(systems[name], workspace) for name in order}
            for name, (closed, offered) in sorted(found.items()):
                unclear = " disturbed" if closed.disturbed or offered.disturbed else ""
                limit = " client-limited" if closed.limited or offered.limited else ""
                print(
                    f"  {name:10} {closed.per_s:8.0f} bets/s  {closed.server_us:5.1f} us each"
                    f"  p99 {offered.p99_ms:6.2f} ms{unclear}{limit}",
                    flush=True,
                )
            shares.append(found["PostgreSQL"][0].per_s / found["SQLite"][0].per_s)
            later.append(found["PostgreSQL"][1].p99_ms - found["SQLite"][1].p99_ms)
    print(f"share of the rate: {median(shares):.2f}  ({', '.join(f'{each:.2f}' for each in shares)})")
    print(f"p99 later by: {median(later):.2f} ms  ({', '.join(f'{each:.2f}' for each in later)})")
    return 0 if median(shares) >= SHARE_MIN and median(later) <= LATER_MAX_MS else 1


if __name__ == "__main__":
    sys.exit(main())
