"""Random walks over the wire: whatever players and staff do, and however much at once, pages show what is so (I22)."""

from pathlib import Path
from random import Random

import pytest

from croupier.house.ids import TableId
from croupier.house.rounds.results import BallAtRest
from croupier.house.rounds.spinning import BallLaunched
from croupier.rules.geometry import Pocket
from tests.support.campaign import many
from tests.support.connections import played
from tests.support.page import Said
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.wire.houses import CLEARWATER
from tests.support.wire.runs import connect_actors

SPOTS = ("17", "18", "20", "17/20", "red", "black", "dozen 1", "neighbours 22", "finale 7", "no spot")
GAMES = ("C", "D")


def wish(chance: Random, player: PageClient) -> Said:
    """Something that a player may want to do with the chips, whether or not it can be done."""
    table, other = chance.sample(GAMES, 2)
    state, lying = player.page.state(table), list(player.page.game(table)["bets"]) or ["17"]
    at = {"terminal": player.device, "table": table, "round": state["round"], "spin": state["spin"]}
    bets = [[chance.choice(SPOTS), chance.choice((50, 100, 250, 5_000))] for _ in range(chance.randint(1, 3))]
    slot, here = chance.randint(1, 2), {"terminal": player.device}
    return chance.choice(
        [
            *[{"type": "PlaceBets", **at, "bets": bets}] * 6,
            {"type": "ChangeBet", **at, "spot": chance.choice(SPOTS), "stake": chance.choice((0, 50, 150))},
            {"type": "RemoveBets", **at, "spots": [chance.choice(lying)]},
            {"type": "MoveBet", **at, "source": chance.choice(lying), "target": chance.choice(SPOTS)},
            *({"type": name, **at} for name in ("UndoBet", "ClearBets", "RepeatBets", "DoubleBets", "PressNeighbours")),
            {"type": "SavePattern", **at, "slot": slot, "override": True},
            {"type": "RecallPattern", **at, "slot": slot},
            {"type": "ConfirmRecall", **at},
            {"type": "CancelRecall", **at},
            {"type": "CopyBets", **at, "source": other},
            {"type": "SetAutoCopy", **here, "table": table, "target": other, "on": chance.random() < 0.7},
            {"type": "ChooseDenomination", **here, "denomination": chance.choice((50, 100))},
        ]
    )


def order(chance: Random, harness: ServerHarness) -> Said:
    """Something that staff may do meanwhile."""
    terminal, cases = chance.choice(("T1", "T2")), len(harness.house.cases.all)
    return chance.choice(
        [
            {"type": "SendMessage", "terminals": chance.choice(([], [terminal])), "words": "Good luck."},
            {"type": "RaiseMalfunction", "terminal": terminal, "fault": "opinion", "words": "It hangs."},
            *({"type": "ClearCase", "case": case} for case in (cases, cases - 1, cases) if case > 0),
            {"type": "CloseTerminal", "terminal": terminal, "words": "For a moment."},
            *[{"type": "ReopenTerminal", "terminal": terminal}] * 2,
            {"type": "RaiseSystemMalfunction", "table": chance.choice(GAMES), "words": "It hangs."},
        ]
    )


async def goes_on(harness: ServerHarness, chance: Random, dealer: PageClient) -> None:
    """Have a table go one step on: the next round opens, the ball is launched, betting closes, the ball rests."""
    name = chance.choice(GAMES)
    match dealer.page.state(name)["phase"]:
        case "between":
            assert dealer.page.floor is not None
            for each in dealer.page.floor["incidents"]:
                await harness.does(dealer, "ClearIncident", incident=each["incident"])
            await harness.does(dealer, "OpenBets", table=name)
        case "open":
            await harness.wheel(BallLaunched(TableId(name)))
        case "open_running":
            await harness.passes(6)
        case "running":
            await harness.wheel(BallAtRest(TableId(name), Pocket(chance.choice(("17", "18", "0")))))


@pytest.mark.property
@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(many(day=3, night=300)))
def test_pages_show_what_is_so_wherever_a_walk_leads(tmp_path: Path, seed: int) -> None:
    """After any burst of wishes of two players with two games each, and of staff, pages show what a snapshot would."""
    chance = Random(seed)  # noqa: S311 - a walk that can be walked again

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            for _ in range(25):
                await goes_on(harness, chance, pit.dealer)
                for player in chance.choices((pit.one, pit.two), k=chance.randint(0, 6)):
                    player.says("ask", command=wish(chance, player))
                if chance.random() < 0.3:
                    pit.boss.says("ask", command=order(chance, harness))
                for client in (pit.one, pit.two, pit.boss):
                    await harness.received(client)
                await harness.check()
            shown = {player.device: player.page.seat for player in (pit.one, pit.two)}
            assert pit.one.page.last_cmd > 10

        async with server_harness(tmp_path, CLEARWATER) as harness:
            # What was in play has gone back by the rules; all else is what the journal gives.
            for before in (pit.one, pit.two):
                back, seat = await harness.returns(before), shown[before.device]
                assert back.page.seat is not None
                assert seat is not None
                assert back.page.seat["patterns"] == seat["patterns"]
                staked = sum(game["staked"] for game in seat["games"].values())
                assert back.page.seat["credit"] + back.page.seat["held"] == seat["credit"] + seat["held"] + staked

    played(scenario)
