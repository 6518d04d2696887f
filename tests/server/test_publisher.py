"""The publisher: nothing is sent before it is committed, then everything in journal order (I7, I8)."""

import asyncio
from pathlib import Path

import pytest

from croupier.engine.commit_loop import QUIET
from croupier.journal.disk import JournalFault
from croupier.server.views.floor import FLOOR_EVERY
from tests.support.blocked_disk import BlockedDisk
from tests.support.connections import played
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.wire.houses import MARINA
from tests.support.wire.runs import connect_actors


async def quiet(harness: ServerHarness) -> list[str]:
    """Let everything arrive that is on its way while the disk is held up; tell what came."""
    for client in harness.clients:
        await client.connection.ping()
    return [frame["t"] for client in harness.clients for frame in client.read()]


def bet(client: PageClient, spot: str = "17", stake: int = 500) -> int:
    at = {"terminal": client.device, "table": "M", "round": client.page.state("M")["round"], "spin": 1}
    return client.says("ask", command={"type": "PlaceBets", **at, "bets": [[spot, stake]]})


def test_nothing_leaves_before_it_is_kept(tmp_path: Path) -> None:
    """While a batch is not durable no response, table, seat, snapshot or floor is sent; then all are, in order."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            await pit.dealer.asks("SendMessage", terminals=[], words="Good luck.")
            await quiet(harness)
            disk = BlockedDisk(harness.open)
            first = bet(pit.one)
            await disk.begun()
            number = pit.dealer.says("ask", command={"type": "CloseBets", "table": "M"})
            second = bet(pit.two)
            for client in harness.clients:
                client.connection.say("resync")
            pit.one.connection.say("no_such_thing")
            harness.open.time.ring_next(harness.open.time.at_us + FLOOR_EVERY)

            assert await quiet(harness) == ["refused"]
            late = PageClient(await harness.open.client(), "terminal")
            late.connection.say("hello", screen="terminal", device=pit.one.device, key=pit.one.key)
            late.connection.say("redeem", id=50, epoch=pit.one.page.epoch, drawer="D1", number="1")
            await late.connection.ping()
            assert [(frame["t"], frame.get("last_cmd")) for frame in late.read()] == [("welcome", None), ("seat", 0)]

            disk.release()
            await harness.open.rest()
            await harness.settled()
            await late.connection.ping()
            assert [(frame["t"], frame.get("last_cmd")) for frame in late.read()] == [
                ("seat", first),
                ("snap", first),
                ("table", None),
                ("seat", first),
            ]
            assert late.page.game("M")["bets"] == {"17": 500}
            assert late.page.state("M")["phase"] == "closed"
            assert pit.two.page.refused[second]["code"] == "bets_closed"
            assert pit.dealer.page.refused == {}
            assert number == pit.dealer.page.last_cmd
            assert [frame["t"] for frame in pit.dealer.log][-5:] == ["floor", "snap", "table", "ack", "floor"]

    played(scenario)


def test_nothing_is_said_of_what_was_lost(tmp_path: Path) -> None:
    """Where the disk fails the house has failed: nobody hears anything more, and a new start has nothing of it."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            disk, failed = BlockedDisk(harness.open), harness.open.venue.commit_loop.failed
            bet(pit.one)
            await disk.begun()
            bet(pit.two)
            disk.lose()
            with pytest.raises(JournalFault, match="the disk is gone"):
                await asyncio.wait_for(asyncio.shield(failed), 10)
            bet(pit.two)
            for client in harness.clients:
                client.connection.say("resync")
            harness.open.time.at_us += QUIET
            while harness.open.time.ring_next(harness.open.time.at_us):
                pass
            bet(pit.one)

            assert await quiet(harness) == []
        async with server_harness(tmp_path, MARINA) as harness:
            assert {terminal.credit for terminal in harness.house.terminals.values()} == {100_000}
            assert {terminal.in_play for terminal in harness.house.terminals.values()} == {0}

    played(scenario)
