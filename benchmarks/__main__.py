"""`python -m benchmarks [MEASUREMENT]`: run one measurement; without a name the server beside an echo server."""

import os
import sys
from typing import Final

from benchmarks.machine import CHECKOUT
from benchmarks.server import benchmarks_command

#: Each measurement is a module of this package: its name, and what it measures. Further arguments are its own.
MEASUREMENTS: Final = {
    "house": "bets decided, rounds, slips and a million bets settled, beside bare loops",
    "sequencer": "the processor time of one bet from the queue to the disk, stage by stage [--profile]",
    "journal": "commits, audit, replay and start; a house with a long history [ENTRIES]",
    "pauses": "the event loop with 2,000 terminals and 100 consoles, one event after the other [TERMINALS]",
    "burst": "response times before and after a burst of bets, in which a snapshot falls due [ROUNDS [BETS]]",
    "gateway": "the house's processor time per bet behind a gateway [ROUNDS]",
    "fanout": "a frame of a table to 10,000 terminals at four gateways, and what a gateway adds to a response [ROUNDS]",
    "database": "PostgreSQL beside SQLite [ROUNDS]",
    "takeover": "a leader that is killed under load [RUNS [TERMINALS]]",
    "export": "ten million bets as Parquet files: DIRECTORY [BETS]",
    "abuse": "one abusive client and two hundred honest terminals",
    "pages": "the player terminal in a browser: load, tap and frames",
    "scaling": "a model of a wheel with a million terminals",
}


def main() -> None:
    """Run the measurement that is named, or list all; without a name, run that of the server with its options."""
    name, *arguments = sys.argv[1:] or [""]
    if name == "list":
        for each, measures in MEASUREMENTS.items():
            print(f"{each:12}{measures}")
        return
    if name in MEASUREMENTS:
        # With -P the measurement does not find itself in the working directory.
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
        os.execv(sys.executable, [sys.executable, "-P", "-m", f"benchmarks.{name}", *arguments])  # noqa: S606 - itself
    benchmarks_command(prog_name="python -m benchmarks")


if __name__ == "__main__":
    main()
