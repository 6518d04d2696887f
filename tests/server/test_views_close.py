"""The close over the wire: what lies on a screen when betting has closed is what will be settled."""

from pathlib import Path

import pytest

from croupier.house.ids import TableId
from croupier.house.rounds.spinning import BallLaunched
from tests.support.connections import played
from tests.support.page import Said
from tests.support.server_harness import PageClient, server_harness
from tests.support.wire.houses import CLEARWATER, MARINA
from tests.support.wire.runs import connect_actors


def closing(client: PageClient, table: str) -> Said:
    """The game in the delta with which a seat was told of the close."""
    games = [frame["set"]["games"][table] for frame in client.log if frame["t"] == "seat" and "games" in frame["set"]]
    return next(game for game in games if game.get("sealed"))


@pytest.mark.clause("clearwater-etg", "11")
@pytest.mark.clause("clearwater-etg", "13.c")
def test_every_seat_is_sent_the_bets_that_are_settled(tmp_path: Path) -> None:
    """With the close every seat gets all its chips: what was copied, and nothing that went back to the meter."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            await harness.does(pit.dealer, "OpenBets", table="C")
            await harness.does(pit.dealer, "OpenBets", table="D")
            await harness.does(pit.one, "SetAutoCopy", terminal=pit.one.device, table="C", target="D", on=True)
            # 50 is under the minimum; as much on red as on black is too little risk.
            await harness.plays(pit.one, "PlaceBets", "C", bets=[["17", 50], ["18", 500]])
            await harness.plays(pit.two, "PlaceBets", "C", bets=[["red", 500], ["black", 100]])
            await harness.plays(pit.two, "ChangeBet", "C", spot="red", stake=100)
            assert pit.one.page.game("C")["red"] == ["17"]
            assert pit.two.page.game("C")["warning"] != ""
            await harness.wheel(BallLaunched(TableId("C")))
            await harness.passes(6)

            assert (closing(pit.one, "C")["sealed"], closing(pit.one, "C")["bets"]) == (1, {"18": 500})
            assert (closing(pit.two, "C")["sealed"], closing(pit.two, "C")["bets"]) == (1, {})
            assert pit.one.page.game("D")["bets"] == {"18": 500}
            assert pit.one.page.game("D")["sealed"] is None
            sealed = harness.house.tables[TableId("C")].playing.layouts
            positions = harness.house.positions
            assert {positions[each].terminal: stakes for each, stakes in sealed.items()} == {"T1": {"18": 500}}
            for client in (pit.one, pit.two):
                assert client.page.seat is not None
                assert client.page.seat["messages"][0]["clause"] in ("11", "13.c")
            for command in ("ClearBets", "UndoBet", "DoubleBets"):
                await harness.misplays(pit.one, "bets_closed", command, "C")
            assert pit.one.page.game("C")["bets"] == {"18": 500}

    played(scenario)


def test_bets_of_a_terminal_that_went_offline_are_sent_when_it_is_back(tmp_path: Path) -> None:
    """A terminal that was dark at the close finds its chips given back, and its table closed, in its first snapshot."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await harness.does(pit.dealer, "OpenBets", table="M")
            await harness.plays(pit.one, "PlaceBets", "M", bets=[["17", 500]])
            await harness.leaves(pit.one)
            await harness.passes(1)
            await harness.does(pit.dealer, "CloseBets", table="M")
            back = await harness.returns(pit.one)

            assert (back.page.game("M")["bets"], back.page.game("M")["sealed"]) == ({}, 1)
            assert back.page.seat is not None
            assert back.page.seat["credit"] == 100_000

    played(scenario)
