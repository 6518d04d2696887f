"""One abuser and two hundred honest terminals: how long the honest wait, with it and without it."""

import multiprocessing
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import monotonic
from typing import NamedTuple

from benchmarks.load_client import LoadClient
from benchmarks.loads import offered_load
from benchmarks.machine import Address, Cores, allow_files, percentile
from benchmarks.systems import Croupier, VenueScene, Workplace, full_house
from croupier.client.blocking import BlockingConnection, masked, upgrade

HONEST = 200
#: Ten bets a second from everybody, for so many seconds: a hall full of busy fingers.
RATE, SECONDS = 2_000, 3
ROUNDS = 7
FILES = 1_000
#: The pace that a door is held to where nobody configures another.
PACE = Croupier(per_s=20, at_once=40)
NONSENSE = masked(b'{"t":"nonsense"}')
#: How each abuser opens a door, and what it then says as fast as it can.
ABUSERS = ("floods with bets", "floods with nonsense", "floods with new lines")


def main() -> None:
    allow_files(FILES)
    cores = Cores.here()
    cores.take_client()
    print(f"{HONEST} honest terminals, {RATE} bets a second for {SECONDS} s, {ROUNDS} rounds in turns")
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        full_house(PACE, HONEST + 1, Workplace(Path(folder), cores)) as (scene, crowd),
    ):
        scene.begin(crowd)
        abused = _freed(crowd)
        waits: dict[str, list[Wait]] = {name: [] for name in ("nobody abuses", *ABUSERS)}
        for _ in range(ROUNDS):
            waits["nobody abuses"].append(_wait(scene, crowd))
            for abuser in ABUSERS:
                with _abusing(abuser, scene, abused):
                    waits[abuser].append(_wait(scene, crowd))
    print(f"{'':24}{'honest p99':>12}{'beside nobody':>16}{'client late':>14}")
    ruler = median(wait.p99_ms for wait in waits["nobody abuses"])
    for name, found in waits.items():
        p99, late = median(wait.p99_ms for wait in found), median(wait.late_ms for wait in found)
        print(f"  {name:22}{p99:9.2f} ms{p99 / ruler:14.2f} x{late:11.2f} ms")


class Wait(NamedTuple):
    """How long all but one in a hundred honest bets waited, and how late the client itself was with as many."""

    p99_ms: float
    late_ms: float


def _freed(crowd: LoadClient) -> BlockingConnection:
    """Have one terminal leave: the abuser comes in its place."""
    line = crowd.lines.pop()
    descriptor = line.socket.fileno()
    crowd.epoll.unregister(descriptor)
    del crowd.by_fd[descriptor]
    line.socket.close()
    return line


def _wait(scene: VenueScene, crowd: LoadClient) -> Wait:
    found = offered_load(crowd, scene.server, rate=RATE, count=RATE * SECONDS)
    assert found.answered.unanswered == 0
    return Wait(percentile(found.answered.times, 99) / 1e6, percentile(found.late, 99) / 1e6)


@contextmanager
def _abusing(how: str, scene: VenueScene, line: BlockingConnection) -> Iterator[None]:
    """Let a process of its own do its worst meanwhile."""
    hello = b'{"t":"hello","screen":"terminal","protocol":1,"device":"%b","key":"%b"}'
    greeting = masked(hello % (line.name.encode(), scene.client_protocol.keys[line.name].encode()))
    abuser = multiprocessing.get_context("spawn").Process(
        target=abuse, args=(how, scene.server.address, greeting, line.ask), daemon=True
    )
    abuser.start()
    try:
        yield
    finally:
        abuser.terminate()
        abuser.join()


def abuse(how: str, address: Address, greeting: bytes, bet: bytes) -> None:
    """Come in again and again, and send without ever reading. Whoever measures goes first on the core they share."""
    os.nice(10)
    number = int(monotonic() * 1_000) % 10_000_000 + 20_000_000
    while True:
        with socket.create_connection(address) as connection:
            connection.sendall(upgrade(address.host, address.port, "/wire"))
            if how == "floods with new lines":
                continue
            connection.sendall(greeting)
            try:
                while True:
                    number += 1
                    connection.sendall(NONSENSE if how == "floods with nonsense" else bet % number)
            except OSError:
                continue


if __name__ == "__main__":
    main()
