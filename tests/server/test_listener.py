"""The listener: connections beyond those that may be open wait, and a system without files is waited out."""

import asyncio
import errno
import resource
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from croupier.engine import accepting as accepts
from croupier.engine.accepting import (
    ACCEPTS_PER_ITERATION,
    CONNECTIONS_MIN,
    RESERVED_FILES,
    Capacity,
    Listener,
    ProtocolServer,
    connections_most,
    listen,
)
from croupier.server import listener
from croupier.server.listener import BoundedReads, tls_context
from tests.support.certificate import self_signed
from tests.support.connections import until
from tests.support.slices import paced


def ran(scenario: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 30))


class Accepting:
    """A server at its plainest: it accepts while the listener is readable, until that would block."""

    def __init__(self, capacity: Capacity, each: Listener) -> None:
        self.capacity, self.listener = capacity, each
        self.accepted: list[socket.socket] = []
        #: How many were accepted each time.
        self.turns: list[int] = []
        each.settimeout(0)
        each.listen(200)
        capacity.loop.add_reader(each.fileno(), self._accept)

    def _accept(self) -> None:
        before = len(self.accepted)
        try:
            while True:
                self.accepted.append(self.listener.accept()[0])
        except BlockingIOError:
            self.turns.append(len(self.accepted) - before)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.listener.getsockname()[:2])

    async def has(self, count: int) -> None:
        await until(lambda: len(self.accepted) >= count)


@asynccontextmanager
async def accepting(most: int) -> AsyncIterator[Accepting]:
    capacity = Capacity(asyncio.get_running_loop(), most)
    (each,) = await listen(capacity, "127.0.0.1", 0)
    server = Accepting(capacity, each)
    try:
        yield server
    finally:
        capacity.loop.remove_reader(each.fileno())
        for accepted in server.accepted:
            accepted.close()
        each.close()
        assert each.fileno() == -1


def test_a_few_are_accepted_at_a_time() -> None:
    """Of 40 that come at once sixteen are accepted in one iteration of the loop, and the others in the next."""

    async def scenario() -> None:
        async with accepting(100) as server:
            clients = [server.connect() for _ in range(40)]
            await server.has(40)
            assert [each for each in server.turns if each] == [ACCEPTS_PER_ITERATION, ACCEPTS_PER_ITERATION, 8]
            assert server.capacity.open == 40
            for client in clients:
                client.close()

    ran(scenario)


def test_no_more_are_open_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection over the limit waits, the loop is not woken for it, and it is accepted when another is closed."""
    monkeypatch.setattr(accepts, "ACCEPT_PAUSE_S", 1_000)

    async def scenario() -> None:
        async with accepting(2) as server:
            clients = [closing(server.connect()) for _ in range(3)]
            with capture_logs() as logs, clients[0], clients[1], clients[2]:
                await server.has(2)
                turns = len(server.turns)
                for _ in range(100):
                    await asyncio.sleep(0)
                assert len(server.turns) <= turns + 1
                assert (len(server.accepted), server.capacity.open) == (2, 2)
                with pytest.raises(BlockingIOError):
                    server.listener.accept()
                server.accepted[0].close()
                server.accepted[0].close()
                await server.has(3)
                assert server.capacity.open == 2
            assert [(each["event"], each["connections"]) for each in logs] == [("connections_full", 2)] * 2

    ran(scenario)


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE])
def test_system_without_files_is_waited_out(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Where the system has no file for a connection nothing is accepted for a moment, and then that connection is."""
    real, failures = socket.socket.accept, iter([OSError(code, "too many"), OSError(code, "too many")])

    def failing(self: socket.socket) -> tuple[socket.socket, object]:
        error = next(failures, None)
        if error is not None:
            raise error
        return real(self)

    monkeypatch.setattr(socket.socket, "accept", failing)
    monkeypatch.setattr(accepts, "ACCEPT_PAUSE_S", 0.001)

    async def scenario() -> None:
        async with accepting(10) as server:
            with capture_logs() as logs, closing(server.connect()):
                await server.has(1)
            assert [each["event"] for each in logs] == ["accept_failed", "accept_failed"]

    ran(scenario)


def test_other_errors_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that does not pass by itself is the server's to see."""

    def failing(_self: socket.socket) -> tuple[socket.socket, object]:
        raise ConnectionAbortedError

    async def scenario() -> None:
        (each,) = await listen(Capacity(asyncio.get_running_loop(), 1), "127.0.0.1", 0)
        monkeypatch.setattr(socket.socket, "accept", failing)
        with closing(each), pytest.raises(ConnectionAbortedError):
            each.accept()
        each.resume()

    ran(scenario)


def test_all_addresses_of_a_host_are_bound_or_none() -> None:
    """A host with an address in either family is listened on at both; where one is taken, the other is closed."""

    async def scenario() -> None:
        capacity = Capacity(asyncio.get_running_loop(), 1)
        (six,) = await listen(capacity, "::1", 0)
        with closing(six):
            six.listen()
            port = six.getsockname()[1]
            with pytest.raises(OSError, match="Address already in use"):
                await listen(capacity, "::1", port)
            (four,) = await listen(capacity, "127.0.0.1", port)
            four.close()

    ran(scenario)


def test_closed_server_ends_handshakes_that_are_under_way(tmp_path: Path) -> None:
    """A client that never begins its handshake is dropped when the server is closed; closing twice does nothing."""

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        capacity = Capacity(loop, 2)
        (each,) = await listen(capacity, "127.0.0.1", 0)
        certificate = self_signed(tmp_path)
        server = ProtocolServer(
            each, asyncio.Protocol, tls_context(certificate, certificate.with_name("key.pem")), 1_000
        )
        with closing(socket.create_connection(("127.0.0.1", server.port))):
            await until(lambda: capacity.open == 1)
            server.close()
            server.close()
            await until(lambda: capacity.open == 0)

    ran(scenario)


@pytest.mark.parametrize(
    ("files", "websockets", "most"),
    [
        (100_000, 12_000, 12_256),
        (1_024, 12_000, 1_024 - RESERVED_FILES),
        (RESERVED_FILES, 12_000, CONNECTIONS_MIN),
    ],
)
def test_limit_is_by_files_and_by_configuration(
    monkeypatch: pytest.MonkeyPatch, files: int, websockets: int, most: int
) -> None:
    """As many connections as are configured may be open, or as the system has files for besides those kept free."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert connections_most(websockets) == most


class Reading:
    """Socket pairs that are read through bounded reads, a byte each time."""

    def __init__(self, count: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.reads, self.pairs = BoundedReads(self.loop), [socket.socketpair() for _ in range(count)]
        #: What was read, by the number of its pair, in each iteration of the event loop.
        self.turns: list[list[int]] = [[]]
        for number, (near, _) in enumerate(self.pairs):
            self.reads.add_reader(near.fileno(), self.read, number)

    def read(self, number: int) -> None:
        self.turns[-1].append(number)
        self.pairs[number][0].recv(1)

    async def iterate(self) -> list[int]:
        """Run one iteration of the event loop; return what was read in it."""
        self.turns.append([])
        await asyncio.sleep(0)
        return self.turns[-1]

    def close(self) -> None:
        for near, far in self.pairs:
            self.reads.remove_reader(near.fileno())
            near.close()
            far.close()


def test_reads_of_one_iteration_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What many connections send at once is read in several iterations of the loop, each in turn and none twice."""
    monkeypatch.setattr(listener, "_now", paced(4))
    monkeypatch.setattr(listener, "SMALL_STEPS", 1)

    async def scenario() -> None:
        with closing(Reading(12)) as reading:
            for _, far in reading.pairs:
                far.send(b"ab")
            turns = [await reading.iterate() for _ in range(10)]
            assert max(map(len, turns)) == 4
            everyone, read = sorted(range(len(reading.pairs))), [number for turn in turns for number in turn]
            assert (sorted(read[: len(everyone)]), sorted(read[len(everyone) :])) == (everyone, everyone)

    ran(scenario)


def test_quick_reads_are_done_in_one_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as there is time, one iteration of the loop reads from all connections."""
    monkeypatch.setattr(listener, "_now", paced(100))

    async def scenario() -> None:
        with closing(Reading(96)) as reading:
            for _, far in reading.pairs:
                far.send(b"a")
            turns = [await reading.iterate() for _ in range(3)]
            assert [len(turn) for turn in turns if turn] == [96]

    ran(scenario)


def test_readers_come_and_go() -> None:
    """A removed reader is not called, one that fails is reported, and a descriptor in use again has a new reader."""

    async def scenario() -> None:
        with closing(Reading(2)) as reading:
            reports: list[dict[str, object]] = []
            reading.loop.set_exception_handler(lambda _, context: reports.append(context))
            (first, far), (second, other) = reading.pairs
            # The first of both that is called removes the other.
            reading.reads.add_reader(first.fileno(), reading.reads.remove_reader, second.fileno())
            reading.reads.add_reader(second.fileno(), reading.reads.remove_reader, first.fileno())
            far.send(b"a")
            other.send(b"a")
            await reading.iterate()
            await reading.iterate()
            gone = [each for each in (first, second) if not reading.reads.remove_reader(each.fileno())]
            assert len(gone) == 1
            reading.reads.add_reader(first.fileno(), lambda: 1 // 0)
            await until(lambda: bool(reports))
            assert isinstance(reports[0]["exception"], ZeroDivisionError)
            number = first.fileno()
            first.close()
            reading.pairs[0] = (socket.fromfd(second.fileno(), socket.AF_UNIX, socket.SOCK_STREAM), far)
            assert reading.pairs[0][0].fileno() == number
            reading.reads.add_reader(number, reading.read, 0)
            await until(lambda: reading.turns[-1] == [0])
            assert reading.reads.get_debug() is reading.loop.get_debug()

    ran(scenario)
