"""File descriptors: what connects to one port takes none from another, and no loop spins when they run out."""

import os
import resource
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

from croupier.client.connection import ServerAddress
from croupier.engine.accepting import METRICS_MAX, RESERVED_FILES
from croupier.journal.keystore import KeyStore
from croupier.operations.control import GetStatus, SystemStatus, ask
from croupier.server.gateways.keys import GatewayKeys, write_key
from tests.support.broker import broker
from tests.support.connections import Client, played
from tests.support.serving import Serving, ServingGateway, processes

pytestmark = pytest.mark.untraced

#: As many files as the process may open: it accepts so many clients fewer.
FILES: Final = 320
#: Files that are open for a moment, or since the first work of a kind.
TRANSIENT: Final = 8
SECRET: Final = "a password of a dealer"  # noqa: S105 - of a demonstration
VENUE: Final = f"""
venue = "Few files"
data = "data"
listen.metrics_port = {{metrics}}
gateways.brokers = ["{{broker}}"]

[[tables]]
id = "A"
rulebook = "skycity-adelaide-2003"
wheel = "random"

[[staff]]
person = "dealer"
titles = ["Dealer"]
password = "{SECRET}"
"""


class FewFiles(Serving):
    """A house that may open few files."""

    prefix = ("prlimit", f"--nofile={FILES}:{FILES}")


class FewFilesGateway(ServingGateway):
    """A gateway that may open few files."""

    prefix = ("prlimit", f"--nofile={FILES}:{FILES}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _files(pid: int) -> int:
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def _cpu_s(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _share_of_cpu(pid: int) -> float:
    """Measure over a second how much of a processor a process uses: one that spins uses all of it."""
    before, began = _cpu_s(pid), monotonic()
    threading.Event().wait(1)
    return (_cpu_s(pid) - before) / (monotonic() - began)


def _flood(opened: ExitStack, address: tuple[str, int] | str, count: int = 400) -> None:
    """Open many connections that say nothing: some are accepted, and the others wait."""
    for _ in range(count):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        client = opened.enter_context(socket.socket(family))
        client.settimeout(0)
        with suppress(BlockingIOError):
            client.connect(address)


def _status(folder: Path) -> SystemStatus:
    found = ask(KeyStore(folder / "data.keys"), GetStatus(), folder / "data")
    assert isinstance(found, SystemStatus)
    return found


async def _signs_in(console: Client) -> bool:
    console.say("sign_in", person="dealer", secret=SECRET)
    return str((await console.hear_any("signed_in", "refused"))["t"]) == "signed_in"


@asynccontextmanager
async def _console(port: int) -> AsyncIterator[Client]:
    client = await Client.connected(ServerAddress("127.0.0.1", port))
    client.say("hello", screen="dealer", join="")
    await client.hear("welcome")
    try:
        yield client
    finally:
        client.transport.disconnect(graceful=False)
        await client.end()


def test_floods_of_every_port_leave_control_socket_and_sign_in(tmp_path: Path) -> None:
    """With as many idle connections at each port as it accepts, the house answers the control socket and signs in."""
    metrics = _free_port()
    (tmp_path / "croupier.toml").write_text(VENUE.format(broker=broker(), metrics=metrics), "utf-8")
    with processes() as start, ExitStack() as opened:
        house = start(tmp_path / "croupier.toml", kind=FewFiles)
        assert house.opened(), house.ended()
        alone = _files(house.pid)

        async def scenario() -> None:
            async with _console(house.port) as console:
                before = _files(house.pid)
                _flood(opened, ("127.0.0.1", metrics))
                assert _files(house.pid) <= before + METRICS_MAX + TRANSIENT
                # A flood of this port takes none of the clients'.
                async with _console(house.port):
                    pass
                _flood(opened, ("127.0.0.1", house.port))
                assert await _signs_in(console)
                await console.ping()

        played(scenario)
        assert _status(tmp_path).mode == "demo"
        assert alone < _files(house.pid) <= FILES - RESERVED_FILES + METRICS_MAX + TRANSIENT + alone
        assert _share_of_cpu(house.pid) < 0.5
        assert _status(tmp_path).mode == "demo"
        opened.close()
        assert house.stopped().code == 0


def test_no_loop_spins_when_files_run_out(tmp_path: Path) -> None:
    """A house that can open no more files at all stays idle with clients waiting at every port, and goes on after."""
    metrics = _free_port()
    (tmp_path / "croupier.toml").write_text(VENUE.format(broker=broker(), metrics=metrics), "utf-8")
    with processes() as start, ExitStack() as opened:
        house = start(tmp_path / "croupier.toml")
        assert house.opened(), house.ended()

        # With the first entry its threads have what they need.
        async def first() -> None:
            async with _console(house.port):
                pass

        played(first)
        limits = resource.prlimit(house.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(house.pid, resource.RLIMIT_NOFILE, (_files(house.pid), limits[1]))
        for address in (("127.0.0.1", house.port), ("127.0.0.1", metrics)):
            _flood(opened, address, 3)
        _flood(opened, str(tmp_path / "data.keys" / "control"), 3)
        assert _share_of_cpu(house.pid) < 0.5
        resource.prlimit(house.pid, resource.RLIMIT_NOFILE, limits)
        opened.close()
        assert _status(tmp_path).mode == "demo"
        assert house.health()["ok"]
        assert house.stopped().code == 0


def test_gateway_without_files_stays_idle(tmp_path: Path) -> None:
    """A gateway's ports have limits of their own too, and none of its loops spins."""
    (tmp_path / "croupier.toml").write_text(VENUE.format(broker=broker(), metrics=_free_port()), "utf-8")
    metrics = _free_port()
    with processes() as start, ExitStack() as opened:
        house = start(tmp_path / "croupier.toml")
        assert house.opened(), house.ended()
        content = GatewayKeys(tmp_path / "data.keys").enrol("left")
        assert isinstance(content, bytes)
        write_key(tmp_path / "left.json", content)
        gateway = start(broker(), tmp_path / "left.json", "--metrics-port", str(metrics), kind=FewFilesGateway)
        assert gateway.opened(), gateway.ended()
        before = _files(gateway.pid)
        _flood(opened, ("127.0.0.1", metrics))
        assert _share_of_cpu(gateway.pid) < 0.5
        assert _files(gateway.pid) <= before + METRICS_MAX + TRANSIENT
        _flood(opened, ("127.0.0.1", gateway.port))
        assert _share_of_cpu(gateway.pid) < 0.5
        assert _files(gateway.pid) < FILES
        opened.close()
        assert gateway.stopped().code == 0
        assert house.stopped().code == 0
