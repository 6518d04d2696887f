"""The lines of simulated players: they come back, ask again, are told anew, and go where the seat is no more theirs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server
from structlog.testing import capture_logs

from croupier.cli.bots import server_address
from croupier.client import session as terminal_module
from croupier.client.session import ConnectionLostError, InsertNoteRequest, ServerAddress, TerminalClient
from croupier.house.ids import DeviceId, DeviceKind, TerminalId
from croupier.protocol import outbound
from croupier.rules.money import Cents
from tests.connections import HandTime, played, until
from tests.test_wire_tls import certificate
from tests.troupe import SMALL, Troupe, troupe

__all__ = ["certificate"]  # the fixture, for pytest to find
HUNDRED = InsertNoteRequest(Cents(10_000))


def seat_of(cast: Troupe) -> TerminalClient:
    return cast.players[0].terminal


async def down(cast: Troupe) -> None:
    await until(lambda: not seat_of(cast).is_up)


async def cut(cast: Troupe) -> None:
    """Have the line end without a word."""
    cast.open.venue.publisher.inside[DeviceId(seat_of(cast).name)].transport.disconnect(graceful=False)
    await down(cast)


def test_player_comes_back_after_a_lost_line(tmp_path: Path) -> None:
    """Where the line is lost, for a reason or without one, the player is back in a moment."""

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=1) as cast:
            await cast.all_in()
            await cut(cast)
            await cast.pass_s(7)
            await until(lambda: seat_of(cast).is_up)
            cast.open.venue.publisher.inside[DeviceId("A-1")].send(outbound.Pong(c=0, now_us=0))
            seat_of(cast).hang_up()
            await down(cast)
            seat_of(cast).hang_up()
            await cast.pass_s(7)
            await until(lambda: seat_of(cast).is_up)

    played(scenario)


def test_player_leaves_a_seat_that_is_somebody_else_s(tmp_path: Path) -> None:
    """A player whose seat has another key by now goes, and does not come back."""

    async def scenario() -> None:
        async with troupe(tmp_path, wanted=1) as cast:
            await cast.all_in()
            cast.open.venue.verifier.register.release_device(DeviceId("A-1"))
            await cast.pass_s(20)
            assert (seat_of(cast).is_up, cast.open.venue.publisher.figures.connections["terminal"]) == (False, 0)

    with capture_logs() as log:
        played(scenario)
    assert [each["player"] for each in log if each["event"] == "player_left"] == ["Player 1"]


@asynccontextmanager
async def one_seat(folder: Path, text: str = SMALL) -> AsyncIterator[tuple[Troupe, TerminalClient]]:
    """A seat at which nobody plays but the test."""
    async with troupe(folder, text, wanted=0) as cast:
        keys = cast.open.venue.verifier.register.enrol({DeviceId("A-1"): DeviceKind.TERMINAL})
        assert isinstance(keys, dict)
        address = server_address(cast.open.venue)
        terminal = TerminalClient(TerminalId("A-1"), keys[DeviceId("A-1")], address, cast.open.venue.publisher.time)
        yield cast, terminal
        terminal.hang_up()


def test_wish_that_was_not_answered_is_asked_for_again(tmp_path: Path) -> None:
    """A wish that was under way when the line was lost is asked for under the same key, and done once."""

    async def scenario() -> None:
        async with one_seat(tmp_path) as (cast, terminal):
            await terminal.enter()
            assert await terminal.ask(HUNDRED) == ""
            asking = asyncio.ensure_future(terminal.ask(HUNDRED))
            await asyncio.sleep(0)
            terminal.hang_up()
            with pytest.raises(ConnectionLostError):
                await asking
            await terminal.enter()
            assert terminal.client_state.credit == 20_000
            assert await terminal.ask(InsertNoteRequest(Cents(3))) == "not_taken_here"
            assert cast.house.terminals[TerminalId("A-1")].credit == 20_000

    played(scenario)


def test_missed_delta_is_made_up_for(tmp_path: Path) -> None:
    """Whoever has missed something asks for all of it, and sees what is there."""

    async def scenario() -> None:
        async with one_seat(tmp_path) as (_, terminal):
            await terminal.enter()
            terminal.client_state.version -= 1
            assert await terminal.ask(HUNDRED) == ""
            await terminal.until(lambda: terminal.client_state.credit == 10_000)

    played(scenario)


def test_older_table_is_not_shown(tmp_path: Path) -> None:
    """A table that comes late does not take the place of a newer one."""

    async def scenario() -> None:
        async with one_seat(tmp_path) as (_, terminal):
            await terminal.enter()
            tables = dict(terminal.client_state.tables)
            for state in tables.values():
                terminal.client_state.table(1, replace(state, round=99))
            assert terminal.client_state.tables == tables

    played(scenario)


def test_line_is_lost_where_nobody_listens(tmp_path: Path) -> None:
    """Where the house is gone or full, or has no such felt, there is no line; and no more is known than that."""

    async def scenario() -> None:
        async with one_seat(tmp_path) as (cast, terminal):
            cast.open.venue.server.connections_max = 0
            with pytest.raises(ConnectionLostError):
                await terminal.enter()
            address = server_address(cast.open.venue)
            with pytest.raises(ConnectionLostError):
                await address.felt("0" * 64)
        with pytest.raises(ConnectionLostError):
            await terminal.enter()
        with pytest.raises(ConnectionLostError):
            await address.felt("0" * 64)

    played(scenario)


def test_players_come_in_under_tls(certificate: Path) -> None:
    """Where the house speaks TLS they trust its own certificate, by whatever name they reach it."""
    secure = f'listen.tls = {{ certificate = "certificate.pem", key = "key.pem" }}\n{SMALL}'

    async def scenario() -> None:
        async with troupe(certificate.parent, secure, wanted=2) as cast:
            await cast.all_in()
            await cast.pass_s(40)
            assert all(cast.house.terminals[TerminalId(seat)].meters.turnover for seat in cast.seats)

    played(scenario)


@pytest.mark.parametrize(
    ("host", "place"),
    [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")],  # noqa: S104 - every address
)
def test_players_come_by_the_loopback(tmp_path: Path, host: str, place: str) -> None:
    """Where the house listens on every address, they come by its own."""

    async def scenario() -> None:
        async with one_seat(tmp_path, f'listen.host = "{host}"\n{SMALL}') as (_, terminal):
            felt = await terminal.enter()
            assert felt.rulebook == "marina-bay-sands-2020"

    if place == "[::1]" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("This machine has no such loopback.")
    played(scenario)


class Mute(WSListener):
    """A house that lets in and says nothing, or only something that means nothing yet."""

    def __init__(self, say: bytes) -> None:
        self._say = say

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.TEXT and self._say:
            transport.send(WSMsgType.TEXT, self._say)


@pytest.mark.parametrize("say", [b"", outbound.encode(outbound.SeatUpdate(v=2, last_cmd=1))])
def test_house_that_shows_nothing_is_given_up(say: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no snapshot comes the player hangs up; what comes before a snapshot means nothing."""
    monkeypatch.setattr(terminal_module, "WELCOME_S", 0.2)

    async def scenario() -> None:
        made: Callable[[WSUpgradeRequest], WSListener] = lambda _: Mute(say)  # noqa: E731 - typed
        server = await ws_create_server(made, "127.0.0.1", 0)
        address = ServerAddress("127.0.0.1", server.sockets[0].getsockname()[1])
        terminal = TerminalClient(TerminalId("A-1"), "key", address, HandTime())
        terminal.hang_up()
        with pytest.raises(ConnectionLostError):
            await terminal.enter()
        server.close()
        assert (terminal.client_state.fixture, terminal.client_state.version) == (None, 0)

    played(scenario)
