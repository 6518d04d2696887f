"""The client against a real server: connections, commands that are sent again, views, staff, and TLS."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server
from structlog.testing import capture_logs

from croupier.cli.demo_bots import server_address
from croupier.client import (
    Accepted,
    AsyncClient,
    Client,
    ConnectionLostError,
    DeviceKey,
    Enrolment,
    InsertNoteRequest,
    RefusalBody,
    ServerAddress,
)
from croupier.client import client as client_module
from croupier.house.ids import DeviceId, DeviceKind, TableId, TerminalId
from croupier.house.rounds.closing import FinishBetting
from croupier.protocol import inbound, outbound
from croupier.rules.money import Cents
from tests.server.test_tls import certificate
from tests.support.connections import VENUE, HandTime, TestHouse, open_house, played, secret_of, until
from tests.support.demo_bots import SMALL, BotRun, bot_run

__all__ = ["certificate"]  # the fixture, for pytest to find
HUNDRED = InsertNoteRequest(Cents(10_000))
A1 = TerminalId("A-1")


# Demo bots and their connections.


def client_of(demo: BotRun) -> AsyncClient:
    return demo.bots[0].client


async def lost(demo: BotRun) -> None:
    await until(lambda: not client_of(demo).is_connected)


def test_bot_reconnects(tmp_path: Path) -> None:
    """After a lost connection, whichever side dropped it, the bot is back in a moment."""

    async def scenario() -> None:
        async with bot_run(tmp_path, count=1) as demo:
            await demo.all_connected()
            demo.server.venue.publisher.inside[DeviceId(A1)].abort()
            await lost(demo)
            await demo.pass_s(7)
            await until(lambda: client_of(demo).is_connected)
            client_of(demo).abort()
            await lost(demo)
            client_of(demo).abort()
            await demo.pass_s(7)
            await until(lambda: client_of(demo).is_connected)

    played(scenario)


def test_bot_stops_when_its_terminal_has_another_key(tmp_path: Path) -> None:
    """A bot whose key is revoked stops, and does not reconnect."""

    async def scenario() -> None:
        async with bot_run(tmp_path, count=1) as demo:
            await demo.all_connected()
            demo.server.venue.verifier.credential_store.release_device(DeviceId(A1))
            await demo.pass_s(20)
            assert not client_of(demo).is_connected
            assert demo.server.venue.publisher.figures.connections["terminal"] == 0

    with capture_logs() as log:
        played(scenario)
    assert [each["bot"] for each in log if each["event"] == "bot_stopped"] == ["Bot 1"]


def test_bots_play_under_tls(certificate: Path) -> None:
    """With TLS bots trust the server's own certificate, by whatever name they reach it."""
    secure = f'listen.tls = {{ certificate = "certificate.pem", key = "key.pem" }}\n{SMALL}'

    async def scenario() -> None:
        async with bot_run(certificate.parent, secure, count=2) as demo:
            await demo.all_connected()
            await demo.pass_s(40)
            assert all(demo.house.terminals[TerminalId(each)].meters.turnover for each in demo.terminals)

    played(scenario)


# One terminal.


def address_of(house: TestHouse) -> ServerAddress:
    """Where clients connect: at the house, or at its gateway."""
    return server_address(house.venue) if house.gateway is None else ServerAddress("127.0.0.1", house.port)


@asynccontextmanager
async def terminal(
    folder: Path, text: str = SMALL, retry_s: tuple[float, ...] = ()
) -> AsyncIterator[tuple[TestHouse, AsyncClient]]:
    """A server, and the client of a terminal that is enrolled and not connected."""
    async with open_house(folder, text) as house:
        keys = house.venue.verifier.credential_store.enrol({DeviceId(A1): DeviceKind.TERMINAL})
        assert isinstance(keys, dict)
        identity = DeviceKey(DeviceKind.TERMINAL, A1, keys[DeviceId(A1)])
        clock = house.venue.publisher.time
        client = AsyncClient(address_of(house), identity, retry_s=retry_s, clock=clock)
        yield house, client
        client.abort()


def credit(house: TestHouse) -> int:
    return house.venue.run.house.terminals[A1].credit


async def dropped(client: AsyncClient, request: InsertNoteRequest) -> None:
    """Submit a command, and lose the connection before its response."""
    pending = client.submit(request)
    await asyncio.sleep(0)
    client.abort()
    with pytest.raises(ConnectionLostError):
        await client.response(pending)


def test_command_without_response_is_sent_again(tmp_path: Path) -> None:
    """A command whose connection is lost is sent again under the same key, and executed once."""

    async def scenario() -> None:
        async with terminal(tmp_path) as (house, client):
            await client.connect()
            await client.connect()
            assert await client.send(HUNDRED) == Accepted(1)
            await dropped(client, HUNDRED)
            await client.connect()
            await client.wait_for(lambda view: view.credit == 20_000)
            refusal = await client.send(InsertNoteRequest(Cents(3)))
            assert isinstance(refusal, RefusalBody)
            assert refusal.code == "not_taken_here"
            assert credit(house) == 20_000

    played(scenario)


def test_retry_returns_the_response_itself(tmp_path: Path) -> None:
    """With retries the call reconnects, and returns the original response: accepted, or the refusal that was lost."""

    async def scenario() -> None:
        async with terminal(tmp_path, retry_s=(0.0,)) as (house, client):
            await client.connect()
            results = []
            for request in (HUNDRED, InsertNoteRequest(Cents(3)), HUNDRED):
                pending = client.submit(request)
                # The server has committed or refused it, and its frame is never read.
                await house.rest()
                client.session.connected()
                client.abort()
                results.append(await client.response(pending))
            codes = [each.code if isinstance(each, RefusalBody) else "" for each in results]
            assert (codes, credit(house), client.is_waiting) == (["", "not_taken_here", ""], 20_000, False)

    played(scenario)


def test_missed_delta_is_requested_again(tmp_path: Path) -> None:
    """A gap in the versions makes the client request a snapshot, and no response is lost in it."""

    async def scenario() -> None:
        async with terminal(tmp_path) as (_, client):
            await client.connect()
            client.view.version -= 1
            assert isinstance(await client.send(HUNDRED), Accepted)
            await client.wait_for(lambda view: view.credit == 10_000)

    played(scenario)


def test_older_table_is_ignored(tmp_path: Path) -> None:
    """A table state that is not newer than the known one is ignored."""

    async def scenario() -> None:
        async with terminal(tmp_path) as (_, client):
            await client.connect()
            tables = dict(client.view.tables)
            for state in tables.values():
                client.view.apply_table(1, replace(state, round=99))
            assert client.view.tables == tables

    played(scenario)


def test_no_connection(tmp_path: Path) -> None:
    """A server that is full or gone, or a felt that does not exist, raises ConnectionLostError."""

    async def scenario() -> None:
        async with terminal(tmp_path, retry_s=(0.0, 0.0)) as (house, client):
            house.venue.server.connections_max = 0
            with pytest.raises(ConnectionLostError, match="no reason given"):
                await client.connect()
            with pytest.raises(ConnectionLostError):
                await client.wait_for(lambda view: view.fixture)
            with pytest.raises(ConnectionLostError):
                await client.server.felt("0" * 64)
        with pytest.raises(ConnectionLostError):
            await client.connect()
        with pytest.raises(ConnectionLostError):
            await client.server.felt("0" * 64)

    played(scenario)


def test_device_that_is_turned_away_does_not_retry(tmp_path: Path) -> None:
    """A device with a wrong key gets the code of the refusal, at once."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            identity = DeviceKey(DeviceKind.TERMINAL, "A-1", "wrong")
            client = AsyncClient(address_of(house), identity, retry_s=(0.0, 9_000.0))
            client.post(inbound.Ping(0))
            with pytest.raises(ConnectionLostError) as error:
                await client.wait_for(lambda view: view.fixture)
            assert error.value.code == "unknown_device"

    played(scenario)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1", "::1"])  # noqa: S104 - every address
def test_server_is_reached_by_the_loopback(tmp_path: Path, host: str) -> None:
    """A server that listens on every address is reached by the loopback."""

    async def scenario() -> None:
        async with terminal(tmp_path, f'listen.host = "{host}"\n{SMALL}') as (_, client), client:
            assert (await client.felt()).rulebook == "marina-bay-sands-2020"

    if host == "::1" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("This machine has no such loopback.")
    played(scenario)


class Mute(WSListener):
    """A server that accepts a connection and sends nothing, or one frame again and again."""

    def __init__(self, frame: bytes) -> None:
        self._frame = frame

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT and self._frame:
            transport.send(WSMsgType.BINARY, self._frame)
            transport.send(WSMsgType.TEXT, self._frame)


@pytest.mark.parametrize("frame", [b"", outbound.encode(outbound.SeatUpdate(v=2, last_cmd=1)), b'{"t":"unheard_of"}'])
def test_server_without_a_snapshot_is_given_up(frame: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a snapshot the client disconnects; deltas, unknown messages and binary frames before it are ignored."""
    monkeypatch.setattr(client_module, "WELCOME_S", 0.2)

    async def scenario() -> None:
        accept: Callable[[WSUpgradeRequest], WSListener] = lambda _: Mute(frame)  # noqa: E731 - typed
        server = await ws_create_server(accept, "127.0.0.1", 0)
        address = ServerAddress("127.0.0.1", server.sockets[0].getsockname()[1])
        client = AsyncClient(address, DeviceKey(DeviceKind.TERMINAL, "A-1", "key"), clock=HandTime())
        client.abort()
        with pytest.raises(ConnectionLostError):
            await client.connect()
        server.close()
        assert (client.view.fixture, client.view.version) == (None, 0)

    played(scenario)


# A console.


def console(house: TestHouse, kind: DeviceKind = DeviceKind.PIT) -> AsyncClient:
    """The client of a console that enrols itself."""
    messages: list[object] = []
    return AsyncClient(address_of(house), Enrolment(kind), retry_s=(0.0,), on_message=messages.append)


async def signed_in(house: TestHouse, person: str, kind: DeviceKind = DeviceKind.PIT) -> AsyncClient:
    client = console(house, kind)
    await client.connect()
    result = await client.sign_in(person, secret_of(person))
    assert isinstance(result, outbound.SignedIn), result
    return client


STAFF = VENUE.replace('person = "manager"\n', f'person = "manager"\npassword = "{secret_of("manager")}"\n')


def test_staff_sign_in_and_send_commands(tmp_path: Path) -> None:
    """A console enrols, signs in, sees the floor, gets a response to each command, and steps up."""

    async def scenario() -> None:
        async with open_house(tmp_path, STAFF) as house:
            client = await signed_in(house, "manager")
            assert isinstance(client.identity, DeviceKey)
            assert TableId("A") in client.view.tables
            assert client.view.floor.tables
            refusal = await client.send(FinishBetting(TableId("A")))
            assert isinstance(refusal, RefusalBody)
            assert isinstance(await client.control(inbound.StepUp(secret_of("manager"))), outbound.SteppedUp)
            wrong = await client.control(inbound.StepUp("wrong"))
            assert isinstance(wrong, RefusalBody)
            assert isinstance(await client.control(inbound.SignOut()), outbound.SignedOut)
            assert client.session.signed_in is None

    played(scenario)


def test_password_is_chosen_with_a_code(tmp_path: Path) -> None:
    """A one-time code lets a person choose a password, and nothing else."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            client, code = console(house), house.codes["manager"]
            await client.connect()
            assert isinstance(await client.sign_in("manager", code), outbound.ChoosePassword)
            chosen = await client.control(inbound.SetPassword("manager", code, "a long password"))
            assert isinstance(chosen, outbound.SignedIn)

    played(scenario)


def test_sign_in_survives_a_lost_connection(tmp_path: Path) -> None:
    """After a reconnect the console resumes the sign-in, and sends again what had no response."""

    async def scenario() -> None:
        async with open_house(tmp_path, STAFF) as house:
            client = await signed_in(house, "manager")
            client.abort()
            await until(lambda: not client.is_connected)
            refusal = await client.send(FinishBetting(TableId("A")))
            assert isinstance(refusal, RefusalBody)
            staff = await client.query(inbound.QueryStaff())
            assert isinstance(staff, outbound.StaffResult)

    played(scenario)


def test_sign_in_that_ended_is_not_resumed(tmp_path: Path) -> None:
    """A console whose sign-in has ended meanwhile reconnects signed out."""

    async def scenario() -> None:
        async with open_house(tmp_path, STAFF) as house:
            client = await signed_in(house, "manager")
            client.abort()
            await until(lambda: not client.is_connected)
            house.venue.router.staff_auth.sign_ins.revoke(house.venue.run.house.staff.people["manager"].id)  # type: ignore[index]
            await client.connect()
            assert (client.session.signed_in, client.is_connected) == (None, True)

    played(scenario)


def test_queries(tmp_path: Path) -> None:
    """A query has its result, or a refusal; one that is pending is sent again after a reconnect."""

    async def scenario() -> None:
        async with open_house(tmp_path, STAFF) as house:
            client = await signed_in(house, "manager")
            meters = await client.query(inbound.QueryMeters(terminal="A-1"))
            assert isinstance(meters, outbound.MetersResult)
            refusal = await client.query(inbound.QueryMeters(terminal="nowhere"))
            assert isinstance(refusal, RefusalBody)
            pending = client.session.query(inbound.QueryStaff())
            client.abort()
            await until(lambda: not client.is_connected)
            await client.connect()
            await client.wait_for(lambda _: pending.response)
            assert isinstance(pending.response, outbound.StaffResult)

    played(scenario)


# The blocking client.


def test_blocking_client(certificate: Path) -> None:
    """The blocking client does the same, under TLS too, from a thread without an event loop."""
    secure = f'listen.tls = {{ certificate = "certificate.pem", key = "key.pem" }}\n{STAFF}'

    def use(address: ServerAddress) -> None:
        with Client(address, Enrolment(DeviceKind.TERMINAL, "A"), timeout_s=20) as player:
            assert isinstance(player.identity, DeviceKey)
            assert player.identity.device == player.terminal == "A-1"
            player.post(inbound.Practice())
            assert player.wait_for(lambda view: view.credit, timeout_s=20) == player.view.credit == 100_000
            assert player.felt().rulebook == "skycity-adelaide-2003"
            assert isinstance(player.response(player.submit(HUNDRED)), RefusalBody | Accepted)
            assert player.games() == ()
            assert isinstance(player.control(inbound.SignIn("nobody", "none")), RefusalBody)
            with pytest.raises(TimeoutError):
                player.wait_for(lambda view: view.credit == 1, timeout_s=0.05)
        with Client(address, Enrolment(DeviceKind.PIT)) as pit:
            assert isinstance(pit.sign_in("manager", secret_of("manager")), outbound.SignedIn)
            assert isinstance(pit.send(FinishBetting(TableId("A"))), RefusalBody)
            assert isinstance(pit.query(inbound.QueryStaff()), outbound.StaffResult)

    async def scenario() -> None:
        async with open_house(certificate.parent, secure) as house:
            await asyncio.to_thread(use, server_address(house.venue))

    played(scenario)


def test_connection_that_is_closed_before_it_is_open_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may end right after its answer to the upgrade."""

    async def connect(*_: object, **_more: object) -> tuple[None, None]:
        return None, None

    monkeypatch.setattr("croupier.client.connection.ws_connect", connect)

    async def scenario() -> None:
        with pytest.raises(ConnectionLostError):
            await ServerAddress("127.0.0.1", 1).connect(lambda _: None, lambda _: None)

    played(scenario)
