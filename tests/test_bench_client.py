"""The load client against the echo: everything is answered and timed, and what a server does wrong is told."""

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
from benchmarks.bare_write import message
from benchmarks.load_client import ALIVE_EVERY, LoadClient
from benchmarks.loads import Answered, LoadPlan, Shares, closed_loop, load_of, offered_load, stay
from benchmarks.machine import (
    IN_MEMORY,
    Address,
    BenchFault,
    Busy,
    Cores,
    Server,
    Spread,
    allow_files,
    cpu_s,
    described,
    filesystem,
    flush_ms,
    percentile,
    resident,
    running,
)
from benchmarks.scenarios import write
from benchmarks.systems import Ordinary, PlainManners, PlainScene, RawEcho, Workplace, crowded

from croupier.client.blocking import masked

pytestmark = pytest.mark.untraced

CLIENTS = 20
IDLE = Shares(seconds=2, server=0.5, client=0.25, others=0)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LoadClient, Server]]:
    """Twenty lines to an echo, each with a command in hand."""
    with (
        RawEcho().open(CLIENTS, tmp_path_factory.mktemp("echo"), Cores.here()) as scene,
        crowded(scene.server, scene.client_protocol, CLIENTS) as lines,
    ):
        scene.begin(lines)
        yield lines, scene.server


def asked(crowd: LoadClient) -> list[int]:
    return [line.asked for line in crowd.lines]


def test_closed_loop_is_answered(crowd: tuple[LoadClient, Server]) -> None:
    """Every command of a closed loop is answered once, and timed; lines go on from where they were."""
    lines, server = crowd
    before = asked(lines)
    first, second = closed_loop(lines, server, 0.1), closed_loop(lines, server, 0.1)
    after = asked(lines)

    assert len(lines.lines) == CLIENTS
    assert first.unanswered == second.unanswered == 0
    assert len(first.times) + len(second.times) == sum(after) - sum(before) > 2 * CLIENTS
    assert first.times == sorted(first.times)
    assert first.times[0] > 0
    assert 0 < first.in_time <= len(first.times)
    assert first.shares.seconds >= 0.1


def test_offered_load_is_answered(crowd: tuple[LoadClient, Server]) -> None:
    """Every command of a timetable leaves, not before it is due, and is answered and timed once."""
    lines, server = crowd
    before = asked(lines)
    found = offered_load(lines, server, rate=4_000, count=410)

    assert (len(found.answered.times), found.answered.unanswered) == (410, 0)
    assert found.answered.times[0] > 0
    assert found.late[0] >= 0
    # The first may have left late.
    assert found.answered.shares.seconds + max(found.late) / 1e9 >= 409 / 4_000
    assert [now - then for now, then in zip(asked(lines), before, strict=True)] == [21] * 10 + [20] * 10


def test_lines_come_back(crowd: tuple[LoadClient, Server]) -> None:
    """Lines that were dropped are opened again, and go on."""
    lines, server = crowd
    lines.drop(lines.lines[:5])
    lines.bring_in(lines.lines[:5], at_once=5)

    assert closed_loop(lines, server, 0).unanswered == 0


def test_stay_measures_and_leaves_nothing(tmp_path: Path) -> None:
    """A stay gives its loads and the memory for a terminal, and its folder is gone."""
    course = LoadPlan(warm_s=0, closed_s=0.05, offered_s=0.05, offered=(1_000,))
    found = stay(RawEcho(), CLIENTS, course, Workplace(tmp_path, Cores.here()))

    assert (found.system, found.clients, found.kept) == ("echo", CLIENTS, None)
    assert found.memory > 0
    assert (found.closed.offered, [load.offered for load in found.offered]) == (0, [1_000])
    assert found.offered[0].answered == 50
    assert found.acknowledged == CLIENTS + found.closed.answered + 50
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True, slots=True)
class Forgetful(RawEcho):
    """An echo that says it keeps bets and has none."""

    def kept(self, _room: Path, /) -> int:  # type: ignore[override]
        return 0


def test_bets_that_are_lost_are_a_fault(tmp_path: Path) -> None:
    """A system that has fewer bets on the disk than it acknowledged is not measured but found out."""
    with pytest.raises(BenchFault, match=r"echo acknowledged [0-9]+ bets and kept 0"):
        stay(Forgetful(), 1, LoadPlan(0, 0, 0), Workplace(tmp_path, Cores.here()))


def test_idle_lines_give_a_sign_of_life(crowd: tuple[LoadClient, Server]) -> None:
    """Lines that have nothing to say for long say so, where the server asks for it, and not before it is due."""
    with closing(LoadClient(crowd[0].address, replace(PlainManners(), alive=masked(b"still here")))) as lines:
        lines.grow(3)
        lines.keep_alive()
        lines.alive_at -= ALIVE_EVERY
        lines.keep_alive()
        said = [payload for _, payload in lines.listen(0.1)]

    assert said == [b"still here"] * 3


def test_server_that_does_not_stop_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that does not heed the word is ended all the same."""
    monkeypatch.setattr("benchmarks.machine.STOP_MAX", 0.1)
    deaf = (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('127.0.0.1:1', flush=True)\nsignal.pause()"
    )
    (tmp_path / "deaf.py").write_text(deaf)
    with running("deaf", output=tmp_path / "log", cores=Cores.here(), folder=tmp_path) as server:
        assert server.address == ("127.0.0.1", 1)

    assert not Path(f"/proc/{server.pid}").exists()


def test_bare_write_reaches_everybody(tmp_path: Path) -> None:
    """The bare server writes one frame to every socket, whoever asks, and those that leave are let go."""
    with (
        running("benchmarks.bare_write", "243", output=tmp_path / "log", cores=Cores.here()) as server,
        crowded(server, PlainManners(), CLIENTS) as lines,
    ):
        with crowded(server, PlainManners(), 3) as others:
            assert write(others) > 0
        lines.quieten()
        assert write(lines) > 0
        lines.lines[0].send(masked(b"again"))
        sizes = {len(payload) for _, payload in lines.listen(0.05)}

    assert sizes == {243} == {len(message(243))}


def _answering(said: bytes) -> Address:
    """A server that takes one line, says something and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as line:
            line.recv(4096)
            line.sendall(said)

    threading.Thread(target=serve, daemon=True).start()
    return Address(*listener.getsockname())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "A-1 is not let in: HTTP/1.1 403 Forbidden"),
        (b"HTTP/1.1 101", "the server hung up on A-1"),
        (b"", "the server hung up on A-1"),
    ],
)
def test_whoever_is_not_let_in_is_told(said: bytes, words: str) -> None:
    """A server that does not upgrade a line ends the measurement, and its status is passed on."""
    with closing(LoadClient(_answering(said), PlainManners())) as lines, pytest.raises(BenchFault, match=words):
        lines.grow(1)


def test_nobody_there_is_told() -> None:
    """Where nobody listens, the measurement ends with the system's words."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = Address(*listener.getsockname())
    with closing(LoadClient(address, PlainManners())) as lines, pytest.raises(BenchFault, match="A-1 cannot connect"):
        lines.grow(1)


def test_those_not_told_are_counted(crowd: tuple[LoadClient, Server]) -> None:
    """Where not everybody is told something in time, it is said how many were not."""
    lines, _ = crowd
    lines.lines[0].send(masked(b"one"))

    with pytest.raises(BenchFault, match="19 of 20 lines were not told"):
        lines.until_all(lambda payload: payload == b"one", wait=2)


def test_server_that_does_not_start_is_told(tmp_path: Path) -> None:
    """What a server says before it ends is passed on."""
    nobody = partial(running, output=tmp_path / "log", cores=Cores.here())
    with pytest.raises(BenchFault, match="usage: bare"), nobody("benchmarks.bare_write"):
        pass
    with pytest.raises(BenchFault, match="it said nothing"), nobody("benchmarks.machine"):
        pass


@pytest.mark.parametrize(
    ("percent", "figure"), [(0, 1), (1, 1), (10, 1), (11, 2), (50, 5), (90, 9), (91, 10), (99, 10), (100, 10)]
)
def test_percentile_is_one_of_the_figures(percent: int, figure: int) -> None:
    """A percentile is the least figure that so many per cent do not exceed."""
    assert percentile(range(1, 11), percent) == figure


def test_spread_names_a_figure_that_was_seen() -> None:
    """The middle of several rounds is one of them, also where their number is even."""
    assert Spread.of([4, 1, 3, 2]) == (2, 1, 4)
    assert Spread.of([7]) == (7, 7, 7)


def test_cpu_of_a_process_is_read(tmp_path: Path) -> None:
    """The time of a process is what it says itself, whatever the name of its program."""
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
def test_client_that_holds_the_rate_down_is_marked(client: float, server: float, limited: bool) -> None:  # noqa: FBT001
    """A closed loop is marked where the client had a whole core and the server did not."""
    found = Answered([1], 1, 0, Shares(1, server, client, 0))

    assert load_of(found).limited is limited


@pytest.mark.parametrize(("late", "limited"), [(900_000, False), (1_100_000, True)])
def test_client_that_is_late_is_marked(late: int, limited: bool) -> None:  # noqa: FBT001 - what is expected
    """A timetable is marked where the client was late by its own fault, however busy it was."""
    found = Answered([1], 1, 0, Shares(1, 0.1, 1.0, 0))

    assert load_of(found, offered=10, late=[late]).limited is limited


def test_load_is_worked_out() -> None:
    """Rates count what came in time, percentiles all of it, and the cost of a bet is what both sides used."""
    found = load_of(Answered([1_000_000] * 98 + [7_000_000, 9_000_000], 80, 3, IDLE), refused=2)

    assert (found.answered, found.refused, found.unanswered, found.per_s) == (100, 2, 3, 40)
    assert (found.p50_ms, found.p99_ms, found.most_ms) == (1, 7, 9)
    assert (found.server_us, found.client_us) == (12_500, 6_250)
    assert not found.disturbed


def test_load_without_an_answer() -> None:
    """A load to which nothing was answered has no times."""
    found = load_of(Answered([], 0, 5, Shares(1, 0, 0, 0.2)))

    assert (found.per_s, found.p99_ms, found.unanswered, found.disturbed) == (0, 0, 5, True)


def test_machine_is_looked_at(tmp_path: Path) -> None:
    """The machine says what it is, what its disk is and takes, and how many files may be open."""
    about, before = described(), Busy.now()

    assert about["cores"] == len(os.sched_getaffinity(0))
    assert "picows" in str(about["packages"])
    assert filesystem(Path("/proc/self")) == "proc"
    assert filesystem(tmp_path) not in ("unknown", *IN_MEMORY)
    assert 0 < flush_ms(tmp_path, 10)[0] <= flush_ms(tmp_path, 10)[1]
    assert list(tmp_path.iterdir()) == []
    assert Busy.now().used >= before.used > 0
    assert allow_files(10) >= 10


def test_more_files_than_allowed_are_not_promised() -> None:
    """Whoever asks for more files than there may be is told how many there are."""
    program = (
        "import resource\nfrom benchmarks.machine import allow_files\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (50, 100))\n"
        "print(allow_files(80), allow_files(2**40) >= 100)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "80 True\n"


def test_cores_are_parted() -> None:
    """Servers start on other cores than the client's, where there are several, and the client keeps what it had."""
    one = Cores(frozenset({0}), frozenset({0}))
    before = os.sched_getaffinity(0)
    with Cores.here().of_server():
        assert os.sched_getaffinity(0) == Cores.here().server or len(before) == 1

    assert os.sched_getaffinity(0) == before
    assert one.server == one.client
    assert Cores.among([0]) == one
    assert Cores.among([3, 1, 2]) == Cores(frozenset({1, 2}), frozenset({3}))


def test_ordinary_stack_says_what_it_needs(tmp_path: Path) -> None:
    """Where the packages of the ordinary stack are missing, the command is named that installs them."""
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 1\n")
    bare.chmod(0o700)

    assert Ordinary(str(bare)).missing().endswith("to install them: pip install --editable '.[bench]'")
    assert "cannot be run" in Ordinary(str(tmp_path / "none")).missing()
    assert Ordinary("true").missing() == ""


def test_ordinary_stack_is_only_in_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the project is installed without its benchmarks, that is said."""
    monkeypatch.setattr("benchmarks.systems.CHECKOUT", tmp_path)

    assert "checkout" in Ordinary("true").missing()


def test_bet_carries_the_terminal(crowd: tuple[LoadClient, Server]) -> None:
    """At the ordinary stack each terminal bets in its own name."""
    lines, server = crowd
    PlainScene(server, b'{"id":%d,"terminal":"%s"}').begin(lines)

    assert b'"terminal":"A-20"' in lines.lines[19].ask
    assert closed_loop(lines, server, 0).unanswered == 0
