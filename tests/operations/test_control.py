"""The control socket: a running system answers its own host, each request once, and whatever is sent to it."""

import asyncio
import os
import socket
import stat
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from croupier.journal.keystore import KeyStore
from croupier.operations.control import (
    ADDRESS_MAX,
    CONNECTIONS_MAX,
    LINE_MAX,
    AnyRequest,
    AnyResponse,
    ChangeDay,
    ChangedFile,
    ControlSocket,
    ControlUnreachable,
    CopyJournal,
    ExportPart,
    FindDevice,
    GetStatus,
    IntegrityFailed,
    IntegrityUnknown,
    MakeBackup,
    OperationsFault,
    ReloadSettings,
    Reply,
    RequestDeclined,
    VerifySoftware,
    address,
    ask,
    read_reply,
    written,
)
from tests.support.maintenance import (
    COPIED,
    DAY,
    DEVICES,
    EXPORTED,
    MADE,
    RELOADED,
    SHIPPED,
    STATUS,
    VERIFIED,
    StubMaintenance,
    data_of,
    opened,
)


def ask_system(key_store: KeyStore, request: AnyRequest) -> AnyResponse | None:
    """Ask the server that uses a safe with the data that goes with it here."""
    return ask(key_store, request, data_of(key_store))


@pytest.fixture
def key_store(tmp_path: Path) -> KeyStore:
    key_store = KeyStore(tmp_path / "safe")
    key_store.provision()
    return key_store


def with_control(
    key_store: KeyStore, story: Callable[[StubMaintenance], Awaitable[None]], patience_s: float = 60
) -> None:
    """Let something happen while a system answers."""

    async def reported() -> None:
        stub = StubMaintenance()
        async with opened(stub, key_store, patience_s), asyncio.timeout(20):
            await story(stub)

    asyncio.run(reported())


class Line:
    """A connection to the control socket on which anything may be said."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def to(cls, key_store: KeyStore) -> "Line":
        return cls(*await asyncio.open_unix_connection(address(key_store)))

    async def send(self, words: bytes) -> None:
        self._writer.write(words)
        await self._writer.drain()

    async def say(self, words: bytes) -> AnyResponse:
        await self.send(words)
        return await self.hear()

    async def hear(self) -> AnyResponse:
        return read_reply(await self._reader.readline()).answer

    async def is_over(self) -> bool:
        return await self._reader.read() == b""

    async def hang_up(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


# what is asked and answered


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (MakeBackup(SHIPPED, 3), MADE),
        (VerifySoftware(), VERIFIED),
        (ReloadSettings(), RELOADED),
        (GetStatus(), STATUS),
        (ExportPart(2, 9), EXPORTED),
        (CopyJournal(), COPIED),
        (ChangeDay(opens=False, person="anna", words="Night."), DAY),
        (FindDevice("T1"), DEVICES["T1"]),
    ],
)
def test_request_is_answered(key_store: KeyStore, request_: AnyRequest, answer: AnyResponse) -> None:
    """Each request is answered with what the maintenance service returns, value for value."""

    async def story(stub: StubMaintenance) -> None:
        assert await asyncio.to_thread(ask_system, key_store, request_) == answer
        assert stub.requested == ([(Path(SHIPPED), 3)] if isinstance(request_, MakeBackup) else [])
        assert stub.requested_parts == ([(2, 9)] if isinstance(request_, ExportPart) else [])

    with_control(key_store, story)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b'{"do":"status"}\n', STATUS),
        (b'{"do":"verify"}\n', VERIFIED),
        (b'{"do":"backup","to":"/backups"}\n', MADE),
        (b' {"keep": 1, "to": "/backups", "do": "backup"} \r\n', MADE),
    ],
)
def test_request_is_plain_json(key_store: KeyStore, line: bytes, answer: AnyResponse) -> None:
    """A request is one line of JSON that anybody can write."""

    async def story(_: StubMaintenance) -> None:
        connection = await Line.to(key_store)
        assert await connection.say(line) == answer
        await connection.hang_up()

    with_control(key_store, story)


def test_verdicts_are_sent_whole(key_store: KeyStore) -> None:
    """What was found about the software comes through the socket as it was found."""
    verdicts = (
        VERIFIED,
        IntegrityUnknown("it is not installed"),
        IntegrityFailed((ChangedFile("changed", "a.py", "croupier"),)),
    )

    async def story(stub: StubMaintenance) -> None:
        for stub.verdict in verdicts:
            assert await asyncio.to_thread(ask_system, key_store, VerifySoftware()) == stub.verdict

    with_control(key_store, story)


def test_several_requests_on_one_connection(key_store: KeyStore) -> None:
    """Requests on one connection are answered one after the other, those that came together too."""

    async def story(_: StubMaintenance) -> None:
        connection = await Line.to(key_store)
        assert await connection.say(written(GetStatus()) + written(VerifySoftware())) == STATUS
        assert await connection.hear() == VERIFIED
        assert await connection.say(written(ReloadSettings())) == RELOADED
        await connection.hang_up()

    with_control(key_store, story)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"status\n",
        b"{}\n",
        b"[]\n",
        b'{"do":"status"\n',
        b'{"do":"stop"}\n',
        b'{"do":"status","now":true}\n',
        b'{"do":"status","data":"","data":""}\n',
        b'{"do":"backup"}\n',
        b'{"do":"backup","to":"backups"}\n',
        b'{"do":"backup","to":""}\n',
        b'{"do":"backup","to":7}\n',
        b'{"do":"backup","to":"/backups","keep":0}\n',
        b'{"do":"backup","to":"/backups","keep":-1}\n',
        b'{"do":"backup","to":"/backups","keep":1e9}\n',
        b'{"do":"backup","to":"/backups","keep":"3"}\n',
        b'{"do":"backup","to":"/%b"}\n' % (b"x" * 4_096),
        b'{"do":"backup","to":"/\xff"}\n',
        b'{"do":"backup","to":"/backups\\u0000"}\n',
        b'{"do":"device","device":"A-1\\u0000"}\n',
        b'{"do":"status","data":"\\u0000"}\n',
        b"\xff\xfe\x00\n",
        b"[" * 8_000 + b"\n",
    ],
)
def test_nonsense_is_declined(key_store: KeyStore, line: bytes) -> None:
    """What is no request is answered as such, nothing is done, and the next request is answered."""

    async def story(stub: StubMaintenance) -> None:
        connection = await Line.to(key_store)
        answer = await connection.say(line)
        assert isinstance(answer, RequestDeclined)
        assert answer.message.startswith("Invalid request: ")
        assert await connection.say(written(GetStatus())) == STATUS
        assert stub.requested == []
        await connection.hang_up()

    with_control(key_store, story)


def test_line_without_an_end_is_declined(key_store: KeyStore) -> None:
    """A line that is longer than any request is not read to its end; its sender gets a refusal, and is disconnected."""

    async def story(_: StubMaintenance) -> None:
        connection = await Line.to(key_store)
        assert await connection.say(b"x" * (2 * LINE_MAX)) == RequestDeclined(
            f"A request must not be longer than {LINE_MAX} bytes."
        )
        await connection.hang_up()
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS

    with_control(key_store, story)


def test_fault_is_declined(key_store: KeyStore) -> None:
    """A maintenance fault is sent to the requester, and the system goes on."""

    async def story(stub: StubMaintenance) -> None:
        stub.fault = OperationsFault("the disk is full")
        answer = await asyncio.to_thread(ask_system, key_store, MakeBackup(SHIPPED))
        assert answer == RequestDeclined("The request failed: the disk is full.")
        assert stub.requested == [(Path(SHIPPED), None)]
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS

    with_control(key_store, story)


# who is there


def test_socket_is_its_owners_alone(key_store: KeyStore) -> None:
    """The socket lies in the safe, for its owner alone, for as long as somebody answers there."""

    async def story(_: StubMaintenance) -> None:
        found = address(key_store).stat()
        assert stat.S_ISSOCK(found.st_mode)
        assert stat.S_IMODE(found.st_mode) == 0o600

    with_control(key_store, story)
    assert not address(key_store).exists()
    assert address(key_store) == key_store.path / "control"


def test_socket_that_was_left_is_taken_over(key_store: KeyStore) -> None:
    """After a system that was killed the next one answers, and in between nobody does."""
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(address(key_store)))
    left.close()
    assert ask_system(key_store, GetStatus()) is None

    async def story(_: StubMaintenance) -> None:
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS

    with_control(key_store, story)


def test_socket_that_is_alive_is_not_taken_over(key_store: KeyStore) -> None:
    """While a system answers, another one that would answer there is refused, and the first goes on."""

    async def story(_: StubMaintenance) -> None:
        with pytest.raises(OperationsFault, match="another server listens on"):
            await ControlSocket(StubMaintenance(), key_store, data_of(key_store)).open()
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS

    with_control(key_store, story)


def test_socket_with_a_full_backlog_is_alive(key_store: KeyStore) -> None:
    """A system that is too busy to take a connection is no dead one: its socket is left alone."""

    async def story() -> None:
        with pytest.raises(OperationsFault, match="another server listens on"):
            await ControlSocket(StubMaintenance(), key_store, data_of(key_store)).open()

    with socket.socket(socket.AF_UNIX) as busy, ExitStack() as waiting:
        busy.bind(str(address(key_store)))
        busy.listen(0)
        for _ in range(3):
            caller = waiting.enter_context(socket.socket(socket.AF_UNIX))
            caller.settimeout(0)
            with suppress(BlockingIOError):
                caller.connect(str(address(key_store)))
        asyncio.run(story())
        assert address(key_store).exists()


# whose data


@pytest.mark.parametrize("request_", [MakeBackup(SHIPPED), VerifySoftware(), ReloadSettings(), GetStatus()])
def test_system_with_other_data_does_nothing(key_store: KeyStore, request_: AnyRequest, tmp_path: Path) -> None:
    """Whoever means a system with other data is declined by this one, and nothing is done for them."""

    async def story(stub: StubMaintenance) -> None:
        answer = await Line.to(key_store)
        said = await answer.say(written(replace(request_, data=str(tmp_path / "other"))))
        assert said == RequestDeclined(
            f"This server has its data in {data_of(key_store)}, not in {tmp_path / 'other'}."
        )
        assert stub.requested == []
        await answer.hang_up()
        with pytest.raises(OperationsFault, match="has its data in"):
            await asyncio.to_thread(ask, key_store, request_, tmp_path / "other")
        assert stub.requested == []

    with_control(key_store, story)


def test_data_is_the_same_by_whichever_path(key_store: KeyStore, tmp_path: Path) -> None:
    """A link to the data, or a path with dots in it, means the same system."""
    (tmp_path / "link").symlink_to(data_of(key_store))

    async def story(_: StubMaintenance) -> None:
        for path in (tmp_path / "link", tmp_path / "x" / ".." / "data"):
            assert await asyncio.to_thread(ask, key_store, GetStatus(), path) == STATUS

    with_control(key_store, story)


def test_reply_of_another_system_is_not_taken(key_store: KeyStore) -> None:
    """An answer that names other data than was meant is no answer, though the system gave one."""
    reply = written(Reply("/elsewhere", STATUS))
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(address(key_store)))
        other.listen(1)

        def serve() -> None:
            caller, _ = other.accept()
            with caller:
                caller.recv(LINE_MAX)
                caller.sendall(reply)

        server = Thread(target=serve)
        server.start()
        with pytest.raises(OperationsFault, match="has its data in /elsewhere, not in"):
            ask_system(key_store, GetStatus())
        server.join()


def test_nobody_there_is_no_fault(key_store: KeyStore) -> None:
    """Where no system runs there is no answer, and that is all."""
    assert ask_system(key_store, GetStatus()) is None


def test_socket_that_cannot_be_reached_is_a_fault(key_store: KeyStore) -> None:
    """A caller without access to the socket gets that reason, and not that no system is running."""
    with pytest.raises(OperationsFault, match="cannot connect to the running server: Not a directory"):
        ask_system(KeyStore(key_store.path / "public.pem"), GetStatus())


def test_socket_that_cannot_be_made_is_a_fault(key_store: KeyStore) -> None:
    """When the socket cannot be created the system reports it and may run without one."""

    async def story() -> None:
        with pytest.raises(OperationsFault, match="control cannot be a socket: Is a directory"):
            await ControlSocket(StubMaintenance(), key_store, data_of(key_store)).open()
        with pytest.raises(OperationsFault, match="control cannot be a socket: No such file or directory"):
            await ControlSocket(StubMaintenance(), KeyStore(key_store.path / "none"), data_of(key_store)).open()

    address(key_store).mkdir()
    asyncio.run(story())


async def without_an_address(key_store: KeyStore) -> None:
    """Open a control socket that cannot be, and close it in any case, as a house does that goes on without one."""
    control = ControlSocket(StubMaintenance(), key_store, data_of(key_store))
    try:
        await control.open()
    finally:
        await control.close()


def test_longest_address_is_taken_and_a_longer_one_not(tmp_path: Path) -> None:
    """A socket's address has so many bytes; one that would have more is refused on either side, and why is said."""
    room = ADDRESS_MAX - len(os.fsencode(tmp_path)) - len("/control") - 1
    key_store, longer = KeyStore(tmp_path / ("s" * room)), KeyStore(tmp_path / ("s" * (room + 1)))
    for each in (key_store, longer):
        each.provision()

    async def story(_: StubMaintenance) -> None:
        assert len(os.fsencode(address(key_store))) == ADDRESS_MAX
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS

    with_control(key_store, story)
    with pytest.raises(ControlUnreachable, match=f"is {ADDRESS_MAX + 1} bytes long"):
        asyncio.run(without_an_address(longer))
    with pytest.raises(ControlUnreachable, match="use a key store with a shorter path"):
        ask_system(longer, GetStatus())


# who stays too long, and who leaves too soon


def test_so_many_may_be_connected(key_store: KeyStore) -> None:
    """A connection beyond the limit is refused and closed, and a client that leaves makes room."""

    async def story(_: StubMaintenance) -> None:
        lines = [await Line.to(key_store) for _ in range(CONNECTIONS_MAX)]
        for each in lines:
            assert await each.say(written(GetStatus())) == STATUS
        crowded = await Line.to(key_store)
        assert await crowded.hear() == RequestDeclined("Too many are connected: try again.")
        assert await crowded.is_over()
        for each in lines:
            await each.hang_up()
        while isinstance(answer := await asyncio.to_thread(ask_system, key_store, GetStatus()), RequestDeclined):
            pass
        assert answer == STATUS
        await crowded.hang_up()

    with_control(key_store, story)


def test_silence_is_not_borne_for_ever(key_store: KeyStore) -> None:
    """A connection that sends nothing is closed after a while."""

    async def story(_: StubMaintenance) -> None:
        connection = await Line.to(key_store)
        assert await connection.is_over()
        await connection.hang_up()

    with_control(key_store, story, patience_s=0)


def test_whoever_leaves_before_the_answer_disturbs_nobody(key_store: KeyStore) -> None:
    """A backup is made also where nobody waits for it any more, and others are answered meanwhile."""

    async def story(stub: StubMaintenance) -> None:
        stub.may_end.clear()
        impatient = await Line.to(key_store)
        await impatient.send(written(MakeBackup(SHIPPED)))
        await stub.begun.wait()
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS
        await impatient.hang_up()
        stub.may_end.set()
        assert await asyncio.to_thread(ask_system, key_store, GetStatus()) == STATUS

    with_control(key_store, story)


def test_system_that_stops_answers_nobody(key_store: KeyStore) -> None:
    """A caller who waits for a response while the system stops gets a message that there is none."""

    async def story() -> None:
        stub = StubMaintenance()
        stub.may_end.clear()
        async with opened(stub, key_store):
            asking = asyncio.create_task(asyncio.to_thread(ask_system, key_store, MakeBackup(SHIPPED)))
            await stub.begun.wait()
        with pytest.raises(OperationsFault, match="closed the connection without a response"):
            await asking

    asyncio.run(story())
