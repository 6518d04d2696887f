"""A mass disconnect: 2,000 terminals lose their connections at once, malfunction together, and reconnect at once."""

import json
import multiprocessing
import os
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from benchmarks.load_client import LoadClient
from benchmarks.machine import Address, BenchmarkError, Cores, allow_files
from benchmarks.systems import PASSWORD, Croupier, RunningVenue, StaffClient, Workspace, full_venue
from benchmarks.watched import PAUSES
from croupier.client import DeviceKey
from croupier.house.ids import DeviceKind

TERMINALS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
#: The goals: the longest pause of the event loop, and the time until all are back, in milliseconds.
PAUSE_MAX, STORM_MAX = 100, 1_000
#: How long the server may take for what is due, in seconds.
TIMEOUT_S = 120
PITS = ("pit", "pit-2")
_STAFF = """
[[consoles]]
id = "{pit}"
role = "pit"

[[staff]]
person = "{pit}"
titles = ["Shift Manager"]
password = "{password}"
"""


def main() -> None:
    allow_files(2 * TERMINALS + 500)
    cores = Cores.here()
    cores.use_client()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.environ[PAUSES] = str(Path(folder, "pauses"))
        os.environ["PYTHONPATH"] = os.pathsep.join([str(Path.cwd()), *sys.path])
        extra = "".join(_STAFF.format(pit=pit, password=PASSWORD) for pit in PITS)
        consoles = tuple((pit, DeviceKind.PIT) for pit in PITS)
        system = Croupier(module="benchmarks.watched", extra=extra, consoles=consoles)
        with full_venue(system, TERMINALS, Workspace(Path(folder), cores)) as (venue, clients), _staffed(venue):
            venue.prepare(clients)
            _all_bet(clients)
            print(f"{TERMINALS} terminals with credit and a bet each, a dealer and {len(PITS)} pit consoles")
            _measure(venue, clients, Path(folder, "pauses"))


def _measure(venue: RunningVenue, clients: LoadClient, pauses: Path) -> None:
    position = _position(venue.server.address)
    begin = monotonic()
    clients.drop(clients.connections)
    _until(venue.server.address, position + len(clients.connections))
    lost = monotonic()
    # Each is lost, malfunctions, and gets its bet back.
    _until(venue.server.address, position + 3 * len(clients.connections))
    raised = monotonic()
    sleep(1)
    back, used = monotonic(), venue.server.cpu_s()
    clients.connect(clients.connections, at_once=len(clients.connections))
    storm, used = (monotonic() - back) * 1_000, (venue.server.cpu_s() - used) * 1_000
    sleep(1)
    end = monotonic()
    longest = max(
        _longest(pauses, "connections are lost", begin, lost),
        _longest(pauses, "malfunctions are raised", lost, back),
        _longest(pauses, "all reconnect", back, end),
    )
    print(f"  lost after {lost - begin:.2f} s, raised after {raised - begin:.2f} s, back within {storm:.0f} ms")
    print(f"  the server was busy for {used:.0f} ms of the storm")
    print(f"  longest pause: goal {PAUSE_MAX} ms: {'met' if longest < PAUSE_MAX else 'MISSED'}")
    print(f"  storm: goal {STORM_MAX} ms: {'met' if storm < STORM_MAX else 'MISSED'}")


def _longest(path: Path, phase: str, begin: float, end: float) -> float:
    lines = (tuple(map(float, line.split())) for line in path.read_text("utf-8").splitlines())
    found = [(pause * 1_000, used * 1_000) for at, pause, used in lines if begin <= at <= end]
    pause, used = max(found, default=(0.0, 0.0))
    print(f"  {phase:26} {len(found):4} pauses over 5 ms, the longest {pause:8.1f} ms, of it busy {used:8.1f} ms")
    return pause


def _all_bet(clients: LoadClient) -> None:
    """Place the bet of every terminal, and wait for every response."""
    id_ = 20_000_000
    for connection in clients.connections:
        connection.send(connection.command % id_)
    clients.wait_for_all(lambda payload: json.loads(payload).get("last_cmd", 0) >= id_)


def _until(address: Address, position: int) -> None:
    """Wait until the journal has reached a position."""
    give_up = monotonic() + TIMEOUT_S
    while _position(address) < position:
        if monotonic() > give_up:
            raise BenchmarkError(f"the journal did not reach {position} within {TIMEOUT_S} s")
        sleep(0.1)


def _position(address: Address) -> int:
    with urllib.request.urlopen(f"http://{address.host}:{address.port}/health", timeout=TIMEOUT_S) as response:
        return int(json.load(response)["position"])


@contextmanager
def _staffed(venue: RunningVenue) -> Iterator[None]:
    """Sign staff in at their consoles, in a process of their own that reads everything they are sent."""
    context = multiprocessing.get_context("spawn")
    begun, keys = context.Event(), {pit: venue.client_protocol.keys[pit] for pit in PITS}
    staff = context.Process(target=watch, args=(venue.server.address, keys, begun), daemon=True)
    staff.start()
    begun.wait(TIMEOUT_S)
    try:
        yield
    finally:
        staff.terminate()
        staff.join()


def watch(address: Address, keys: dict[str, str], begun: Event) -> None:
    consoles = [StaffClient(address, DeviceKey(DeviceKind.PIT, pit, key), pit) for pit, key in keys.items()]
    for console in consoles:
        console.sign_in()
    readers = [Thread(target=console.watch) for console in consoles]
    for reader in readers:
        reader.start()
    begun.set()
    for reader in readers:
        reader.join()


if __name__ == "__main__":
    main()
