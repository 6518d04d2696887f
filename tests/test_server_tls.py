"""The wire under TLS: version 1.3 and nothing older, and pages of the secure origin alone."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from croupier.client.connection import ServerAddress
from croupier.server.http import HSTS, SAFE, Server, tls_context
from tests.certificate import self_signed
from tests.connections import VENUE, Client, TestHouse, open_house, played
from tests.rawline import Reply, raw_line, upgrade


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for this machine that it has signed itself; its key lies beside it."""
    return self_signed(tmp_path)


SECURE = f'listen.tls = {{ certificate = "certificate.pem", key = "key.pem" }}\n{VENUE}'


def trusting(certificate: Path, most: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    """What a browser brings that trusts the certificate and speaks up to a version."""
    context = ssl.create_default_context(cafile=str(certificate))
    context.maximum_version = most
    return context


async def requested(house: TestHouse, tls: ssl.SSLContext, lines: list[str]) -> Reply:
    async with raw_line(house.venue.port, tls=tls) as line:
        return await line.request(lines)


@pytest.mark.parametrize("mode", ["demo", "real"])
def test_wire_and_pages_are_had_under_tls(certificate: Path, mode: str) -> None:
    """Under TLS pages come with their policy, and the wire opens to the secure origin and not to the plain one."""

    async def scenario() -> None:
        async with open_house(certificate.parent, f'mode = "{mode}"\n{SECURE}') as house:
            tls, port = trusting(certificate), house.venue.port
            page = await requested(house, tls, ["GET / HTTP/1.1", "Host: localhost"])
            assert (page.status, {*SAFE, HSTS} <= set(page.headers.items())) == (200, True)
            origins = [f"https://localhost:{port}", f"http://localhost:{port}", "https://localhost"]
            assert [(await requested(house, tls, upgrade(each))).status for each in origins] == [101, 403, 403]

    played(scenario)


def test_plain_pages_promise_no_tls(tmp_path: Path) -> None:
    """Without TLS no page tells a browser to come back by TLS alone."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, raw_line(house.venue.port) as line:
            page = await line.request(["GET / HTTP/1.1", "Host: localhost"])
            assert (page.status, HSTS[0] in page.headers) == (200, False)

    played(scenario)


def test_player_plays_under_tls(certificate: Path) -> None:
    """A page that trusts the certificate sits down and is answered."""

    async def scenario() -> None:
        async with open_house(certificate.parent, SECURE) as house:
            player = await Client.connected(ServerAddress("localhost", house.venue.port, trusting(certificate)))
            await player.sit()
            assert (await player.ping())["t"] == "pong"

    played(scenario)


def test_older_tls_is_refused(certificate: Path) -> None:
    """Whoever speaks TLS 1.2 at most does not come to speak at all; nor does whoever speaks none."""

    async def scenario() -> None:
        async with open_house(certificate.parent, SECURE) as house:
            with pytest.raises(OSError):  # noqa: PT011 - an alert or a cut line, as the library has it
                await requested(house, trusting(certificate, ssl.TLSVersion.TLSv1_2), ["GET / HTTP/1.1"])
            async with raw_line(house.venue.port) as line:
                line.send(b"GET / HTTP/1.1\r\n\r\n")
                assert b"HTTP" not in await line.rest()
            assert (await requested(house, trusting(certificate), ["GET /health HTTP/1.1"])).status == 200

    played(scenario)


@asynccontextmanager
async def hurried(house: TestHouse, certificate: Path) -> AsyncIterator[int]:
    """A port of the same house on which nothing may take long."""
    server = Server(house.venue.router, house.venue.server.site, 10, {"https://here"}, request_s=0.4)
    yield await server.open("127.0.0.1", 0, tls_context(certificate, certificate.with_name("key.pem")))
    await server.close()


def test_handshake_that_takes_too_long_is_cut_off(certificate: Path) -> None:
    """A line on which TLS is not spoken in time is cut off, and so is one on which nothing is asked for under it."""

    async def scenario() -> None:
        async with open_house(certificate.parent) as house, hurried(house, certificate) as port:
            async with raw_line(port) as silent:
                silent.send(b"\x16\x03\x01")
                assert await silent.rest() == b""
            async with raw_line(port, tls=trusting(certificate)) as idle:
                assert await idle.rest() == b""

    played(scenario)
