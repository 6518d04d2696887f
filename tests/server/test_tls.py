"""The wire under TLS: version 1.3 and nothing older, and pages of the secure origin alone."""

import asyncio
import shutil
import ssl
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGHUP

import pytest

from croupier.client.connection import ServerAddress
from croupier.server.gateways.keys import GatewayKeys, write_key
from croupier.server.http import HSTS, SAFE, Server
from croupier.server.listener import ServerTls
from tests.support.broker import broker
from tests.support.certificate import self_signed
from tests.support.connections import LONG_S, VENUE, Client, TestHouse, open_house, played
from tests.support.rawline import Reply, raw_line, upgrade
from tests.support.serving import ServingGateway, processes


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
    tls = ServerTls(certificate, certificate.with_name("key.pem"))
    server = Server(house.venue.router, house.venue.server.site, 10, {"https://here"}, tls=tls, request_s=0.4)
    yield await server.open("127.0.0.1", 0)
    server.close()


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


#: The cipher suites of TLS 1.3, and whether a client that offers only one of them is served.
SUITES = {
    "TLS_AES_256_GCM_SHA384": True,
    "TLS_CHACHA20_POLY1305_SHA256": True,
    "TLS_AES_128_GCM_SHA256": True,
    "TLS_AES_128_CCM_SHA256": False,
    "TLS_AES_128_CCM_8_SHA256": False,
}
#: The options of OpenSSL for older versions, with every cipher that it has.
OLDER = ("-tls1", "-tls1_1", "-tls1_2")


async def _speaks(port: int, *options: str) -> bool:
    """Return whether the program of OpenSSL comes to an agreement with the server."""
    command = ("openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-brief", *options)
    client = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
    _, printed = await asyncio.wait_for(client.communicate(), LONG_S)
    return b"CONNECTION ESTABLISHED" in printed


def test_protocols_and_ciphers_of_the_server(certificate: Path) -> None:
    """A client of another program is served with TLS 1.3 and its three strong suites, and with nothing else."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")

    async def scenario() -> None:
        async with open_house(certificate.parent, SECURE) as house:
            port = house.venue.port
            assert {name: await _speaks(port, "-tls1_3", "-ciphersuites", name) for name in SUITES} == SUITES
            weak = ("-cipher", "ALL:COMPLEMENTOFALL:@SECLEVEL=0")
            assert [await _speaks(port, version, *weak) for version in OLDER] == [False] * len(OLDER)

    played(scenario)


async def _served(port: int, trusts: ssl.SSLContext) -> bytes:
    """Return the certificate that a new connection is shown."""
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusts, server_hostname="localhost")
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.transport.abort()
    assert isinstance(shown, bytes)
    return shown


def test_certificate_is_renewed_without_a_restart(certificate: Path) -> None:
    """After a reload new connections have the new certificate, and those that are open go on."""
    first = trusting(certificate)

    async def scenario() -> None:
        async with open_house(certificate.parent, SECURE) as house:
            port, renew = house.venue.port, house.venue.maintenance.certificate
            player = await Client.connected(ServerAddress("localhost", port, first))
            await player.sit()
            before = await _served(port, first)
            assert renew() == ()
            second = trusting(self_signed(certificate.parent))
            assert before == await _served(port, first)
            (line,) = renew()
            assert "was renewed" in line
            assert await _served(port, second) != before
            with pytest.raises(ssl.SSLError):
                await _served(port, first)
            assert (await player.ping())["t"] == "pong"

    played(scenario)


def _another_key(certificate: Path) -> None:
    key = certificate.with_name("key.pem").read_bytes()
    self_signed(certificate.parent).with_name("key.pem").write_bytes(key)


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.write_text("nonsense"), _another_key, lambda path: path.unlink()],
    ids=["nonsense", "another key", "no file"],
)
def test_certificate_that_cannot_be_used_leaves_the_one_before(
    certificate: Path, damage: Callable[[Path], object]
) -> None:
    """A renewal that fails says why, and connections go on with the certificate in use."""
    trusts = trusting(certificate)

    async def scenario() -> None:
        async with open_house(certificate.parent, SECURE) as house:
            before = await _served(house.venue.port, trusts)
            damage(certificate)
            (line,) = house.venue.maintenance.certificate()
            assert "the one before stays" in line
            assert await _served(house.venue.port, trusts) == before

    played(scenario)


def test_gateway_renews_its_certificate_when_it_is_hung_up(tmp_path: Path) -> None:
    """A gateway reads its certificate again on SIGHUP, and says so in its log."""
    certificate = self_signed(tmp_path)
    bundle = GatewayKeys(tmp_path).enrol("left")
    assert isinstance(bundle, bytes)
    write_key(tmp_path / "left.json", bundle)
    tls = ("--certificate", str(certificate), "--certificate-key", str(tmp_path / "key.pem"))
    with processes() as start:
        gateway = start(broker(), tmp_path / "left.json", *tls, kind=ServingGateway)
        assert gateway.opened(), gateway.ended()
        before = ssl.get_server_certificate(("127.0.0.1", gateway.port))
        self_signed(tmp_path)
        gateway.signal(SIGHUP)
        assert "was renewed" in gateway.logged("reloaded")
        assert ssl.get_server_certificate(("127.0.0.1", gateway.port)) != before
        assert gateway.stopped().code == 0
