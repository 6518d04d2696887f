"""The last games of a terminal: shown to it when it asks, step by step, and to nobody else."""

from pathlib import Path

import pytest

from croupier.house.ids import Instant, RoundNumber
from croupier.house.state.tables import GAMES_RECALLED, STEPS_RECALLED, BetChange, BetStep, GameRecord
from croupier.protocol.outbound import encode
from croupier.rules.geometry import Pocket, SpotKey
from croupier.server.views.seat import RECALL_MAX, recall
from tests.support.blocked_disk import BlockedDisk
from tests.support.connections import open_house, played
from tests.support.house_driver import Play
from tests.support.server_harness import ServerHarness, server_harness
from tests.support.shift import T1, TABLE, Shift
from tests.support.wire.houses import MARINA
from tests.support.wire.runs import Actors, connect_actors

BETS = {"17": 200, "17/20": 100}


async def one_game(harness: ServerHarness, pit: Actors) -> None:
    """Have a player lay two bets one after the other, and lose them."""
    await harness.does(pit.dealer, "OpenBets", table="M")
    for spot, stake in BETS.items():
        await harness.plays(pit.one, "PlaceBets", "M", bets=[[spot, stake]])
    await harness.does(pit.dealer, "CloseBets", table="M")
    await harness.spin("M", "29")
    await harness.does(pit.dealer, "ConfirmResult", table="M", pocket="29")


def test_terminal_is_shown_its_last_games(tmp_path: Path) -> None:
    """A terminal that asks is shown its games with every step, the number and what came back; another only its own."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await one_game(harness, pit)
            pit.one.connection.say("games")
            (game,) = (await pit.one.hears("games"))["games"]

            assert [(step["how"], step["stakes"]) for step in game.pop("steps")] == [
                ("place", {spot: stake}) for spot, stake in BETS.items()
            ]
            assert game == {
                "table": "M",
                "round": 1,
                "at_start": {},
                "sealed": BETS,
                "pocket": "29",
                "staked": 300,
                "returned": 0,
                "credit": 99_700,
            }
            pit.two.connection.say("games")
            assert (await pit.two.hears("games"))["games"] == []

    played(scenario)


def test_games_are_for_terminals_alone(tmp_path: Path) -> None:
    """Neither staff nor a board are shown anybody's games, and are told that it is not done there."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            await one_game(harness, pit)
            for client in harness.clients:
                if client.kind != "terminal":
                    assert await client.connection.reply("games") == "not_authorised", client.kind

    played(scenario)


def test_games_wait_for_what_is_under_way(tmp_path: Path) -> None:
    """While something is not kept yet a terminal is shown no games, and as soon as it is they follow."""

    async def scenario() -> None:
        async with open_house(tmp_path) as house:
            player = await house.seated()
            disk = BlockedDisk(house)
            player.say("note", id=1, epoch=player.epoch, value=1_000)
            await disk.begun()
            player.say("games")
            await player.ping()
            assert player.drain() == []
            disk.release()
            await player.hear("games")

    played(scenario)


def record(number: int, steps: tuple[BetStep, ...]) -> GameRecord:
    stakes = {SpotKey("17"): 100}
    return GameRecord(TABLE, RoundNumber(number), steps, stakes, Pocket("17"), 100, 3_600, 5_000)


def test_newest_game_comes_first() -> None:
    """Ten games are recalled, the newest first."""
    floor = Play("marina-bay-sands-2020")
    floor.seats(T1=100)
    for _ in range(12):
        floor.round("18", T1="5 on 17")

    assert [game.round for game in recall(floor.house, T1).games] == [*range(12, 2, -1)]


@pytest.mark.parametrize(
    ("spots", "shown"), [(20, STEPS_RECALLED), (21, RECALL_MAX // 21), (150, RECALL_MAX // 150)], ids=str
)
def test_what_is_shown_of_a_game_is_bounded(spots: int, shown: int) -> None:
    """Of a game with very many changed stakes the last steps are shown, and the others are in what it starts from."""
    house = Shift.founded().house
    keys = tuple(house.tables[TABLE].rulebook.spots)[:spots]
    steps = tuple(
        BetStep(Instant(at), BetChange.DOUBLE, keys, (0,) * spots, (0, *[at] * (spots - 1)), {}, None)
        for at in range(1, STEPS_RECALLED + 1)
    )
    house.terminals[T1].recall.extend(record(number, steps) for number in range(GAMES_RECALLED))
    games = recall(house, T1)

    assert {len(game.steps) for game in games.games} == {shown}
    early = STEPS_RECALLED - shown
    start = dict.fromkeys(keys[1:], early) if early else {}
    assert games.games[0].at_start == start
    assert len(encode(games)) < 250_000
