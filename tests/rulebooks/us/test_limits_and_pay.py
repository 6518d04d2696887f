"""The US double-zero table in the house, at practice terminals: its limits and its pay table."""

from functools import partial

import pytest

from croupier.house.floor.setup import AddTerminal
from croupier.house.ids import DeviceId, RoundNumber, TerminalId
from croupier.house.play.betting import ChangeBet, MoveBet, RemoveBets
from croupier.house.rounds.closing import CloseBets
from croupier.house.rounds.spinning import BallLaunched
from croupier.house.settings import Mode, TableSettings, TerminalSettings
from croupier.house.state.tables import Round
from croupier.rules.geometry import SpotKey
from tests.conftest import venue
from tests.support.house_driver import TABLE, Play, cents, limits, refused, with_bets
from tests.support.rules_driver import RulesDriver

VENUE = "us-double-zero"
row = RulesDriver(VENUE).row
WHEEL, SEAT = DeviceId(TABLE), DeviceId("T1")
GAME = (TerminalId("T1"), TABLE, RoundNumber(1), 1)


betting = partial(with_bets, VENUE)


def round_of(play: Play) -> Round:
    assert play.table.round is not None
    return play.table.round


def worth(play: Play, seat: str) -> float:
    """What a player has, on the meter and on the layout."""
    return play.credit(seat) + sum(play.layout(seat).values())


@pytest.mark.clause("us-double-zero", "Header")
def test_round_bears_the_rulebook() -> None:
    """A round's record shows this table's rulebook."""
    play = betting(T1="")
    assert play.house.rulebooks[round_of(play).rulebook].id == VENUE


def test_terminals_are_for_practice_alone() -> None:
    """The table is played with chips: where money is real no terminal is added."""
    play = Play(VENUE, mode=Mode.REAL)
    adding = AddTerminal(TerminalId("T1"), (TABLE,), TerminalSettings())
    assert refused(play.ask(adding)) == ("demo_only", "Placement 1")


@pytest.mark.clause("us-double-zero", "Placement 4")
@pytest.mark.parametrize(("pocket", "pays"), [("20", 68), ("17", 68), ("14", -4), ("23", -4), ("0", -4)])
def test_wager_settles_by_its_position(pocket: str, pays: int) -> None:
    """$4 on the line of 17 and 20 pay 17 times as much on either, and are lost on any number beside them."""
    play = betting(T1="4 on 17/20")
    play.close()
    play.rest(pocket)
    assert worth(play, "T1") == 100 + pays
    play.check()


@pytest.mark.clause("us-double-zero", "Placement 4")
def test_wager_settles_where_it_lies_at_rest() -> None:
    """A wager that was moved from 17 to 20 while the ball ran is one on 20."""
    play = betting(T1="4 on 17")
    play.must(BallLaunched(TABLE, opposite=True, turning=True), WHEEL)
    play.remove("T1", "17")
    play.bet("T1", "4 on 20")
    play.by("dealer", CloseBets(TABLE))
    play.rest("20")
    assert worth(play, "T1") == 240
    play.check()


@pytest.mark.clause("us-double-zero", "Placement 5")
@pytest.mark.parametrize(
    ("lying", "slip", "code"),
    [
        ("", "0.50 on 17", "stake_under_minimum"),
        ("", "0.99 on red", "stake_under_minimum"),
        ("", "4.01 on red", "stake_over_maximum"),
        ("4 on 17", "1 on 17", "stake_over_maximum"),
        ("4 on 17", "1 on 20; 1 on 17", "stake_over_maximum"),
        ("2 on courtesy-line; 2 on 0/00", "1 on 0/00", "stake_over_maximum"),
    ],
)
def test_wager_outside_one_to_four_dollars(lying: str, slip: str, code: str) -> None:
    """A wager under $1 or over $4 on a position is refused, and what lay there stays as it was."""
    play = betting(T1=lying)
    before = (play.layout("T1"), play.credit("T1"))
    assert refused(play.bet("T1", slip)) == (code, "Placement 5")
    assert (play.layout("T1"), play.credit("T1")) == before
    play.check()


@pytest.mark.clause("us-double-zero", "Types 2")
def test_terminal_moves_and_removes_by_the_name_of_the_courtesy_line() -> None:
    """A bet on the courtesy line is moved, changed and removed at a terminal under that name."""
    play, line, number = betting(T1="2 on courtesy-line"), SpotKey("courtesy-line"), SpotKey("17")
    assert isinstance(play.ask(MoveBet(*GAME, line, number), SEAT), tuple)
    assert play.layout("T1") == {"17": 2}
    assert isinstance(play.ask(MoveBet(*GAME, number, line), SEAT), tuple)
    assert isinstance(play.ask(ChangeBet(*GAME, line, cents(3)), SEAT), tuple)
    assert play.layout("T1") == {"0/00": 3}
    assert isinstance(play.ask(RemoveBets(*GAME, (line,)), SEAT), tuple)
    assert play.layout("T1") == {}


@pytest.mark.clause("us-double-zero", "Placement 5")
@pytest.mark.parametrize(
    ("slip", "cost"),
    [
        ("1 on 17", 1),
        ("4 on 17", 4),
        ("3 on 17; 1 on 17", 4),
        ("; ".join(f"4 on {number}" for number in range(1, 11)), 40),
    ],
)
def test_wager_of_one_to_four_dollars(slip: str, cost: int) -> None:
    """A wager of $1 to $4 is taken, and so it is on each of ten positions."""
    play = betting(T1=slip)
    assert (sum(play.layout("T1").values()), play.credit("T1")) == (cost, 100 - cost)
    play.check()


@pytest.mark.clause("us-double-zero", "Placement 5")
@pytest.mark.parametrize(("least", "most", "taken"), [(2, 3, "2 3"), (None, 10, "1 4"), (0, None, "1 4")])
def test_table_sets_narrower_limits_and_no_wider(least: int | None, most: int | None, taken: str) -> None:
    """A table's own limits hold where they are within $1 to $4, and nowhere else."""
    play = betting(TableSettings(limits=limits(least, most)), T1="")
    low, high = (int(amount) for amount in taken.split())
    assert isinstance(play.bet("T1", f"{low}.00 on 17; {high}.00 on 20"), tuple)
    assert refused(play.bet("T1", f"{low - 1}.99 on red"))[0] == "stake_under_minimum"
    assert refused(play.bet("T1", f"{high}.01 on red"))[0] == "stake_over_maximum"


LINES = [
    ("Pay Table Straight", "17", "17", 140, 36),
    ("Pay Table Split", "0/00", "0", 68, 36),
    ("Pay Table Three Numbers", "00/2/3", "3", 44, 36),
    ("Pay Table Four Numbers", "1/2/4/5", "5", 32, 36),
    ("Pay Table First Five Numbers", "0/00/1/2/3", "1", 24, 35),
    ("Pay Table Six Numbers", "31/32/33/34/35/36", "31", 20, 36),
    ("Pay Table Column", "column 1", "34", 8, 36),
    ("Pay Table Dozen", "dozen 1", "12", 8, 36),
    ("Pay Table Red", "red", "36", 4, 36),
    ("Pay Table Black", "black", "35", 4, 36),
    ("Pay Table Odd", "odd", "1", 4, 36),
    ("Pay Table Even", "even", "36", 4, 36),
    ("Pay Table 1 to 18", "low", "1", 4, 36),
    ("Pay Table 19 to 36", "high", "36", 4, 36),
]


@pytest.mark.parametrize(("spot", "pocket", "pays"), [row(*line[:4]) for line in LINES])
def test_line_of_the_pay_table(spot: str, pocket: str, pays: int) -> None:
    """$4 bring what the line pays to the meter, and the stake stays the player's where it lies."""
    play = betting(T1=f"4 on {spot}")
    (lies_on,) = play.layout("T1")
    play.close()
    play.rest(pocket)
    assert (play.credit("T1"), play.layout("T1")) == (96 + pays, {lies_on: 4})
    play.open()
    play.remove("T1", lies_on)
    assert play.credit("T1") == 100 + pays
    play.check()


@pytest.mark.parametrize(("spot", "back"), [row(line[0], line[1], line[4]) for line in LINES])
def test_every_pocket_once(spot: str, back: int) -> None:
    """Of $38, one staked for each pocket of the wheel, 36 are left: a nineteenth is lost, and 3 in 38 on five."""
    play = Play(VENUE)
    play.seats(T1=38)
    for pocket in venue(VENUE).pockets:
        play.round(pocket, **({} if play.layout("T1") else {"T1": f"1 on {spot}"}))
    assert worth(play, "T1") == back
    play.check()
