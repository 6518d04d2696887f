"""What a terminal is told of itself: its limits, its button, its session, and why it takes nothing."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from croupier.house.ids import PositionId, RoundNumber, TableId, TerminalId
from croupier.house.play.betting import BetsChanged
from croupier.house.state.tables import BetChange
from croupier.protocol import outbound
from croupier.protocol.outbound import SeatUpdate
from croupier.protocol.terminal import GameView, Idle, SeatState
from croupier.rules.geometry import SpotKey
from croupier.server.connection import BetsRow
from croupier.server.views import seat
from croupier.server.views.seat import game
from croupier.transcripts.driver import TABLE as FLOOR_TABLE
from tests.support.connections import VENUE, played
from tests.support.house_driver import Play, spot_limits
from tests.support.server_harness import PageClient, ServerHarness, server_harness
from tests.support.shift import T1, TABLE, Shift
from tests.support.wire.houses import ADELAIDE, CLEARWATER, MARINA
from tests.support.wire.runs import connect_actors

Said = dict[str, Any]
BREAKS: Final = f"{VENUE}\n[players]\nbreak_minutes = 45\n"


def seat_frames(client: PageClient) -> list[Said]:
    return [said for said in client.log if said["t"] == "seat"]


def shown(client: PageClient, table: str) -> Said:
    """What a player's page shows of a game."""
    assert client.page.seat is not None
    return dict(client.page.seat["games"][table])


def limits_of(harness: ServerHarness, client: PageClient, table: str) -> dict[str, list[int | None]]:
    """The limits of the record, by kind."""
    name = TableId(table)
    spots = harness.house.tables[name].rulebook.spots
    return {
        spots[spot].kind: [each.least, each.most, each.win]
        for spot, each in spot_limits(harness.house, TerminalId(client.device), name).items()
    }


def test_terminal_is_sent_what_it_offers(tmp_path: Path) -> None:
    """A snapshot says whether tickets are taken, at which tables a terminal plays, and when a break is due."""

    async def scenario() -> None:
        async with server_harness(tmp_path / "a", CLEARWATER) as harness:
            fixture = (await harness.player("C")).page.fixture
            assert fixture is not None
            assert (fixture["tickets"], fixture["table_ids"], fixture["break_minutes"]) == (True, ["C", "D"], 0)
        async with server_harness(tmp_path / "b", BREAKS) as harness:
            fixture = (await harness.player("A")).page.fixture
            assert fixture is not None
            assert (fixture["tickets"], fixture["table_ids"], fixture["break_minutes"]) == (False, ["A"], 45)

    played(scenario)


def test_limits_are_sent_once_and_when_they_change(tmp_path: Path) -> None:
    """The limits of every kind come with a snapshot, with no delta, and in a new snapshot where they have changed."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            reported = {kind: figures for kind, *figures in shown(pit.one, "M")["limits"]}
            assert reported == limits_of(harness, pit.one, "M")
            assert reported["straight"] == [100, 50_000, 50_000 * 36]
            settings = msgspec.to_builtins(harness.house.tables[TableId("M")].settings)
            settings["limits"] = {"spot": {"least": 200, "most": 300}}
            await harness.twice(pit.boss, pit.chief, "ChangeSettings", table="M", settings=settings, words="Quiet.")
            pit.one.log.clear()
            await harness.does(pit.dealer, "OpenBets", table="M")

            assert [said["t"] for said in pit.one.log][:3] == ["table", "seat", "snap"]
            assert all("limits" not in each["set"]["games"]["M"] for each in seat_frames(pit.one))
            changed = {kind: figures for kind, *figures in shown(pit.one, "M")["limits"]}
            assert changed == limits_of(harness, pit.one, "M")
            assert changed["straight"] == [200, 300, 300 * 36]

    played(scenario)


def test_button_says_what_it_does_next(tmp_path: Path) -> None:
    """Before each press of the Neighbors button a terminal is told how far it reaches and what it adds."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            await harness.does(pit.dealer, "OpenBets", table="C")
            assert shown(pit.one, "C")["neighbours"] is None
            await harness.plays(pit.one, "PlaceBets", "C", bets=[["17", 100]])
            for reach, added in ((2, 4), (3, 2), (4, 2), (4, 9)):
                button, before = shown(pit.one, "C")["neighbours"], dict(shown(pit.one, "C")["bets"])
                assert (button["pocket"], button["reach"], len(button["adds"])) == ("17", reach, added)
                assert set(button["adds"].values()) == {100}
                await harness.plays(pit.one, "PressNeighbours", "C")
                after = {spot: before.get(spot, 0) + cents for spot, cents in button["adds"].items()}
                assert shown(pit.one, "C")["bets"] == before | after
            await harness.plays(pit.one, "ClearBets", "C")
            assert shown(pit.one, "C")["neighbours"] is None

    played(scenario)


def test_bet_is_sent_without_what_cannot_have_changed() -> None:
    """Where there is no button and no red chip, a bet's delta has the spots and the sum, and nothing else."""
    shift = Shift.founded()
    placed = BetsChanged(PositionId(1), RoundNumber(1), BetChange.PLACE, (SpotKey("17"),), (500,))
    reported = msgspec.to_builtins(seat.seat_changes(shift.house, T1, [placed]))

    assert reported == {"credit": 0, "games": {TABLE: {"stakes": {"17": 500}, "staked": 0}}}


def test_session_goes_with_the_money(tmp_path: Path) -> None:
    """A player sees the time and the result of the session in a snapshot and after a round; a bet changes neither."""

    async def scenario() -> None:
        async with server_harness(tmp_path, MARINA) as harness:
            pit = await connect_actors(harness, "M")
            assert pit.one.page.seat is not None
            begun = pit.one.page.seat["session"]
            assert begun == {"since_us": begun["since_us"], "put_in": 100_000, "taken_out": 0, "net": 0, "games": 0}
            await harness.does(pit.dealer, "OpenBets", table="M")
            pit.one.log.clear()
            await harness.plays(pit.one, "PlaceBets", "M", bets=[["17", 200]])
            assert [set(each["set"]) for each in seat_frames(pit.one)] == [{"credit", "games"}]
            await harness.does(pit.dealer, "CloseBets", table="M")
            await harness.spin("M", "29")
            await harness.does(pit.dealer, "ConfirmResult", table="M", pocket="29")

            assert pit.one.page.seat["session"] == {**begun, "net": -200, "games": 1}
            await harness.checked(await pit.one.response(pit.one.says("cash_out")))
            assert pit.one.page.seat["session"]["since_us"] is None

    played(scenario)


def test_terminal_says_why_it_takes_nothing(tmp_path: Path) -> None:
    """A terminal that staff have closed says so, with the clause, and nothing of it once it is open again."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            assert pit.one.page.seat is not None
            assert pit.one.page.seat["out_of_service"] is None
            await harness.does(pit.boss, "CloseTerminal", terminal=pit.one.device, words="It flickers.")
            assert pit.one.page.seat["in_service"] is False
            assert pit.one.page.seat["out_of_service"] == {
                "says": "This terminal is out of service: please use another.",
                "clause": "25",
                "code": "terminal_closed",
            }
            await harness.does(pit.boss, "ReopenTerminal", terminal=pit.one.device)
            assert pit.one.page.seat["out_of_service"] is None

    played(scenario)


def test_held_win_is_reported_with_its_clause(tmp_path: Path) -> None:
    """A win that needs a form is shown as held, with the clause, until staff have released it."""

    async def scenario() -> None:
        async with server_harness(tmp_path, CLEARWATER) as harness:
            pit = await connect_actors(harness, "C")
            await harness.does(pit.dealer, "OpenBets", table="C")
            await harness.plays(pit.one, "PlaceBets", "C", bets=[["17", 5_000]])
            await harness.does(pit.dealer, "SpinBall", table="C")
            await harness.does(pit.dealer, "CloseBets", table="C")
            await harness.spin("C", "17")
            assert pit.one.page.seat is not None
            assert pit.one.page.seat["holds"] == [{"amount": 5_000 * 36, "clause": "22"}]
            assert pit.one.page.seat["held"] == 5_000 * 36

    played(scenario)


def test_player_who_sits_out_is_notified() -> None:
    """At Adelaide a player who has sat out three valid spins is told so with the clause, and not before."""
    play = Play("skycity-adelaide-2003")
    play.seats(T1=100)
    reported = []
    for pocket in ("17", "18", "19", "20"):
        play.round(pocket)
        reported.append(game(play.house, T1, FLOOR_TABLE).idle)
    play.round("21", T1="5 on 17")

    assert reported == [None, None, Idle(3, "11(f)"), Idle(4, "11(f)")]
    assert game(play.house, T1, FLOOR_TABLE).idle is None


def test_launch_is_sent_to_clients_that_join_late(tmp_path: Path) -> None:
    """A table says when its ball was launched and where its numbers come from, until the spin is called off."""

    async def scenario() -> None:
        async with server_harness(tmp_path, ADELAIDE) as harness:
            pit = await connect_actors(harness, "A")
            await harness.does(pit.dealer, "OpenBets", table="A")
            assert "launched_at" not in pit.one.page.state("A")
            await harness.does(pit.dealer, "SpinBall", table="A")
            launched = harness.house.tables[TableId("A")].playing.spin.launched_at
            late = await harness.player("A")

            assert late.page.state("A")["launched_at"] == launched
            assert late.page.state("A")["wheel"] == "sensor"

    played(scenario)


@pytest.mark.parametrize("table", ["A", 'the "old" table \\', "Grüner Tisch 🎰"])
@pytest.mark.parametrize("spots", [("17",), ("17", "17/20", "dozen 1")])
def test_row_of_bets_is_the_message_that_it_stands_for(table: str, spots: tuple[str, ...]) -> None:
    """A row of bets is encoded byte by byte as the delta of a terminal with the same fields."""
    amounts = tuple(500 * place for place in range(len(spots)))
    row = BetsRow(7, 3, 10**15, TableId(table), tuple(map(SpotKey, spots)), amounts, 500)
    game = GameView(stakes=dict(zip(map(SpotKey, spots), amounts, strict=True)), staked=500)
    changes = SeatState(credit=10**15, games={TableId(table): game})

    assert row.encode() == outbound.encode(SeatUpdate(v=7, last_cmd=3, set=changes))
