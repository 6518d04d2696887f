"""One abusive client and two hundred honest terminals: how long the honest ones wait, with it and without it."""

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

import msgspec

from benchmarks.frames import client_frame, upgrade_request
from benchmarks.load_client import LoadClient, LoadConnection
from benchmarks.loads import offered_load
from benchmarks.machine import Address, Cores, allow_files, percentile
from benchmarks.systems import Croupier, RunningVenue, Workspace, full_venue
from croupier.client.session import hello

HONEST = 200
#: Ten bets a second from each terminal, for so many seconds.
RATE, SECONDS = 2_000, 3
ROUNDS = 7
FILES = 1_000
#: The default rate limit of a connection.
LIMITED = Croupier(per_s=20, burst=40)
INVALID = client_frame(b'{"t":"nonsense"}')
#: What each abusive client sends as fast as it can.
ABUSES = ("bets", "invalid messages", "connections")


def main() -> None:
    allow_files(FILES)
    cores = Cores.here()
    cores.use_client()
    print(f"{HONEST} honest terminals, {RATE} bets a second for {SECONDS} s, {ROUNDS} rounds in turns")
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as folder,
        full_venue(LIMITED, HONEST + 1, Workspace(Path(folder), cores)) as (venue, clients),
    ):
        venue.prepare(clients)
        abused = _freed(clients)
        waits: dict[str, list[Wait]] = {name: [] for name in ("no abuse", *ABUSES)}
        for _ in range(ROUNDS):
            waits["no abuse"].append(_wait(venue, clients))
            for abuse in ABUSES:
                with _abusing(abuse, venue, abused):
                    waits[abuse].append(_wait(venue, clients))
    print(f"{'':24}{'honest p99':>12}{'of no abuse':>16}{'client late':>14}")
    ruler = median(wait.p99_ms for wait in waits["no abuse"])
    for name, found in waits.items():
        p99, late = median(wait.p99_ms for wait in found), median(wait.late_ms for wait in found)
        print(f"  {name:22}{p99:9.2f} ms{p99 / ruler:14.2f} x{late:11.2f} ms")


class Wait(NamedTuple):
    """The 99th percentile of the response times, and of how late the load client itself was."""

    p99_ms: float
    late_ms: float


def _freed(clients: LoadClient) -> LoadConnection:
    """Disconnect one terminal, so that the abusive client can use its key."""
    connection = clients.connections.pop()
    descriptor = connection.socket.fileno()
    clients.epoll.unregister(descriptor)
    del clients.by_fd[descriptor]
    connection.socket.close()
    return connection


def _wait(venue: RunningVenue, clients: LoadClient) -> Wait:
    found = offered_load(clients, venue.server, rate=RATE, count=RATE * SECONDS)
    assert found.result.unanswered == 0
    return Wait(percentile(found.result.times, 99) / 1e6, percentile(found.late, 99) / 1e6)


@contextmanager
def _abusing(what: str, venue: RunningVenue, connection: LoadConnection) -> Iterator[None]:
    """Run an abusive client in a process of its own."""
    greeting = client_frame(msgspec.json.encode(hello(venue.client_protocol.device(connection.name))))
    abuser = multiprocessing.get_context("spawn").Process(
        target=abuse, args=(what, venue.server.address, greeting, connection.command), daemon=True
    )
    abuser.start()
    try:
        yield
    finally:
        abuser.terminate()
        abuser.join()


def abuse(what: str, address: Address, greeting: bytes, bet: bytes) -> None:
    """Connect again and again, and send without reading, at a lower priority than the load client on the same core."""
    os.nice(10)
    number = int(monotonic() * 1_000) % 10_000_000 + 20_000_000
    authority = f"{address.host}:{address.port}"
    request = upgrade_request(authority, f"http://{authority}")
    while True:
        with socket.create_connection(address) as connection:
            connection.sendall(request)
            if what == "connections":
                continue
            connection.sendall(greeting)
            try:
                while True:
                    number += 1
                    connection.sendall(INVALID if what == "invalid messages" else bet % number)
            except OSError:
                continue


if __name__ == "__main__":
    main()
