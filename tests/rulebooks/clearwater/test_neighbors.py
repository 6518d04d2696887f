"""Clearwater's Neighbors button in the house: how far each press spreads a straight up, and when it starts anew."""

import pytest

from croupier.house.credit.notes import InsertNote
from croupier.house.declare import Decision
from croupier.house.ids import DeviceId, TerminalId
from croupier.house.play.betting import BetsChanged, PressNeighbours, RemoveBets, UndoBet
from croupier.house.settings import LimitBounds, LimitSettings, TableSettings
from croupier.house.state.tables import BetChange
from croupier.rules.geometry import SpotKey
from tests.support.house_driver import Play, cents, limits, refused

VENUE = "clearwater-etg"
#: The numbers around 22, in the order in which the presses reach them.
TWO = ("17", "5", "22", "34", "15")
THREE = ("32", *TWO, "3")
FOUR = ("20", *THREE, "24")


def at(first: str = "5 on 22", *, credit: int = 1_000, limit_settings: LimitSettings | None = None) -> Play:
    """Find a chip on a number, betting open."""
    play = Play(VENUE, TableSettings(limits=limit_settings or LimitSettings()))
    play.seats(T1=credit)
    play.open()
    placed = play.bet("T1", first)
    assert isinstance(placed, tuple), placed
    return play


def press(play: Play, times: int = 1) -> Decision:
    """Press the button so often; give the last answer."""
    answer: Decision = ()
    for _ in range(times):
        answer = play.touch("T1", PressNeighbours)
    return answer


@pytest.mark.clause("clearwater-etg", "24")
@pytest.mark.parametrize(
    ("presses", "numbers", "each", "total"),
    [(0, ("22",), 5, 5), (1, TWO, 5, 25), (2, THREE, 5, 35), (3, FOUR, 5, 45), (4, FOUR, 10, 90), (5, FOUR, 15, 135)],
)
def test_presses_spread_and_then_raise(presses: int, numbers: tuple[str, ...], each: int, total: int) -> None:
    """A chip of 5 on 22 spreads over two, three and four numbers on each side, and then all nine are raised."""
    play = at()
    press(play, presses)

    assert play.layout("T1") == dict.fromkeys(numbers, each)
    assert play.credit("T1") == 1_000 - total
    play.check()


@pytest.mark.clause("clearwater-etg", "24")
@pytest.mark.parametrize(
    ("number", "around"),
    [("0", ("14", "2", "0", "28", "9")), ("00", ("13", "1", "00", "27", "10")), ("2", ("35", "14", "2", "0", "28"))],
)
def test_neighbours_lie_as_on_the_wheel(number: str, around: tuple[str, ...]) -> None:
    """Neighbours are counted along the wheel, over its zeros and round its end."""
    play = at(f"5 on {number}")
    press(play)

    assert play.layout("T1") == dict.fromkeys(around, 5)


@pytest.mark.clause("clearwater-etg", "24")
def test_another_straight_up_starts_the_button_anew() -> None:
    """After two presses on 22 a chip of 1 on 0 is what the next press spreads, over two on each side."""
    play = at()
    press(play, 2)
    play.bet("T1", "1 on 0")
    (changed,) = play.must(PressNeighbours(*play.game("T1")), DeviceId("T1"))

    assert isinstance(changed, BetsChanged)
    assert changed.how is BetChange.NEIGHBOURS
    assert changed.stakes == dict.fromkeys(map(SpotKey, ("14", "2", "28", "9")), 1_00)
    assert play.credit("T1") == 1_000 - 35 - 5
    play.check()


@pytest.mark.clause("clearwater-etg", "24")
def test_bet_of_another_kind_does_not_start_the_button_anew() -> None:
    """A chip on red between two presses changes nothing about the button, which goes on around 22."""
    play = at()
    press(play)
    play.bet("T1", "10 on red")
    press(play)

    assert play.layout("T1") == {**dict.fromkeys(THREE, 5), "red": 10}


@pytest.mark.clause("clearwater-etg", "24")
@pytest.mark.parametrize(
    ("command", "more"), [(RemoveBets, ((SpotKey("red"),),)), (UndoBet, ())], ids=["remove", "undo"]
)
def test_button_goes_on_after_a_bet_elsewhere_is_taken_back(command: type, more: tuple[object, ...]) -> None:
    """A chip on red that is placed and taken back leaves 22 the last straight up, and the button goes on around it."""
    play = at()
    press(play)
    play.bet("T1", "10 on red")
    play.touch("T1", command, *more)
    press(play)

    assert play.layout("T1") == dict.fromkeys(THREE, 5)


@pytest.mark.clause("clearwater-etg", "24")
def test_press_adds_to_what_lies_on_a_neighbour() -> None:
    """2 on 34 become 7 when 5 on 22 are spread over it."""
    play = at("2 on 34")
    play.bet("T1", "5 on 22")
    press(play)

    assert play.layout("T1") == {"34": 7, "22": 5, "17": 5, "5": 5, "15": 5}


@pytest.mark.clause("clearwater-etg", "24")
def test_press_that_is_taken_back_can_be_made_again() -> None:
    """After an undo of the second press the next press is the second once more."""
    play = at()
    press(play, 2)
    play.touch("T1", UndoBet)
    assert play.layout("T1") == dict.fromkeys(TWO, 5)
    press(play)

    assert play.layout("T1") == dict.fromkeys(THREE, 5)
    play.check()


@pytest.mark.clause("clearwater-etg", "24")
@pytest.mark.parametrize("slip", ["5 on red", "5 on 22/23", "5 on 19/20/21", "5 on final 5", "1 on complete 22"])
def test_button_needs_a_bet_on_a_single_number(slip: str) -> None:
    """After anything but a straight up the button adds nothing."""
    play = at(slip)
    before = play.layout("T1")

    assert refused(press(play)) == ("nothing_there", "24")
    assert play.layout("T1") == before


@pytest.mark.clause("clearwater-etg", "24")
def test_button_needs_a_bet_of_this_round() -> None:
    """The straight up of the last round is spread no further in the next."""
    play = at()
    play.close()
    play.rest("0")
    play.open()

    assert refused(press(play)) == ("nothing_there", "24")


@pytest.mark.clause("clearwater-etg", "24")
def test_button_does_nothing_once_its_number_is_removed() -> None:
    """When the chip on 22 is taken back there is nothing left to spread."""
    play = at()
    play.touch("T1", RemoveBets, (SpotKey("22"),))

    assert refused(press(play)) == ("nothing_there", "24")
    assert (play.layout("T1"), play.credit("T1")) == ({}, 1_000)


@pytest.mark.clause("clearwater-etg", "24")
@pytest.mark.parametrize(
    ("credit", "limit_settings", "presses", "stays", "refusal"),
    [
        (24, LimitSettings(), 1, {"22": 5}, ("credit_short", "10")),
        (34, LimitSettings(), 2, dict.fromkeys(TWO, 5), ("credit_short", "10")),
        (89, LimitSettings(), 4, dict.fromkeys(FOUR, 5), ("credit_short", "10")),
        (999, limits(most=9), 4, dict.fromkeys(FOUR, 5), ("stake_over_maximum", "14.e")),
        (
            999,
            LimitSettings(total=LimitBounds(most=cents(44))),
            3,
            dict.fromkeys(THREE, 5),
            ("total_over_maximum", "14.b"),
        ),
        (
            999,
            LimitSettings(total=LimitBounds(most=cents(134))),
            5,
            dict.fromkeys(FOUR, 10),
            ("total_over_maximum", "14.b"),
        ),
    ],
)
def test_each_press_is_made_whole_or_not_at_all(
    credit: int, limit_settings: LimitSettings, presses: int, stays: dict[str, float], refusal: tuple[str, str]
) -> None:
    """A press that the credits or the limits do not allow for all its numbers adds to none of them."""
    play = at(credit=credit, limit_settings=limit_settings)

    assert refused(press(play, presses)) == refusal
    assert (play.layout("T1"), play.credit("T1")) == (stays, credit - sum(stays.values()))
    play.check()


@pytest.mark.clause("clearwater-etg", "24")
def test_refused_press_does_not_count() -> None:
    """The second press, refused for want of credits, is the second still when a note has been put in."""
    play = at(credit=30)
    press(play)
    assert refused(press(play)) == ("credit_short", "10")
    play.must(InsertNote(TerminalId("T1"), "USD", cents(20)), DeviceId("T1"))
    press(play)

    assert (play.layout("T1"), play.credit("T1")) == (dict.fromkeys(THREE, 5), 15)


@pytest.mark.clause("clearwater-etg", "24")
def test_spread_numbers_win_like_any_straight_up() -> None:
    """Nine numbers at 10 around 22 return 360 when 24 wins, and nothing on 36 beside it."""
    for pocket, won in (("24", 360 - 90), ("36", -90)):
        play = at()
        press(play, 4)
        play.close()
        play.rest(pocket)
        assert play.credit("T1") == 1_000 + won
        play.check()
