"""Chips on the felt: laid, taken, moved, undone, doubled and repeated, and what is said of those that are refused."""

import pytest

from tests.support.browser.houses import ADELAIDE, CLEARWATER, MARINA, PLAIN, house_of
from tests.support.browser.shared_house import Opens, Plain


def test_chips_add_up_and_are_taken_back(plain: Plain) -> None:
    """Each touch lays another chip of the chosen value; undo takes back the last, and the eraser a whole stack."""
    seat = plain("A")
    seat.choose(4)
    seat.tap("17", "17", "17/20")
    seat.choose(1)
    seat.tap("17")

    assert seat.stakes() == seat.bets() == {"17": 900, "17/20": 400}

    seat.act("undo")
    assert seat.stakes() == seat.bets() == {"17": 800, "17/20": 400}
    seat.choose("eraser")
    seat.tap("17")
    assert seat.stakes() == seat.bets() == {"17/20": 400}
    assert seat.meter("bet") == 400
    assert seat.meter("credit") == seat.credit() == 99_600


def test_all_chips_are_doubled_cleared_and_repeated(opens: Opens) -> None:
    """Double, clear and, in the next round, repeat do to all chips what they say."""
    harness = opens(house_of(MARINA))
    seat = harness.seat("M")
    seat.tap("17", "20/23")
    seat.act("double")
    assert seat.stakes() == seat.bets() == {"17": 1_000, "20/23": 1_000}

    harness.spin("M", "0")
    harness.reach("M", "open")
    assert seat.stakes() == seat.bets() == {}
    seat.act("repeat")
    assert seat.stakes() == seat.bets() == {"17": 1_000, "20/23": 1_000}
    seat.act("clear")
    assert seat.stakes() == seat.bets() == {}
    assert seat.meter("credit") == seat.credit()


def test_chip_is_distinguished_until_it_is_answered(opens: Opens) -> None:
    """A chip looks pending at once and confirmed only when the house has said yes."""
    harness = opens(house_of(PLAIN["A"]))
    line = harness.line()
    seat = harness.seat("A", line=line)
    seat.screen.is_held = True
    harness.house.run(line.hold_responses())

    seat.tap("17")
    assert seat.stacks()["17"].way == "guessed"
    harness.house.run(line.go_on())
    seat.screen.is_held = False
    seat.screen.settle()
    assert seat.stacks()["17"].way == "lies"


def test_stack_is_moved_and_dragged_off(plain: Plain) -> None:
    """A stack that is dragged to another spot lies there; dragged off the felt it is taken off."""
    seat = plain("C")
    places = seat.places()
    seat.tap("17", "17")

    seat.drag(places["17"], places["20"])
    assert seat.stakes() == seat.bets() == {"20": 200}
    seat.drag(places["20"], (places["20"][0], 5))
    assert seat.stakes() == seat.bets() == {}


def test_chip_is_dragged_from_the_tray(plain: Plain) -> None:
    """A chip that is dragged from the tray to a corner of four numbers lies there."""
    seat = plain("M")

    seat.drag(seat.centre('.tray [data-chip="4"]'), seat.places()["17/18/20/21"])

    assert seat.stakes() == seat.bets() == {"17/18/20/21": 400}


def test_nothing_is_carried_under_a_sheet(plain: Plain) -> None:
    """When a sheet comes up while something is carried, no chip is laid behind it and no stack taken off."""
    seat = plain("M")
    seat.tap("17")
    places, mouse = seat.places(), seat.page.mouse
    for start in (seat.centre('.tray [aria-checked="true"]'), places["17"]):
        mouse.move(*start)
        mouse.down()
        mouse.move(*places["5"], steps=5)
        assert seat.page.locator(".carried").count() == 1
        seat.page.evaluate("document.querySelector('button.menu').click()")
        mouse.move(*places["8"], steps=2)
        mouse.up()
        assert seat.page.locator(".carried").count() == 0
        seat.close()
    assert seat.stakes() == seat.bets() == {"17": 100}


def test_slide_off_the_felt_cancels(plain: Plain) -> None:
    """What is pressed shows its name and odds; sliding to another spot chooses that, and sliding off lays nothing."""
    seat = plain("C")
    places = seat.places()
    mouse = seat.page.mouse

    mouse.move(*places["17"])
    mouse.down()
    mouse.move(*places["17/20"])
    seat.screen.settle()
    assert seat.game.locator(".tip").inner_text() == "Split 17 / 20 · 17 to 1"
    mouse.up()
    seat.screen.settle()
    assert seat.bets() == {"17/20": 100}

    mouse.move(*places["5"])
    mouse.down()
    mouse.move(places["5"][0], 5)
    mouse.up()
    seat.screen.settle()
    assert seat.bets() == {"17/20": 100}


@pytest.mark.clause("skycity-adelaide-2003", "7(h)v")
def test_stake_over_the_maximum_is_refused_where_it_was_touched(opens: Opens) -> None:
    """One chip too many is not laid: a bubble at the spot says why and by which clause, and what lay there stays."""
    seat = opens(house_of(ADELAIDE)).seat("A")
    seat.choose(200)
    seat.tap("17", "17", "17", "17", "17", "17")

    assert seat.bets() == seat.stakes() == {"17": 50_000}
    assert "500" in seat.bubble()
    assert "7(h)v" in seat.bubble()
    seat.screen.pass_s(3)
    assert not seat.game.locator(".bubble").is_visible()


@pytest.mark.clause("clearwater-etg", "11")
def test_chip_below_the_minimum_is_red_and_goes_back(opens: Opens) -> None:
    """A chip below the minimum is red and marked, and is given back at the close."""
    harness = opens(house_of(CLEARWATER))
    seat = harness.seat("C")
    seat.choose(1)
    seat.tap("17")
    seat.choose(10)
    seat.tap("20")

    assert {spot: stack.way for spot, stack in seat.stacks().items()} == {"17": "under", "20": "lies"}
    harness.launch("C")
    harness.reach("C", "running")
    assert seat.stakes() == seat.bets() == {"20": 1_000}
    assert seat.meter("credit") == seat.credit() == 99_000


@pytest.mark.clause("clearwater-etg", "13.a")
def test_opposite_bet_is_refused(opens: Opens) -> None:
    """A bet against another is not laid, and the screen says so in the venue's words."""
    seat = opens(house_of(CLEARWATER)).seat("C")
    seat.choose(10)
    seat.tap("red", "black")

    assert seat.bets() == seat.stakes() == {"red": 1_000}
    assert "Bet not allowed" in seat.bubble()
    assert "13.a" in seat.bubble()


@pytest.mark.clause("clearwater-etg", "13.c")
def test_opposite_bets_are_warned_of_and_cleared(opens: Opens) -> None:
    """What is left with too little risk is told in the venue's words, and is cleared at the close."""
    harness = opens(house_of(CLEARWATER))
    seat = harness.seat("C")
    seat.choose(10)
    seat.tap("17", "red", "black")
    assert len(seat.bets()) == 3
    seat.choose("eraser")
    seat.tap("17")

    assert "too little risk!" in seat.reported()
    harness.launch("C")
    harness.reach("C", "running")
    assert seat.stakes() == seat.bets() == {}
    assert seat.meter("credit") == seat.credit() == 100_000
