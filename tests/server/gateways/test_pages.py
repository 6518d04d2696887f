"""What gateways show: the pages of the house, their metrics, and their line in the status of the house."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from croupier.house.ids import SECOND, TableId
from croupier.server.assets import own_assets
from croupier.server.connection import MISSED_HEARTBEATS_MAX, SWEEP_INTERVAL_US
from croupier.server.gateways.keys import GatewayKeys, write_key
from croupier.server.gateways.process import GatewayOptions, RunningGateway
from croupier.server.gateways.sessions import PAGES_AFTER
from croupier.server.http import HttpHandler
from tests.server.gateways.test_gateway import gateway_of, restarted, returned
from tests.support.broker import broker
from tests.support.connections import (
    THROUGH_GATEWAY,
    VENUE,
    HandTime,
    configured,
    open_gateway,
    open_house,
    played,
    refused_in,
    until,
)
from tests.support.rawline import raw_line


@pytest.fixture(autouse=True)
def _behind_a_gateway() -> Iterator[None]:
    token = THROUGH_GATEWAY.set(True)
    yield
    THROUGH_GATEWAY.reset(token)


def test_pages_know_every_address(tmp_path: Path) -> None:
    """A page has the configured addresses of gateways, may connect to them, and may connect from there."""

    async def scenario() -> None:
        text = f'{VENUE}\n[gateways]\nbrokers = ["{broker()}"]\naddresses = ["https://left.example", "http://right.example:81"]\n'
        async with open_house(tmp_path, text) as house:
            async with raw_line(house.port) as line:
                page = await line.request(["GET /terminal HTTP/1.1"])
            assert b'"addresses":["https://left.example","http://right.example:81"]' in page.body
            policy = page.headers["Content-Security-Policy"]
            assert "connect-src 'self' wss://left.example ws://right.example:81;" in policy
            for server in (house.venue.server, gateway_of(house).server):
                assert {"https://left.example", "http://right.example:81"} <= server.origins
            first = await house.seated()
            # A page of another name is behind a proxy: it enrols no device, and comes back with a key.
            client = await house.client("https://left.example")
            assert (await client.return_(first.device, first.key))["epoch"] == first.epoch
            await first.end()
            house.clients.remove(first)

    played(scenario)


def test_house_behind_gateways_makes_no_files_of_the_screens(tmp_path: Path) -> None:
    """What takes most of a second is not made when a gateway comes; a gateway makes a file that it is asked for."""
    own_assets.cache_clear()

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            pages = gateway_of(house).gateway.pages
            await until(lambda: "limits/A.json" in pages.published)
            assert sum(len(each.body) for each in own_assets().made.values()) < 10_000
            async with raw_line(house.port) as line:
                reply = await line.request([f"GET /static/{pages.assets.version}/terminal.js HTTP/1.1"])
            assert reply.body == own_assets().made["terminal.js"].body

    played(scenario)


def test_gateway_serves_the_pages_of_the_house(tmp_path: Path) -> None:
    """Pages, felts, rules and files of the screens are those of the house, and follow what happens at its tables."""

    async def fetched(port: int, path: str) -> tuple[int, bytes]:
        async with raw_line(port) as line:
            reply = await line.request([f"GET {path} HTTP/1.1"])
            return reply.status, reply.body

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await until(lambda: "limits/A.json" in gateway_of(house).gateway.pages.published)
            site = house.venue.server.site
            felt = house.venue.publisher.table_views.published[TableId("A")][1].felt
            for path in ("/", "/terminal", f"/felt/{felt}.json", "/rules/skycity-adelaide-2003", "/limits/A.json"):
                assert await fetched(house.port, path) == (200, site.respond(path).body)
            assert (await fetched(house.port, f"/static/{site.assets.version}/shared/session.js"))[0] == 200
            assert (await fetched(house.port, "/nowhere"))[0] == 404
            apart = site.respond("/terminal?modules").body
            assert await fetched(house.port, "/terminal?modules") == (200, apart)
            assert (await fetched(house.port, "/?modules"))[0] == 200
            assert await fetched(house.port, "/health") == (200, b'{"ok":true,"connections":0}')
            assert b'"spins":[]' in (await fetched(house.port, "/history/A.json"))[1]
            await house.seated()
            await house.pass_s(60)
            assert b'"round":1' in (await fetched(house.port, "/history/A.json"))[1]
            async with open_gateway(house.venue, tmp_path, house.time, "second") as second:
                await until(lambda: "history/A.json" in second.gateway.pages.published)
                assert b'"round":1' in (await fetched(second.port, "/history/A.json"))[1]

    played(scenario)


def test_gateway_counts_what_it_does(tmp_path: Path) -> None:
    """Its metrics have connections, commands, batches, round trips, refused messages and sessions."""

    async def scraped(port: int) -> dict[str, float]:
        async with raw_line(port) as line:
            reply = await line.request(["GET /metrics HTTP/1.1"])
        rows = (line.rpartition(" ") for line in reply.body.decode().splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in rows}

    async def scenario() -> None:
        text = VENUE.replace("commands_per_s = 1_000, commands_burst = 1_000", "commands_per_s = 9, commands_burst = 9")
        async with open_house(tmp_path, text) as house:
            player = await returned(house)
            await house.client()
            await house.pass_s(6)
            opened = await player.hear("table", lambda said: said["state"]["phase"] == "open")
            number = player.bet("17", 100, opened["state"]["round"])
            assert refused_in(await player.answered(number)) == {}
            # A refusal is not a row, and no round trip.
            number = player.bet("nowhere", 100, opened["state"]["round"])
            assert number in refused_in(await player.answered(number))
            player.send(b"{}")
            await player.hear("refused")
            for _ in range(30):
                player.say("resync")
            await player.hear("refused")
            counts = await scraped(house.port)
            assert counts['croupier_gateway_connections{kind="terminal"}'] == 1
            assert counts['croupier_gateway_connections{kind="none"}'] == 1
            assert counts["croupier_gateway_commands_total"] == 2
            assert counts["croupier_gateway_batch_commands_sum"] == 2
            assert counts["croupier_gateway_batch_commands_count"] == 2
            assert counts["croupier_gateway_round_trip_seconds_count"] == 1
            assert counts["croupier_gateway_invalid_messages_total"] == 1
            assert counts["croupier_gateway_rate_limited_total"] >= 1
            assert (counts["croupier_gateway_linked"], counts["croupier_gateway_sessions_lost_total"]) == (1, 0)
            await restarted(house, tmp_path, text)
            counts = await scraped(house.port)
            assert (counts["croupier_gateway_sessions_total"], counts["croupier_gateway_sessions_lost_total"]) == (2, 1)
            player.mute = True
            await house.pass_s(MISSED_HEARTBEATS_MAX * SWEEP_INTERVAL_US // SECOND)
            counts = await scraped(house.port)
            assert counts['croupier_gateway_connections_closed_total{code="silent"}'] == 1

    played(scenario)


def _options(folder: Path) -> GatewayOptions:
    """A gateway that is enrolled, and whose broker is not there."""
    content = GatewayKeys(folder).enrol("gateway")
    assert isinstance(content, bytes)
    write_key(folder / "gateway.json", content)
    return GatewayOptions(("nats://127.0.0.1:1",), folder / "gateway.json", port=0)


def test_metrics_of_a_gateway_may_have_a_port_of_their_own(tmp_path: Path) -> None:
    """Then they and the health are there and nothing else, and the port of the clients has no metrics."""

    async def scenario() -> None:
        running = await RunningGateway.open(_options(tmp_path)._replace(metrics_port=0), HandTime())
        for port, path, status in (
            (running.metrics_port, "/metrics", 200),
            (running.metrics_port, "/health", 503),
            (running.metrics_port, "/terminal", 404),
            (running.port, "/metrics", 404),
        ):
            async with raw_line(port) as line:
                assert (await line.request([f"GET {path} HTTP/1.1"])).status == status
        await running.close()

    played(scenario)


def test_gateways_that_are_linked_are_in_the_status(tmp_path: Path) -> None:
    """The status of a house lists each gateway with its connections, and not one that was not admitted."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            await returned(house)
            (row,) = house.venue.maintenance.status().gateways
            assert (row.gateway, row.connections) == ("gateway", 1)

    played(scenario)


def test_pages_are_built_again_when_the_tables_change(tmp_path: Path) -> None:
    """A table that is added while the house is open is on the pages of a gateway a moment later."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            more = VENUE.replace(
                "[[staff]]", '[[tables]]\nid = "B"\nrulebook = "skycity-adelaide-2003"\n\n[[staff]]', 1
            )
            house.venue.maintenance.reread = lambda: configured(tmp_path, more)
            await house.venue.maintenance.reload()
            await house.pass_s(PAGES_AFTER / SECOND)
            await until(lambda: "limits/B.json" in gateway_of(house).gateway.pages.published)
            assert b'"B"' in gateway_of(house).gateway.pages.published["terminal"].body

    played(scenario)


def test_page_of_a_table_that_is_not_published_yet_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with the next event of the table."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            published = gateway_of(house).gateway.pages.published
            await until(lambda: "lobby.json" in published)
            before = dict(published)
            monkeypatch.setattr(HttpHandler, "page", lambda *_: None)
            await house.pass_s(10)
            assert published == before

    played(scenario)


def test_gateway_without_a_house_has_no_pages(tmp_path: Path) -> None:
    """Before it has ever seen the house every page says so."""

    async def scenario() -> None:
        running = await RunningGateway.open(_options(tmp_path), HandTime())
        linking = asyncio.ensure_future(running.gateway.run())
        async with raw_line(running.port) as line:
            assert (await line.request(["GET / HTTP/1.1"])).status == 503
        async with raw_line(running.port) as line:
            assert (await line.request(["GET /health HTTP/1.1"])).status == 503
        await running.close()
        await linking

    played(scenario)
