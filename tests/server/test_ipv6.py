"""A house, a gateway and the operator's page over IPv6."""

import asyncio
import socket
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from croupier.client.connection import ConnectionLostError, ServerAddress
from croupier.server.http import url_of
from croupier.server.operator import OperatorServer
from tests.server.test_operator import VENUES
from tests.support.connections import THROUGH_GATEWAY, VENUE, Client, new_gateway, open_house, played, until

SIX = "::1"
HOUSE = f"""
listen.host = "{SIX}"
listen.metrics_host = "{SIX}"
listen.metrics_port = 0
{VENUE}"""


@pytest.fixture(autouse=True)
def _has_ipv6() -> None:
    with suppress(OSError):
        socket.create_server((SIX, 0), family=socket.AF_INET6).close()
        return
    pytest.skip("this machine has no IPv6")


def _fetched(port: int, path: str, host: str) -> tuple[int, bytes]:
    connection = HTTPConnection(SIX, port, timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    response = connection.getresponse()
    found = response.status, response.read()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("host", "url"),
    [(SIX, "https://[::1]:8443/"), ("fe80::1%eth0", "https://[fe80::1%eth0]:8443/"), ("a", "https://a:8443/")],
)
def test_address_is_written_as_browsers_do(host: str, url: str) -> None:
    """An address of IPv6 stands in brackets."""
    assert url_of(host, 8443, secure=True) == url


def test_house_serves_pages_and_players_over_ipv6(tmp_path: Path) -> None:
    """Pages, metrics and WebSockets are served at an address of IPv6, to pages of that origin and of no other."""

    async def scenario() -> None:
        async with open_house(tmp_path, HOUSE) as house:
            port = house.venue.port
            assert house.venue.address == f"http://[::1]:{port}/"
            assert (await asyncio.to_thread(_fetched, port, "/", f"[::1]:{port}"))[0] == 200
            metrics = await asyncio.to_thread(_fetched, house.venue.metrics_port, "/metrics", "[::1]")
            assert b"croupier_connections" in metrics[1]
            player = await Client.connected(ServerAddress(SIX, port), f"http://[::1]:{port}")
            # It joins without a code, as on the host itself.
            await player.sit()
            assert (await player.ping())["t"] == "pong"
            with pytest.raises(ConnectionLostError):
                await Client.connected(ServerAddress(SIX, port), f"http://[::2]:{port}")

    played(scenario)


def test_gateway_serves_over_ipv6(tmp_path: Path) -> None:
    """Players reach a gateway at an address of IPv6."""

    async def scenario() -> None:
        token = THROUGH_GATEWAY.set(True)
        async with open_house(tmp_path) as house:
            running = await new_gateway(house.venue, tmp_path, house.time, "six", host=SIX)
            serving = asyncio.ensure_future(running.gateway.run())
            await until(lambda: running.server.connections_max > 0)
            player = await Client.connected(ServerAddress(SIX, running.port))
            await player.sit()
            assert (await player.ping())["t"] == "pong"
            await running.close()
            await serving
        THROUGH_GATEWAY.reset(token)

    played(scenario)


@pytest.mark.parametrize(
    ("host", "status"), [("[::1]", 200), ("[::1]:80", 200), ("[::2]", 421), ("[::1", 421), ("]", 421), ("", 421)]
)
def test_operators_page_checks_names_over_ipv6(host: str, status: int) -> None:
    """The page is served under its own address, and a Host header that is no address is answered too."""

    async def scenario() -> None:
        server = OperatorServer(lambda: VENUES, frozenset({SIX}))
        server.refresh()
        port = await server.http.open(SIX, 0)
        assert (await asyncio.to_thread(_fetched, port, "/", host))[0] == status
        server.http.close()

    played(scenario)
