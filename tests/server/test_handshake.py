"""The WebSocket handshake: who may connect, and the response to everybody else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from croupier.server.http import SAFE, Server, origins_of
from croupier.server.listener import REQUEST_S
from croupier.server.pages import early_hash
from tests.support.connections import VENUE, TestHouse, open_house, played, until
from tests.support.rawline import Reply, open_line, raw_line, said, upgrade


async def requested(house: TestHouse, *lines: str) -> Reply:
    """Send one request, and read the answer."""
    async with raw_line(house.port) as line:
        return await line.request(lines)


def test_connection_is_accepted_from_pages_of_this_house_alone(tmp_path: Path) -> None:
    """A page of any other origin, or of none, is forbidden to connect, however alike its name looks."""

    async def scenario() -> dict[str, int]:
        async with open_house(tmp_path, f'listen.origins = ["https://casino.example"]\n{VENUE}') as house:
            port = house.port
            origins = [
                *(f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")),
                "https://casino.example",
                "",
                "null",
                "*",
                "http://127.0.0.1",
                f"http://127.0.0.1:{port - 1}",
                f"http://127.0.0.1:{port}0",
                f"http://127.0.0.1:{port}/",
                f"http://127.0.0.1:{port}.casino.example",
                f"http://127.0.0.1:{port}@casino.example",
                f"http://user@127.0.0.1:{port}",
                f"https://127.0.0.1:{port}",
                f"ws://127.0.0.1:{port}",
                f"HTTP://127.0.0.1:{port}",
                f"http://LOCALHOST:{port}",
                f"http://localhost.:{port}",
                f"http://localhost.casino.example:{port}",
                f"http://127.0.0.2:{port}",
                f"http://::1:{port}",
                f"http://2130706433:{port}",
                "http://casino.example",
                "https://casino.example.",
                "https://casino.example:443",
                "https://evil-casino.example",
                "https://casino.example.evil.example",
                "https://casino.example, https://evil.example",
                "file://",
            ]
            statuses: dict[str, int] = {}
            for origin in origins:
                reply = await requested(house, *upgrade(origin))
                statuses[origin.replace(str(port), "PORT")] = reply.status
                assert reply.status == 101 or set(SAFE) <= set(reply.headers.items())
            return statuses

    statuses = played(scenario)

    assert {origin for origin, status in statuses.items() if status == 101} == {
        "http://127.0.0.1:PORT",
        "http://localhost:PORT",
        "http://[::1]:PORT",
        "https://casino.example",
    }
    assert {status for status in statuses.values() if status != 101} == {403}


def test_two_origins_open_nothing(tmp_path: Path) -> None:
    """A request that names an allowed origin and another one besides is forbidden."""

    async def scenario() -> list[int]:
        async with open_house(tmp_path) as house:
            other = "Origin: http://evil.example"
            heads = [upgrade(house.origin, other), upgrade(house.origin, f"Origin: {house.origin}")]
            return [(await requested(house, *head)).status for head in heads]

    assert played(scenario) == [403, 403]


def test_own_origins_are_written_as_browsers_write_them() -> None:
    """The usual port of a scheme is left out as well as named, and an address of six groups stands in brackets."""
    assert origins_of(["::1"], 8080, secure=False) == {"http://[::1]:8080"}
    assert origins_of(["a"], 80, secure=False) == {"http://a:80", "http://a"}
    assert origins_of(["a"], 443, secure=True) == {"https://a:443", "https://a"}
    assert origins_of(["a"], 80, secure=True) == {"https://a:80"}


@pytest.mark.parametrize("connection", ["Upgrade", "upgrade", "keep-alive, Upgrade", "UPGRADE , x"])
def test_browsers_say_upgrade_in_their_own_ways(tmp_path: Path, connection: str) -> None:
    """A connection is accepted from Firefox, which sends both keep-alive and upgrade."""

    async def scenario() -> int:
        async with open_house(tmp_path) as house:
            return (await requested(house, *upgrade(house.origin, connection=connection))).status

    assert played(scenario) == 101


def test_request_that_is_no_get_of_ours_is_refused(tmp_path: Path) -> None:
    """Anything but a request without a body in HTTP/1.1 is a bad one, and what opens the wire must be whole."""

    async def scenario() -> dict[str, int]:
        async with open_house(tmp_path) as house:
            opening = upgrade(house.origin)
            heads = {
                "as it should be": ["GET / HTTP/1.1", "Host: x"],
                **{method: [f"{method} / HTTP/1.1", "Host: x"] for method in ("get", "TRACE", "PROPFIND", "X" * 99)},
                "head": ["HEAD / HTTP/1.1", "Host: x"],
                "head of the wire": [line.replace("GET", "HEAD") for line in opening],
                "options": ["OPTIONS * HTTP/1.1"],
                "post": ["POST / HTTP/1.1", "Host: x"],
                "post with a body": ["POST / HTTP/1.1", "Content-Length: 5"],
                "connect": ["CONNECT example:1 HTTP/1.1"],
                "old": ["GET / HTTP/1.0"],
                "new": ["PRI * HTTP/2.0"],
                "no version": ["GET /"],
                "no target": ["GET  HTTP/1.1"],
                "body": ["GET / HTTP/1.1", "Content-Length: 5"],
                "chunks": ["GET / HTTP/1.1", "Transfer-Encoding: chunked"],
                "folded": ["GET / HTTP/1.1", "A: b", " c"],
                "no colon": ["GET / HTTP/1.1", "Host"],
                "control character": ["GET / HTTP/1.1", "Host: a\x00b"],
                "headers": ["GET / HTTP/1.1", *["A: b"] * 129],
                "absolute": ["GET http://x/ HTTP/1.1"],
                "up": ["GET /../../etc/passwd HTTP/1.1"],
                "up, written otherwise": ["GET /static/%2e%2e/%2e%2e/server.py HTTP/1.1"],
                "nothing there": ["GET /nothing HTTP/1.1"],
                "long": [f"GET /{'x' * 2_000} HTTP/1.1"],
                "no upgrade": [line for line in opening if not line.startswith("Upgrade")],
                "no connection": [line for line in opening if not line.startswith("Connection")],
                "no key": [line for line in opening if not line.startswith("Sec-WebSocket-Key")],
                "no version at all": [line.replace(": 13", ": \xb9\xb3") for line in opening],
                "no such version": [line.replace(": 13", ": 12") for line in opening],
                "wire with a query": [line.replace("/wire", "/wire?a=b") for line in opening],
                "wire below": [line.replace("/wire", "/wire/a") for line in opening],
            }
            return {name: (await requested(house, *head)).status for name, head in heads.items()}

    statuses = played(scenario)

    assert statuses.pop("as it should be") == 200
    assert statuses.pop("wire with a query") == 101
    assert statuses.pop("no upgrade") == 426
    assert statuses.pop("head") == 200
    assert statuses.pop("head of the wire") == 404
    assert statuses.pop("options") == 204
    assert statuses.pop("post") == 405
    missing = ("nothing there", "wire below", "up", "up, written otherwise")
    assert [statuses.pop(name) for name in missing] == [404] * len(missing)
    assert set(statuses.values()) == {400}


def test_host_shows_the_code_of_phones(tmp_path: Path) -> None:
    """A screen of the host is told the code for phones, of which there is none where they may not join."""

    async def scenario() -> tuple[int, bytes]:
        async with open_house(tmp_path) as house:
            reply = await requested(house, "GET /join.json HTTP/1.1", "Host: x")
            return reply.status, reply.body

    assert played(scenario) == (200, b"{}")


@pytest.mark.parametrize("split", range(1, 9))
def test_method_may_come_in_pieces(tmp_path: Path, split: int) -> None:
    """However a request is cut on its way, a HEAD is a HEAD: it has the length of the page, and no page."""

    async def scenario() -> Reply:
        async with open_house(tmp_path) as house, raw_line(house.venue.port) as line:
            line.send(b"HEAD / HTTP/1.1"[:split])
            # By the time another request is answered, the first piece has been read.
            assert (await requested(house, "GET /health HTTP/1.1")).status == 200
            line.send(b"HEAD / HTTP/1.1"[split:] + b"\r\nHost: x\r\n\r\n")
            return await line.reply()

    reply = played(scenario)

    assert (reply.status, reply.body) == (200, b"")
    assert int(reply.headers["Content-Length"]) > 0


def test_every_page_says_what_it_may_do(tmp_path: Path) -> None:
    """Whatever is fetched or refused here comes with the policy for browsers, and ends its line."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            paths = "/ /terminal /pit /health /metrics /rules/skycity-adelaide-2003 /history/A.json /nothing /%ff /wire"
            own = f" script-src 'self' {early_hash()};"
            for path in paths.split():
                reply = await requested(house, f"GET {path} HTTP/1.1", "Host: x")
                headers = dict(reply.headers)
                if path == "/terminal":
                    # Its document has one script of its own, which the policy names by its digest.
                    headers["Content-Security-Policy"] = headers["Content-Security-Policy"].replace(own, "")
                assert set(SAFE) <= set(headers.items()), path
                assert reply.headers["Connection"] == "close"

    played(scenario)


def test_head_of_a_request_is_bounded(tmp_path: Path) -> None:
    """A request whose head does not end is cut off, whatever is still to come."""

    async def scenario() -> bytes:
        async with open_house(tmp_path) as house, raw_line(house.port) as line:
            line.send(b"GET / HTTP/1.1\r\nA: " + b"x" * 20_000)
            try:
                return await line.rest()
            except ConnectionResetError:
                return b""

    assert played(scenario) == b""


@asynccontextmanager
async def hurried(house: TestHouse) -> AsyncIterator[int]:
    """A port of the same house on which requests may take next to no time."""
    server = Server(house.venue.router, house.venue.server.site, 10, {"http://here"}, request_s=0.4)
    port = await server.open("127.0.0.1", 0)
    yield port
    server.close()
    Server(house.venue.router, house.venue.server.site, 10).close()


def test_request_that_takes_too_long_is_cut_off(tmp_path: Path) -> None:
    """A request that comes a byte at a time is cut off; a connection that was opened in time may take its time."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house, hurried(house) as port:
            async with raw_line(port) as quick:
                assert (await quick.request(upgrade("http://here"))).status == 101
                async with raw_line(port) as slow, raw_line(port) as silent:
                    slow.send(b"GET / HTTP/1.1\r\nHost: ")
                    assert [await slow.rest(), await silent.rest()] == [b"", b""]
                quick.send(said("ping", c=1))
                assert (await quick.reported("pong"))["c"] == 1
            assert house.venue.server.request_s == REQUEST_S

    played(scenario)


def test_house_that_is_full_says_so(tmp_path: Path) -> None:
    """A connection beyond the limit is refused with a request to retry, until another one closes."""

    async def scenario() -> None:
        text = VENUE.replace("commands_per_s", "connections_max = 2, commands_per_s")
        async with open_house(tmp_path, text) as house:
            port = house.port
            async with open_line(port) as first, open_line(port):
                reply = await requested(house, *upgrade(house.origin))
                assert (reply.status, set(SAFE) <= set(reply.headers.items())) == (503, True)
                assert (await requested(house, "GET /health HTTP/1.1")).status == 200
                first.drop()
                await until(lambda: len(house.venue.router.connections) == 1)
                async with open_line(port):
                    pass

    played(scenario)


def test_house_that_stops_says_so(tmp_path: Path) -> None:
    """When a house is stopped every connection is closed with the code of a restart, and no terminal counts as lost."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
        assert (await player.hear("bye"))["refusal"]["code"] == "busy"
        assert await player.end() == 1012
        assert house.venue.run.house.offline == set()

    played(scenario)
