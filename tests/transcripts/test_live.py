"""Transcripts of live tables: what is malformed, what the floor shows, and what a written round leans on."""

import pytest

from croupier.house.ids import PositionId
from croupier.house.live.arrangements import NoteInfringement
from croupier.house.live.floats import FillFloat
from croupier.house.live.partners import LinkPlayers
from croupier.house.live.seats_and_colours import AllocateColour, ApproveSecondColour
from croupier.house.settings import LiveSettings, TableSettings
from croupier.rules.money import Cents
from croupier.rules.procedure import InfringementKind
from croupier.rules.refusal import Refusal
from croupier.transcripts.driver import TABLE, RecordingDriver, device_of
from croupier.transcripts.live import (
    PlayerSetting,
    chip_details,
    layout_text,
    players_before,
    position_of,
)
from croupier.transcripts.live_actions import _moves_float
from croupier.transcripts.preamble import RecordNumbers, WriteContext
from croupier.transcripts.runner import run_round
from tests.conftest import venue
from tests.support.house_driver import ADELAIDE, limits

HEAD = "rulebook  skycity-adelaide-2003\n"
LIVE = f"{HEAD}table  recording full  float 500  minimum 5\n"
P1, P2 = PositionId(1), PositionId(2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HEAD}player 1  chips 5\n", "a live table above"),
        (f"{LIVE}player 1  value much\n", "an amount after 'value'"),
        (f"{LIVE}player 1  credit 5\n", "one of the settings colour, value, buys, chips"),
        (f"{LIVE}09:00:00  player 1  5 on 17\n", "a player who has a heading: there is none"),
        (f"{LIVE}player 1\n09:00:00  player 2  5 on 17\n", "a player who has a heading: player 1"),
        (f"{HEAD}seat 1\npaid  player 1  5\n", "a player only at a live table"),
        (f"{LIVE}player 1\n09:00:00  player 1  5 blue blue on 17\n", "chips such as"),
        (f"{LIVE}player 1\n09:00:00  dealer  pays inside to player 1 in 35\n", "chips such as"),
        (f"{LIVE}player 1\nlayout  player 1  7 x 5 on ;ed\n", "chips such as"),
        (f"{LIVE}table 2  float much\n", "an amount after 'float'"),
    ],
)
def test_what_is_not_known_of_a_live_table_is_pointed_at(text: str, says: str) -> None:
    """What a line on players with chips lacks is said where it stands."""
    played = run_round(text)

    assert isinstance(played, Refusal)
    assert says in played.message


def test_float_of_a_stand_alone_table_is_not_opened() -> None:
    """A float at a table without chips has no effect, and a player may be seated during the play."""
    assert not isinstance(run_round(f"{HEAD}table  float 500\nfloat  none\n"), Refusal)
    played = run_round(f"{LIVE}09:00:00  dealer  seats player 1\n09:00:05  player 1  buys 5\npaid  player 1  0\n")
    assert not isinstance(played, Refusal)
    assert played.holds


def floor() -> RecordingDriver:
    """Two players with chips at a live table in Adelaide."""
    live = LiveSettings(emblem="anchor", colours=("blue", "green"))
    made = RecordingDriver(venue(ADELAIDE), TableSettings(live=live, confirms=True, limits=limits(5, 100)))
    made.set_up_float(TABLE, 500_00)
    made.seat_player("player 1", PlayerSetting("blue", None, 50_00))
    made.seat_player("player 2", PlayerSetting())
    return made


def test_round_leans_on_what_players_brought_along() -> None:
    """Several colours, partners, infringements and debts from before a round are told in comments."""
    made = floor()
    assert list(players_before(made.house, made.table)) == []
    officer = "authorised officer"
    made.must(ApproveSecondColour(TABLE, P1, "A large group."), device_of(officer), officer)
    made.must(AllocateColour(TABLE, P1, "green"), device_of("dealer"), "dealer")
    made.must(LinkPlayers(TABLE, (P1, P2)), device_of("inspector"), "inspector")
    made.must(NoteInfringement(TABLE, P2, InfringementKind.TOUCHED), device_of("dealer"), "dealer")
    assert made.table.live is not None
    made.table.live.players[P2].owed = 5_00

    assert list(players_before(made.house, made.table)) == [
        (1, "has several colours"),
        (1, "had partners"),
        (2, "had partners"),
        (2, "had infringed the rules"),
        (2, "had a correction to settle"),
    ]


def test_layout_is_the_same_however_it_is_written() -> None:
    """The same chips on the same spots are one layout, and other chips are shown as they lie."""
    made = floor()
    assert made.table.live is not None
    made.table.live.players[P1].pieces = {"17": {"blue": 2}, "red": {"v500": 2}}  # type: ignore[dict-item]

    assert layout_text(made.house, "player 1", "10 on red; 2 blue on 17") == "10 on red; 2 blue on 17"
    assert layout_text(made.house, "player 1", "2 x 5 on red; 2 blue on 17") == "2 x 5 on red; 2 blue on 17"
    assert layout_text(made.house, "player 1", "1 blue on 17") == "2 blue on 17; 2 x 5 on red"
    assert layout_text(made.house, "player 2", "1 blue on 17") == "empty"
    assert layout_text(made.house, "player 9", "empty") == "empty"
    assert position_of(made.house, "player 9") == 0
    assert chip_details(made.house, "walk", ("none",)) == ("none",)


def test_movement_of_a_float_is_written_as_its_amount() -> None:
    """A fill of two chips of 5 and one of 100 is written as 110."""
    fill = FillFloat(TABLE, ((Cents(500), 2), (Cents(10_000), 1)), "S2")
    context = WriteContext(
        {}, None, RecordNumbers(), loose=False, actor="dealer", open=set(), pieces={}, players={}, chips=True
    )

    assert _moves_float(fill, context) == ((Cents(11_000),),)
