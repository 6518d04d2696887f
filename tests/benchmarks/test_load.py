"""The load client against the echo server: every command is answered and timed, and every failure is reported."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from benchmarks.frames import client_frame
from benchmarks.load_client import HEARTBEAT_S, LoadClient
from benchmarks.loads import (
    CpuShares,
    LoadPlan,
    LoadResult,
    closed_loop,
    load_of,
    measure_system,
    offered_load,
    write,
)
from benchmarks.machine import (
    IN_MEMORY,
    Address,
    BenchmarkError,
    Busy,
    Cores,
    Server,
    Spread,
    allow_files,
    cpu_s,
    describe,
    filesystem,
    flush_ms,
    percentile,
    resident,
    running,
)
from benchmarks.peers import message
from benchmarks.systems import Ordinary, PlainProtocol, PlainSystem, RawEcho, Workspace, connected

pytestmark = pytest.mark.untraced

CLIENTS = 20
IDLE = CpuShares(seconds=2, server=0.5, client=0.25, others=0)


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoadClient, Server]]:
    """Twenty connections to an echo server, each with the frame of a command."""
    with (
        RawEcho().open(CLIENTS, tmp_path_factory.mktemp("echo"), Cores.here()) as system,
        connected(system.server, system.client_protocol, CLIENTS) as clients,
    ):
        system.prepare(clients)
        yield clients, system.server


def sent_ids(clients: LoadClient) -> list[int]:
    return [connection.sent for connection in clients.connections]


def test_closed_loop_is_answered(echo: tuple[LoadClient, Server]) -> None:
    """Every command of a closed loop is answered once, and timed; connections continue where they were."""
    clients, server = echo
    before = sent_ids(clients)
    first, second = closed_loop(clients, server, 0.1), closed_loop(clients, server, 0.1)
    after = sent_ids(clients)

    assert len(clients.connections) == CLIENTS
    assert first.unanswered == second.unanswered == 0
    assert len(first.times) + len(second.times) == sum(after) - sum(before) > 2 * CLIENTS
    assert first.times == sorted(first.times)
    assert first.times[0] > 0
    assert 0 < first.in_time <= len(first.times)
    assert first.shares.seconds >= 0.1


def test_offered_load_is_answered(echo: tuple[LoadClient, Server]) -> None:
    """Every command of a schedule is sent, not before it is due, and is answered and timed once."""
    clients, server = echo
    before = sent_ids(clients)
    found = offered_load(clients, server, rate=4_000, count=410)

    assert (len(found.result.times), found.result.unanswered) == (410, 0)
    assert found.result.times[0] > 0
    assert found.late[0] >= 0
    # The first may have been sent late.
    assert found.result.shares.seconds + max(found.late) / 1e9 >= 409 / 4_000
    assert [now - then for now, then in zip(sent_ids(clients), before, strict=True)] == [21] * 10 + [20] * 10


def test_dropped_connections_reconnect(echo: tuple[LoadClient, Server]) -> None:
    """Connections that were dropped are opened again, and continue."""
    clients, server = echo
    clients.drop(clients.connections[:5])
    clients.connect(clients.connections[:5], at_once=5)

    assert closed_loop(clients, server, 0).unanswered == 0


def test_measurement_leaves_nothing(tmp_path: Path) -> None:
    """A measurement has its loads and the memory for a terminal, and its directory is deleted."""
    plan = LoadPlan(warm_s=0, closed_s=0.05, offered_s=0.05, offered=(1_000,))
    found = measure_system(RawEcho(), CLIENTS, plan, Workspace(tmp_path, Cores.here()))

    assert (found.system, found.clients, found.stored) == ("echo", CLIENTS, None)
    assert found.memory > 0
    assert (found.closed.offered, [load.offered for load in found.offered]) == (0, [1_000])
    assert found.offered[0].answered == 50
    assert found.acknowledged == CLIENTS + found.closed.answered + 50
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True, slots=True)
class Forgetful(RawEcho):
    """An echo server that claims to store bets and has none."""

    def stored_bets(self, _directory: Path, /) -> int:  # type: ignore[override]
        return 0


def test_lost_bets_are_an_error(tmp_path: Path) -> None:
    """A system that has fewer bets on the disk than it acknowledged is an error, not a figure."""
    with pytest.raises(BenchmarkError, match=r"echo acknowledged [0-9]+ bets and stored 0"):
        measure_system(Forgetful(), 1, LoadPlan(0, 0, 0), Workspace(tmp_path, Cores.here()))


def test_idle_connections_send_heartbeats(echo: tuple[LoadClient, Server]) -> None:
    """Idle connections send a heartbeat, if the protocol has one, and not before it is due."""
    with closing(
        LoadClient(echo[0].addresses[0], replace(PlainProtocol(), heartbeat=client_frame(b"still here")))
    ) as clients:
        clients.grow(3)
        clients.send_heartbeats()
        clients.heartbeat_at -= HEARTBEAT_S
        clients.send_heartbeats()
        received = [payload for _, payload in clients.messages(0.1)]

    assert received == [b"still here"] * 3


def test_server_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ignores the signal to stop is killed."""
    monkeypatch.setattr("benchmarks.machine.STOP_MAX", 0.1)
    deaf = (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('127.0.0.1:1', flush=True)\nsignal.pause()"
    )
    (tmp_path / "deaf.py").write_text(deaf)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with running("deaf", output=tmp_path / "log", cores=Cores.here()) as server:
        assert server.address == ("127.0.0.1", 1)

    assert not Path(f"/proc/{server.pid}").exists()


def test_bare_write_reaches_every_connection(tmp_path: Path) -> None:
    """The bare server writes one frame to every socket, and forgets those that are closed."""
    with (
        running("benchmarks.peers", "write", "243", output=tmp_path / "log", cores=Cores.here()) as server,
        connected(server, PlainProtocol(), CLIENTS) as clients,
    ):
        with connected(server, PlainProtocol(), 3) as others:
            assert write(others) > 0
        clients.drain()
        assert write(clients) > 0
        clients.connections[0].send(client_frame(b"again"))
        sizes = {len(payload) for _, payload in clients.messages(0.05)}

    assert sizes == {243} == {len(message(243))}


def _responding(data: bytes) -> Address:
    """A server that accepts one connection, sends some bytes and closes it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    return Address(*listener.getsockname())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "A-1 is not admitted: HTTP/1.1 403 Forbidden"),
        (b"HTTP/1.1 101", "the server closed the connection of A-1"),
        (b"", "the server closed the connection of A-1"),
    ],
)
def test_rejected_upgrade_is_reported(data: bytes, words: str) -> None:
    """A server that rejects the upgrade ends the measurement, and its status is passed on."""
    with closing(LoadClient(_responding(data), PlainProtocol())) as clients, pytest.raises(BenchmarkError, match=words):
        clients.grow(1)


def test_refused_connection_is_reported() -> None:
    """If no server listens, the measurement ends with the error of the system."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(*listener.getsockname())
    with (
        closing(LoadClient(address, PlainProtocol())) as clients,
        pytest.raises(BenchmarkError, match="A-1 cannot connect"),
    ):
        clients.grow(1)


def test_missing_messages_are_counted(echo: tuple[LoadClient, Server]) -> None:
    """If not every connection receives a message in time, the error says how many did not."""
    clients, _ = echo
    clients.connections[0].send(client_frame(b"one"))

    with pytest.raises(BenchmarkError, match="19 of 20 connections did not receive"):
        clients.wait_for_all(lambda payload: payload == b"one", silence_s=2)


def test_server_that_does_not_start_is_reported(tmp_path: Path) -> None:
    """What a server prints before it exits is passed on."""
    start = partial(running, output=tmp_path / "log", cores=Cores.here())
    with pytest.raises(BenchmarkError, match="usage: peers"), start("benchmarks.peers"):
        pass
    with pytest.raises(BenchmarkError, match="it printed nothing"), start("benchmarks.machine"):
        pass


@pytest.mark.parametrize(
    ("percent", "figure"), [(0, 1), (1, 1), (10, 1), (11, 2), (50, 5), (90, 9), (91, 10), (99, 10), (100, 10)]
)
def test_percentile_is_one_of_the_figures(percent: int, figure: int) -> None:
    """A percentile is one of the figures, by the nearest rank."""
    assert percentile(range(1, 11), percent) == figure


def test_spread_names_a_figure_that_was_seen() -> None:
    """The median of several rounds is one of them, even if their number is even."""
    assert Spread.of([4, 1, 3, 2]) == (2, 1, 4)
    assert Spread.of([7]) == (7, 7, 7)


def test_cpu_of_a_process_is_read(tmp_path: Path) -> None:
    """The processor time of a process is what it reports itself, whatever the name of its program."""
    odd = tmp_path / "a) 1 2 (b"
    odd.symlink_to(sys.executable)
    burn = "import time\nwhile time.process_time() < 0.2: pass\nprint(time.process_time(), flush=True)\ninput()"
    before, spent = cpu_s(os.getpid()), time.process_time()
    with subprocess.Popen([odd, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = float(process.stdout.readline())
        read, held = cpu_s(process.pid), resident(process.pid)
        process.communicate(b"\n")

    assert read == pytest.approx(said, abs=0.05)
    assert held > 1_000_000
    assert cpu_s(os.getpid()) - before == pytest.approx(time.process_time() - spent, abs=0.05)


@pytest.mark.parametrize(
    ("client", "server", "limited"), [(0.95, 0.89, True), (0.95, 0.90, False), (0.94, 0.5, False), (1.0, 0.2, True)]
)
def test_saturated_client_is_marked(client: float, server: float, limited: bool) -> None:  # noqa: FBT001
    """A closed loop is marked if the client used a whole core and the server did not."""
    found = LoadResult([1], 1, 0, CpuShares(1, server, client, 0))

    assert load_of(found).limited is limited


@pytest.mark.parametrize(("late", "limited"), [(900_000, False), (1_100_000, True)])
def test_client_that_is_late_is_marked(late: int, limited: bool) -> None:  # noqa: FBT001 - what is expected
    """An offered load is marked if the client was late, however busy it was."""
    found = LoadResult([1], 1, 0, CpuShares(1, 0.1, 1.0, 0))

    assert load_of(found, offered=10, late=[late]).limited is limited


def test_figures_of_a_load() -> None:
    """The rate counts responses in time, percentiles count all, and a bet costs the processor time of both sides."""
    found = load_of(LoadResult([1_000_000] * 98 + [7_000_000, 9_000_000], 80, 3, IDLE), refused=2)

    assert (found.answered, found.refused, found.unanswered, found.per_s) == (100, 2, 3, 40)
    assert (found.p50_ms, found.p99_ms, found.most_ms) == (1, 7, 9)
    assert (found.server_us, found.client_us) == (12_500, 6_250)
    assert not found.disturbed


def test_load_without_a_response() -> None:
    """A load without responses has no times."""
    found = load_of(LoadResult([], 0, 5, CpuShares(1, 0, 0, 0.2)))

    assert (found.per_s, found.p99_ms, found.unanswered, found.disturbed) == (0, 0, 5, True)


def test_machine_is_described(tmp_path: Path) -> None:
    """The machine, its disk and the limit of open files are described."""
    about, before = describe(), Busy.now()

    assert about["cores"] == len(os.sched_getaffinity(0))
    assert "picows" in str(about["packages"])
    assert filesystem(Path("/proc/self")) == "proc"
    assert filesystem(tmp_path) not in ("unknown", *IN_MEMORY)
    middle, longest = flush_ms(tmp_path, 10)
    assert 0 < middle <= longest
    assert list(tmp_path.iterdir()) == []
    assert Busy.now().used >= before.used > 0
    assert allow_files(10) >= 10


def test_limit_of_open_files() -> None:
    """A request beyond the hard limit returns the limit that is in force."""
    program = (
        "import resource\nfrom benchmarks.machine import allow_files\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (50, 100))\n"
        "print(allow_files(80), allow_files(2**40) >= 100)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "80 True\n"


def test_cores_are_separate() -> None:
    """Servers start on other cores than the client's, if there are several, and the client keeps its own."""
    one = Cores(frozenset({0}), frozenset({0}))
    before = os.sched_getaffinity(0)
    with Cores.here().of_server():
        assert os.sched_getaffinity(0) == Cores.here().server or len(before) == 1

    assert os.sched_getaffinity(0) == before
    assert one.server == one.client
    assert Cores.among([0]) == one
    assert Cores.among([3, 1, 2]) == Cores(frozenset({1, 2}), frozenset({3}))


def test_ordinary_stack_names_what_it_needs(tmp_path: Path) -> None:
    """If the packages of the ordinary stack are missing, the message names the command that installs them."""
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o700)

    assert Ordinary(str(bare)).missing().endswith("to install them: pip install --editable '.[bench]'")
    assert "cannot be run" in Ordinary(str(tmp_path / "none")).missing()
    assert Ordinary("true").missing() == ""


def test_ordinary_stack_is_only_in_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the benchmarks of a checkout the message says so."""
    monkeypatch.setattr("benchmarks.systems.CHECKOUT", tmp_path)

    assert "checkout" in Ordinary("true").missing()


def test_bet_names_its_terminal(echo: tuple[LoadClient, Server]) -> None:
    """At the ordinary stack the bet of each terminal has its name."""
    clients, server = echo
    PlainSystem(server, b'{"id":%d,"terminal":"%s"}').prepare(clients)

    assert b'"terminal":"A-20"' in clients.connections[19].command
    assert closed_loop(clients, server, 0).unanswered == 0
