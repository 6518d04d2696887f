"""The control socket: requests, responses, faults."""

import asyncio
import json
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Final, Literal, Protocol, assert_never

import msgspec
from msgspec.structs import replace

from croupier.engine.accepting import CONTROL_MAX, Capacity, ProtocolServer, listen_at
from croupier.engine.places import PLACE_FILE
from croupier.house.ids import Day, Instant
from croupier.journal.keystore import KeyStore
from croupier.journal.verify import unique
from croupier.words import BlockerText


class ControlResponse(msgspec.Struct, frozen=True, tag_field="answer", tag=str.lower):
    """A response on the control socket."""


class BackedUp(ControlResponse, frozen=True):
    """A backup was made, verified and signed."""

    path: str
    made_at: Instant
    software: str
    #: The last entry in it, the epoch that wrote it, and the chain digest up to it.
    position: int
    epoch: int
    head: str
    #: Older backups that were removed for it; and why none could be removed when one was due.
    removed: tuple[str, ...] = ()
    crowded: str = ""


class IntegrityVerified(ControlResponse, frozen=True, tag="verified"):
    """Every file of the software and its dependencies is as it was installed."""

    distributions: int
    files: int


class IntegrityUnknown(ControlResponse, frozen=True, tag="unverified"):
    """There is no record to verify the software against."""

    why: str


class ChangedFile(msgspec.Struct, frozen=True):
    """One file that is not as it was installed."""

    how: Literal["changed", "missing", "added"]
    file: str
    distribution: str


class IntegrityFailed(ControlResponse, frozen=True, tag="differs"):
    """The software is not what was installed."""

    files: tuple[ChangedFile, ...]


Verdict = IntegrityVerified | IntegrityUnknown | IntegrityFailed


class Reloaded(ControlResponse, frozen=True):
    """The settings were reloaded; the results, a line each."""

    lines: tuple[str, ...] = ()


class TableStatus(msgspec.Struct, frozen=True):
    """The state of a table: its round, and why it cannot play."""

    table: str
    rulebook: str
    phase: str
    #: The round that is running, or the last.
    round: int
    running: bool
    terminals: int
    blocked: tuple[BlockerText, ...] = ()


class LastBackup(msgspec.Struct, frozen=True):
    """The last known backup."""

    path: str
    made_at: Instant
    position: int


class GatewayStatus(msgspec.Struct, frozen=True):
    """A gateway that is linked to the house."""

    gateway: str
    since: Instant
    connections: int


class SystemStatus(ControlResponse, frozen=True, tag="status"):
    """The state of a running system."""

    software: str
    epoch: int
    #: The last committed entry.
    position: int
    day: Day
    #: Remarks that need attention, a line each.
    remarks: tuple[str, ...] = ()
    mode: str = ""
    #: When the status was taken, and since when the house has been open.
    now: Instant = Instant(0)
    open_since: Instant = Instant(0)
    tables: tuple[TableStatus, ...] = ()
    #: Connections by the kind of device.
    connections: dict[str, int] = {}
    gateways: tuple[GatewayStatus, ...] = ()
    #: Pending incidents, as sentences, the newest first; and how many more there are.
    incidents: tuple[str, ...] = ()
    incidents_more: int = 0
    backup: LastBackup | None = None
    #: The last entry covered by a signature, and the last in a snapshot.
    signed: int = 0
    snapshot: int = 0
    #: How much of the journal the scrubber has verified: the last gaming day on which it reached the end.
    proven_on: Day = Day(0)
    #: Free bytes, by what is stored on the disk.
    disk_free: dict[str, int] = {}
    standby: bool = False


class StandbyStatus(ControlResponse, frozen=True, tag="standby"):
    """The state of a standby, with which it answers every request."""

    software: str
    #: The last entry that it has read and applied, the epoch that wrote it, and the gaming day.
    position: int
    epoch: int
    day: Day
    #: The server that runs the venue; empty if none has been found yet.
    leader: str
    #: Why the journal cannot be read now; empty while it can.
    fault: str
    standby: bool = True


class Exported(ControlResponse, frozen=True):
    """A part of the journal was exported to a file, from entry first to last; the client fetches it."""

    path: str
    first: int
    last: int
    checkpoints: int


class JournalCopied(ControlResponse, frozen=True, tag="copied"):
    """The journal was copied to the data directory, up to an entry; the client reads the copy and removes it."""

    position: int


class DayChanged(ControlResponse, frozen=True, tag="day"):
    """Tables were opened or closed for the day."""

    #: The tables that were opened or closed, and those whose round is still running.
    tables: tuple[str, ...]
    running: tuple[str, ...]
    #: Tables that were refused, each with the reason.
    refused: dict[str, str]
    #: What is left to do before the day is over, a line each.
    left: tuple[str, ...] = ()


class DeviceFound(ControlResponse, frozen=True):
    """Whether the house has a device, and its purpose if the configuration names one."""

    known: bool
    kind: str = ""


class RequestDeclined(ControlResponse, frozen=True, tag="declined"):
    """The operation was not done, and why."""

    message: str


AnyResponse = (
    BackedUp
    | IntegrityVerified
    | IntegrityUnknown
    | IntegrityFailed
    | Reloaded
    | SystemStatus
    | StandbyStatus
    | Exported
    | JournalCopied
    | DayChanged
    | DeviceFound
    | RequestDeclined
)


class OperationsFault(Exception):  # noqa: N818 - a fault, as the project names it
    """An operation that cannot be done."""


class BackupCorrupt(OperationsFault):
    """A backup is damaged, or not the venue's."""


class ControlUnreachable(OperationsFault):
    """The control socket cannot be created at its path."""


@contextmanager
def os_errors_as_faults() -> Iterator[None]:
    """Translate an OSError."""
    try:
        yield
    except OSError as error:
        raise OperationsFault(f"{error.filename or 'the disk'} cannot be used: {error.strerror}") from error


_CONTROL: Final = "control"
#: The longest socket address that Linux accepts, in bytes.
ADDRESS_MAX: Final = 107
#: The longest line that is read: a path, and some words around it.
LINE_MAX: Final = 16_384


class ControlRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True):
    """A request on the control socket."""

    #: The data directory of the system that is meant; empty for any.
    data: Annotated[str, msgspec.Meta(max_length=4_096)] = ""


class MakeBackup(ControlRequest, frozen=True, tag="backup"):
    """Make a backup in a directory, and retain at most so many there."""

    to: Annotated[str, msgspec.Meta(pattern="^/", max_length=4_096)]
    #: None for the number that the running system is configured with.
    keep: Annotated[int, msgspec.Meta(ge=1, le=100_000)] | None = None


class VerifySoftware(ControlRequest, frozen=True, tag="verify"):
    """Verify the installed software against its record."""


class ReloadSettings(ControlRequest, frozen=True, tag="reload"):
    """Reload the settings that may change while the house is open."""


class GetStatus(ControlRequest, frozen=True, tag="status"):
    """Return the state of the system."""


class ExportPart(ControlRequest, frozen=True, tag="export"):
    """Export a part of the journal to a file in the data directory; to its end when no last entry is given."""

    first: Annotated[int, msgspec.Meta(ge=1)] = 1
    last: Annotated[int, msgspec.Meta(ge=1)] | None = None


class CopyJournal(ControlRequest, frozen=True, tag="copy"):
    """Copy the journal to the data directory, where a client reads it."""


class ChangeDay(ControlRequest, frozen=True, tag="day"):
    """Open all tables that are closed, or close all that are open, in the name of a person with that duty."""

    opens: bool
    person: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    words: Annotated[str, msgspec.Meta(max_length=500)] = ""


class FindDevice(ControlRequest, frozen=True, tag="device"):
    """Return whether the house has a device of this id, and its purpose."""

    device: Annotated[str, msgspec.Meta(max_length=64)]


AnyRequest = (
    MakeBackup | VerifySoftware | ReloadSettings | GetStatus | ExportPart | CopyJournal | ChangeDay | FindDevice
)


def address(key_store: KeyStore, data: Path | None = None) -> Path:
    """Return the path of the control socket: in the key store, which only its owner can enter.

    Servers whose journal is in a database may share a key store: each has its socket in its data directory.
    """
    own = None if data is None or not data.joinpath(PLACE_FILE).exists() else data
    path = (own or key_store.path).absolute() / _CONTROL
    if len(os.fsencode(path)) > ADDRESS_MAX:
        words = f"{path} is {len(os.fsencode(path))} bytes long, and a socket's address has {ADDRESS_MAX} at most"
        raise ControlUnreachable(f"{words}: use a key store with a shorter path")
    return path


_REQUESTS: Final[msgspec.json.Decoder[AnyRequest]] = msgspec.json.Decoder(AnyRequest)


class Reply(msgspec.Struct, frozen=True):
    """A reply on the socket: a response, and the data directory of the system that sent it."""

    data: str
    answer: AnyResponse


_REPLIES: Final = msgspec.json.Decoder(Reply)


def named(data: Path) -> str:
    """Return the name of a data directory that both ends of the socket use."""
    return str(data.resolve())


def written(message: AnyRequest | Reply) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def read_request(line: bytes) -> AnyRequest:
    """Parse a request; ValueError when it is invalid."""
    try:
        request = _REQUESTS.decode(line)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    values = json.loads(line, object_pairs_hook=unique).values()
    if any(isinstance(value, str) and "\0" in value for value in values):
        # No name of a file or device has one, and the system's calls raise for it.
        raise ValueError("a text has a NUL")
    return request


def read_reply(line: bytes) -> Reply:
    """Parse a reply; ValueError when it is invalid."""
    return _REPLIES.decode(line)


#: More than the names of all files of an installation, each reported as changed.
ANSWER_MAX: Final = 16_000_000


def ask(key_store: KeyStore, request: AnyRequest, data: Path) -> AnyResponse | None:
    """Send a request to the server that runs on a key store and this data; None if none runs. It has no timeout."""
    try:
        line = _exchanged(str(address(key_store, data)), written(replace(request, data=named(data))))
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    except OSError as error:
        raise OperationsFault(f"cannot connect to the running server: {error.strerror}") from error
    try:
        reply = read_reply(line)
    except ValueError as error:
        raise OperationsFault("the running server closed the connection without a response") from error
    if reply.data != named(data):
        raise OperationsFault(
            f"the server that uses {key_store.path} has its data in {reply.data}, not in {named(data)}"
        )
    return reply.answer


def _exchanged(where: str, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(where)
        connection.sendall(request)
        with connection.makefile("rb") as answers:
            return answers.readline(ANSWER_MAX)


#: How many clients may be connected at once: a person, a timer, and some that were left open.
CONNECTIONS_MAX: Final = 4
#: How long a connected client may be silent.
PATIENCE_S: Final = 30


class ControlHandler(Protocol):
    """Handles the requests of the control socket. A failure is an OperationsFault, which does not stop the server."""

    async def backup(self, to: Path, keep: int | None) -> BackedUp: ...

    async def verify(self) -> Verdict: ...

    async def reload(self) -> Reloaded: ...

    def status(self) -> SystemStatus: ...

    async def export(self, first: int, last: int | None) -> Exported: ...

    async def copy(self) -> JournalCopied: ...

    async def change_day(self, person: str, words: str, *, opens: bool) -> DayChanged: ...

    def device(self, device: str) -> DeviceFound: ...


class ControlListener(ABC):
    """A control socket of a key store, between open and close."""

    def __init__(self, key_store: KeyStore, data: Path, *, patience_s: float = PATIENCE_S) -> None:
        self._key_store, self._patience_s = key_store, patience_s
        self._data = named(data)
        self._server: ProtocolServer | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to listen. A socket without a listener is replaced; a live one is an error.

        OperationsFault if the socket cannot be opened: the server runs without one.
        """
        where = address(self._key_store, Path(self._data))
        if _alive(where):
            raise OperationsFault(f"another server listens on {where}")
        try:
            listener = listen_at(Capacity(asyncio.get_running_loop(), CONTROL_MAX), where, 0o600)
        except OSError as error:
            raise OperationsFault(f"{where} cannot be a socket: {error.strerror}") from error
        self._server = ProtocolServer(listener, self._stream)

    async def close(self) -> None:
        """Stop listening, and cancel requests in progress."""
        if self._server is None:
            return
        self._server.close()
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        address(self._key_store, Path(self._data)).unlink(missing_ok=True)

    def _stream(self) -> asyncio.StreamReaderProtocol:
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(LINE_MAX), self._connected)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        crowded = len(self._under_way) >= CONNECTIONS_MAX
        task = asyncio.create_task(self._serve(reader, writer, crowded=crowded))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, crowded: bool) -> None:
        # A client that has disconnected does not need the response.
        with suppress(ConnectionError):
            try:
                if crowded:
                    await self._say(writer, RequestDeclined("Too many are connected: try again."))
                else:
                    await self._converse(reader, writer)
            finally:
                writer.close()
                await writer.wait_closed()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (line := await self._line(reader)) is not None:
                await self._say(writer, await self._respond(line))
        except asyncio.LimitOverrunError:
            await self._say(writer, RequestDeclined(f"A request must not be longer than {LINE_MAX} bytes."))

    async def _line(self, reader: asyncio.StreamReader) -> bytes | None:
        """Read a line; None at the end of the stream."""
        try:
            async with asyncio.timeout(self._patience_s):
                return await reader.readuntil()
        except (asyncio.IncompleteReadError, TimeoutError):
            return None

    async def _respond(self, line: bytes) -> AnyResponse:
        try:
            request = read_request(line)
        except ValueError as error:
            return RequestDeclined(f"Invalid request: {error}.")
        if request.data not in ("", self._data):
            return RequestDeclined(f"This server has its data in {self._data}, not in {request.data}.")
        try:
            return await self._done(request)
        except OperationsFault as fault:
            return RequestDeclined(f"The request failed: {fault}.")

    @abstractmethod
    async def _done(self, request: AnyRequest) -> AnyResponse: ...

    async def _say(self, writer: asyncio.StreamWriter, answer: AnyResponse) -> None:
        writer.write(written(Reply(self._data, answer)))
        await writer.drain()


class StandbySocket(ControlListener):
    """The control socket of a standby: every request is answered with its state, since it runs no venue."""

    def __init__(self, status: Callable[[], StandbyStatus], key_store: KeyStore, data: Path) -> None:
        super().__init__(key_store, data)
        self._status = status

    async def _done(self, _request: AnyRequest) -> AnyResponse:
        return self._status()


class ControlSocket(ControlListener):
    """The control socket of a running system."""

    def __init__(
        self, maintenance: ControlHandler, key_store: KeyStore, data: Path, *, patience_s: float = PATIENCE_S
    ) -> None:
        super().__init__(key_store, data, patience_s=patience_s)
        self._maintenance = maintenance

    async def _done(self, request: AnyRequest) -> AnyResponse:
        answer: AnyResponse
        match request:
            case MakeBackup(to=to, keep=keep):
                answer = await self._maintenance.backup(Path(to), keep)
            case VerifySoftware():
                answer = await self._maintenance.verify()
            case ReloadSettings():
                answer = await self._maintenance.reload()
            case GetStatus():
                answer = self._maintenance.status()
            case ExportPart(first=first, last=last):
                answer = await self._maintenance.export(first, last)
            case CopyJournal():
                answer = await self._maintenance.copy()
            case ChangeDay(opens=opens, person=person, words=words):
                answer = await self._maintenance.change_day(person, words, opens=opens)
            case FindDevice(device=device):
                answer = self._maintenance.device(device)
            case _:
                assert_never(request)
        return answer


def _alive(where: Path) -> bool:
    """Check whether a process listens on a socket: a stale one refuses every connection."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        # A system with a full backlog does not accept a connection at once, and is alive.
        probe.settimeout(0)
        try:
            probe.connect(str(where))
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True
