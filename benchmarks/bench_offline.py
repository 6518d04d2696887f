"""A mass disconnect: 2,000 terminals lose their link at once, malfunction together, and come back at once."""

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
from benchmarks.machine import Address, BenchFault, Cores, allow_files
from benchmarks.systems import Croupier, VenueScene, Workplace, full_house
from benchmarks.watched import PAUSES
from croupier.client.blocking import SECRET, DealerClient
from croupier.house.ids import DeviceKind

TERMINALS = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
#: The goals: the longest pause of the event loop, and the time until all are back, in milliseconds.
PAUSE_MAX, STORM_MAX = 100, 1_000
#: How long the house may take over what is due, in seconds.
PATIENCE = 120
PITS = ("pit", "pit-2")
_MORE = """
[[consoles]]
id = "{pit}"
role = "pit"

[[staff]]
person = "{pit}"
titles = ["Shift Manager"]
password = "{secret}"
"""


def main() -> None:
    allow_files(2 * TERMINALS + 500)
    cores = Cores.here()
    cores.take_client()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.environ[PAUSES] = str(Path(folder, "pauses"))
        os.environ["PYTHONPATH"] = os.pathsep.join([str(Path.cwd()), *sys.path])
        more = "".join(_MORE.format(pit=pit, secret=SECRET) for pit in PITS)
        consoles = tuple((pit, DeviceKind.PIT) for pit in PITS)
        house = Croupier(module="benchmarks.watched", more=more, consoles=consoles)
        with full_house(house, TERMINALS, Workplace(Path(folder), cores)) as (scene, crowd), _staffed(scene):
            scene.begin(crowd)
            _all_bet(crowd)
            print(f"{TERMINALS} terminals with credit and a bet each, a dealer and {len(PITS)} pit consoles")
            _measure(scene, crowd, Path(folder, "pauses"))


def _measure(scene: VenueScene, crowd: LoadClient, pauses: Path) -> None:
    position = _position(scene.server.address)
    begin = monotonic()
    crowd.drop(crowd.lines)
    _until(scene.server.address, position + len(crowd.lines))
    lost = monotonic()
    # Each is lost, is raised as a malfunction, and has its bet back.
    _until(scene.server.address, position + 3 * len(crowd.lines))
    raised = monotonic()
    sleep(1)
    back, used = monotonic(), scene.server.cpu_s()
    crowd.bring_in(crowd.lines, at_once=len(crowd.lines))
    storm, used = (monotonic() - back) * 1_000, (scene.server.cpu_s() - used) * 1_000
    sleep(1)
    end = monotonic()
    longest = max(
        _longest(pauses, "links are lost", begin, lost),
        _longest(pauses, "malfunctions are raised", lost, back),
        _longest(pauses, "all come back", back, end),
    )
    print(f"  lost after {lost - begin:.2f} s, raised after {raised - begin:.2f} s, back within {storm:.0f} ms")
    print(f"  the server was at work for {used:.0f} ms of the storm")
    print(f"  longest pause: goal {PAUSE_MAX} ms: {'met' if longest < PAUSE_MAX else 'MISSED'}")
    print(f"  storm: goal {STORM_MAX} ms: {'met' if storm < STORM_MAX else 'MISSED'}")


def _longest(path: Path, phase: str, begin: float, end: float) -> float:
    lines = (tuple(map(float, line.split())) for line in path.read_text("utf-8").splitlines())
    found = [(pause * 1_000, used * 1_000) for at, pause, used in lines if begin <= at <= end]
    pause, used = max(found, default=(0.0, 0.0))
    print(f"  {phase:26} {len(found):4} pauses over 5 ms, the longest {pause:8.1f} ms, of it at work {used:8.1f} ms")
    return pause


def _all_bet(crowd: LoadClient) -> None:
    """Place every terminal's bet, and wait until each is answered."""
    number = 20_000_000
    for line in crowd.lines:
        line.send(line.ask % number)
    crowd.until_all(lambda payload: json.loads(payload).get("last_cmd", 0) >= number)


def _until(address: Address, position: int) -> None:
    """Wait until the journal has come so far."""
    give_up = monotonic() + PATIENCE
    while _position(address) < position:
        if monotonic() > give_up:
            raise BenchFault(f"the journal did not come to {position} within {PATIENCE} s")
        sleep(0.1)


def _position(address: Address) -> int:
    with urllib.request.urlopen(f"http://{address.host}:{address.port}/health", timeout=PATIENCE) as answer:
        return int(json.load(answer)["position"])


@contextmanager
def _staffed(scene: VenueScene) -> Iterator[None]:
    """Have staff at their consoles meanwhile, in a process of its own, who read all that they are told."""
    context = multiprocessing.get_context("spawn")
    begun, keys = context.Event(), {pit: scene.client_protocol.keys[pit] for pit in PITS}
    staff = context.Process(target=attend, args=(scene.server.address, keys, begun), daemon=True)
    staff.start()
    begun.wait(PATIENCE)
    try:
        yield
    finally:
        staff.terminate()
        staff.join()


def attend(address: Address, keys: dict[str, str], begun: Event) -> None:
    desks = [DealerClient("pit", pit, pit) for pit in keys]
    for desk, key in zip(desks, keys.values(), strict=True):
        desk.sign_in(address, key)
    readers = [Thread(target=desk.attend) for desk in desks]
    for reader in readers:
        reader.start()
    begun.set()
    for reader in readers:
        reader.join()


if __name__ == "__main__":
    main()
